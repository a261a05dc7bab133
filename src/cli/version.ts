import { readFileSync } from 'node:fs';

/** package.json is beside `src/` in a checkout and beside `dist/` when installed. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
