import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EchelonError, messageOf } from '../../../base/index.ts';
import type { Io } from '../../io.ts';
import type { PrCheckFlags } from './flags.ts';

/** Checked before anything runs, so that runs are not wasted if logs or reports cannot be written. */
export function requireWritable(io: Io, flags: Pick<PrCheckFlags, 'run' | 'logDir' | 'markdown' | 'junit'>): void {
  if (flags.run === true) makeFolder(resolve(io.cwd, flags.logDir), '--log-dir');
  for (const flag of ['markdown', 'junit'] as const) {
    const name = flags[flag];
    if (name === undefined) continue;
    const file = resolve(io.cwd, name);
    makeFolder(dirname(file), `--${flag}`);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw refused(`--${flag}`, file, 'it is a folder');
  }
}

export function writeReport(io: Io, name: string, text: string): void {
  const file = resolve(io.cwd, name);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (thrown) {
    throw refused('the report', file, messageOf(thrown));
  }
}

/** Throws CHECK_FILE_UNWRITABLE for a folder that cannot be made or written. */
export function makeFolder(folder: string, flag: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (thrown) {
    throw refused(flag, folder, messageOf(thrown));
  }
}

function refused(what: string, path: string, why: string): EchelonError {
  return new EchelonError({
    code: 'CHECK_FILE_UNWRITABLE',
    message: `${what}: cannot write ${path}: ${why}`,
    hint: 'use a writable file or folder; check its permissions and the free disk space',
  });
}
