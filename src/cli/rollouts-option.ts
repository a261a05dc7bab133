import { resolve } from 'node:path';
import { EchelonError, messageOf } from '../base/index.ts';
import type { RolloutsText } from '../rollouts/index.ts';
import type { Io } from './io.ts';
import { readFile } from './read-file.ts';

/** The file of `--rollouts`. */
export function rolloutsText(io: Io, file: string): RolloutsText {
  const name = resolve(io.cwd, file);
  try {
    return { name, content: readFile(name) };
  } catch (thrown) {
    const message = `cannot read ${file}: ${messageOf(thrown)}`;
    throw new EchelonError({ code: 'ROLLOUTS_UNREADABLE', message, hint: 'pass a readable file with --rollouts' });
  }
}
