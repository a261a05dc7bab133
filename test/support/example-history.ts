import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExampleHistory, exampleHistory } from '../../scripts/example-history.ts';

export type { ExampleHistory } from '../../scripts/example-history.ts';

export interface TemporaryHistory extends ExampleHistory {
  readonly root: string;
  dispose(): void;
}

/** The repositories around the example instance in a temporary folder; about a second. A test may change all of them. */
export async function temporaryHistory(): Promise<TemporaryHistory> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'echelon-history-')));
  try {
    const history = await exampleHistory(root);
    return { ...history, root, dispose: () => rmSync(root, { recursive: true, force: true }) };
  } catch (thrown) {
    rmSync(root, { recursive: true, force: true });
    throw thrown;
  }
}
