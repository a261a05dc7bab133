import { join, resolve } from 'node:path';
import { answerBytes } from '../clients/file-cache/index.ts';
import { startReadingThread, treeKey } from '../instance/index.ts';

/** What is known of a few thousand files takes this much. */
const LARGE_BYTES = 200_000;

/**
 * Lets a second thread start while the program is loaded, when the command line looks like one that will read many files. A
 * wrong guess costs some time of another core.
 */
export function readAhead(args: readonly string[], env: NodeJS.ProcessEnv): void {
  const data = args.indexOf('--data');
  const root = (data === -1 ? undefined : args[data + 1]) ?? env['ECHELON_DATA'] ?? '.';
  try {
    if (answerBytes(env, treeKey(join(resolve(root), 'data'))) > LARGE_BYTES) startReadingThread();
  } catch {
    // There is no such folder.
  }
}
