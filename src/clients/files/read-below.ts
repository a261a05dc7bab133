import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The bytes of a file that is itself below a folder; of one that a link leads to, the place of it. */
export function bytesBelow(folder: string, file: string): Uint8Array | { readonly linksTo: string } | undefined {
  const path = join(folder, file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  const real = realpathSync(path);
  return real === join(realpathSync(folder), file) ? readFileSync(path) : { linksTo: real };
}

/** The text of a file, links followed; undefined where there is none. */
export function textBelow(folder: string, file: string): string | undefined {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
