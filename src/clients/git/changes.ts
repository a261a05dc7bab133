import type { Git } from './git-runner.ts';
import { commitOf } from './refs.ts';
import type { CommittedChange } from './repository.ts';

/** What one commit has and the other has not; a submodule that moved counts as a modified file. */
export async function changes(git: Git, base: string, head: string): Promise<readonly CommittedChange[]> {
  const commits = await Promise.all([commitOf(git, base), commitOf(git, head)]);
  const options = ['-r', '-z', '--name-status', '--find-renames', '--no-ext-diff', '--no-color', '--no-textconv'];
  return changesIn(await git.text(['diff-tree', ...options, ...commits, '--']));
}

function changesIn(text: string): CommittedChange[] {
  const fields = text.split('\0');
  const found: CommittedChange[] = [];
  for (let at = 0; at + 1 < fields.length; ) {
    const [status = '', first = '', second = ''] = fields.slice(at, at + 3);
    const renamed = status.startsWith('R');
    found.push(renamed ? { path: second, change: 'renamed', from: first } : { path: first, change: changeOf(status) });
    at += renamed ? 3 : 2;
  }
  return found;
}

/** A file that became a link, or the other way around, is modified. */
function changeOf(status: string): CommittedChange['change'] {
  if (status === 'A') return 'added';
  return status === 'D' ? 'deleted' : 'modified';
}
