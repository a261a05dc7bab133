import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../base/index.ts';
import type { Problem } from '../problem.ts';
import { refuseLink } from './walk-tree.ts';

/** `.env` as it is found: its bytes, or why it is not read, or neither. */
export interface EnvBytes {
  readonly bytes?: Buffer;
  readonly problem?: Problem;
}

export function readEnvBytes(root: string): EnvBytes {
  const location = join(root, '.env');
  const found = lstatSync(location, { throwIfNoEntry: false });
  if (found === undefined) return {};
  const refused = found.isSymbolicLink() ? refuseLink(location, realpathSync(root)) : undefined;
  if (refused !== undefined) return { problem: { ...refused, file: '.env' } };
  try {
    return { bytes: readFileSync(location) };
  } catch (thrown) {
    return { problem: { ...unreadable(thrown), file: '.env' } };
  }
}

export function unreadable(thrown: unknown): Omit<Problem, 'file'> {
  return {
    rule: 'unreadable-file',
    severity: 'error',
    message: `cannot read the file: ${messageOf(thrown)}`,
    hint: 'check its permissions',
  };
}
