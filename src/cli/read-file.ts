import { readFileSync, statSync } from 'node:fs';

/** The whole content of a text file. Throws with the `code` of the system, and with `EFBIG` for one that is larger. */
export function readFile(path: string, maxBytes = Number.POSITIVE_INFINITY): string {
  if (statSync(path).size > maxBytes) throw Object.assign(new Error(`${path} is too large`), { code: 'EFBIG' });
  return readFileSync(path, 'utf8');
}
