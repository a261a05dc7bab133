import { join, resolve } from 'node:path';
import { answerBytes } from '../clients/file-cache/index.ts';
import { askAhead } from '../clients/git/index.ts';
import { INSTANCE_PATHS, startReadingThread, treeKey } from '../instance/index.ts';

/** What is known of a few thousand files takes this much. */
const LARGE_BYTES = 200_000;
/** With these everything is read anew, or nothing. */
const NOT_AHEAD = ['--no-cache', '--help', '-h'];

/** Lets others work while the program is loaded, when the command line looks like one that will read many files. */
export function readAhead(args: readonly string[], env: NodeJS.ProcessEnv): void {
  const named = (arg: string, at: number) => (arg === '--data' ? args[at + 1] : /^--data=(.*)$/s.exec(arg)?.[1]);
  const root = resolve(args.map(named).find((data) => data !== undefined) ?? env['ECHELON_DATA'] ?? '.');
  try {
    if (answerBytes(env, treeKey(join(root, 'data'))) <= LARGE_BYTES) return;
    if (args.some((arg) => NOT_AHEAD.includes(arg))) return;
    startReadingThread();
    askAhead(root, INSTANCE_PATHS);
  } catch {
    // There is no such folder.
  }
}
