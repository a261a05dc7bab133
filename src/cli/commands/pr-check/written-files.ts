import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf } from '../../../base/index.ts';
import { makeFolder, unwritable } from '../../../clients/files/index.ts';
import type { Io } from '../../io.ts';
import type { PrCheckFlags } from './flags.ts';

/** Checked before anything runs, so that runs are not wasted if logs or reports cannot be written. */
export function requireWritable(
  io: Io,
  flags: Pick<PrCheckFlags, 'run' | 'shadow' | 'logDir' | 'markdown' | 'junit'>,
): void {
  if (flags.run === true || flags.shadow === true) makeFolder(resolve(io.cwd, flags.logDir), '--log-dir');
  for (const flag of ['markdown', 'junit'] as const) {
    const name = flags[flag];
    if (name === undefined) continue;
    const file = resolve(io.cwd, name);
    makeFolder(dirname(file), `--${flag}`);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw unwritable(`--${flag}`, file, 'it is a folder');
  }
}

export function writeReport(io: Io, name: string, text: string): void {
  const file = resolve(io.cwd, name);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (thrown) {
    throw unwritable('the report', file, messageOf(thrown));
  }
}
