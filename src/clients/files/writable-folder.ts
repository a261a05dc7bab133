import { accessSync, constants, mkdirSync } from 'node:fs';
import { EchelonError, messageOf } from '../../base/index.ts';

/** Throws CHECK_FILE_UNWRITABLE for a folder that cannot be made or written. */
export function makeFolder(folder: string, flag: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (thrown) {
    throw unwritable(flag, folder, messageOf(thrown));
  }
}

/** The error for what cannot be written. */
export function unwritable(what: string, path: string, why: string): EchelonError {
  return new EchelonError({
    code: 'CHECK_FILE_UNWRITABLE',
    message: `${what}: cannot write ${path}: ${why}`,
    hint: 'use a writable file or folder; check its permissions and the free disk space',
  });
}
