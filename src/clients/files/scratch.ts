import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EchelonError, messageOf } from '../../base/index.ts';

/** Runs something with an empty folder, named for its use, that is gone afterwards. */
export async function withScratch<T>(name: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = scratchFolder(name);
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An empty temporary folder, named for its use, that the caller removes. */
export function scratchFolder(name: string): string {
  const temporary = tmpdir();
  try {
    return mkdtempSync(join(temporary, `echelon-${name}-`));
  } catch (thrown) {
    throw new EchelonError({
      code: 'TMPDIR_UNUSABLE',
      message: `cannot create a temporary directory in ${temporary}: ${messageOf(thrown).split(',')[0]}`,
      hint: 'set TMPDIR to a writable directory with free space',
      cause: thrown,
    });
  }
}
