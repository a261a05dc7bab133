import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../base/index.ts';
import type { Git } from './git-runner.ts';
import type { GitOperation, WorkState } from './repository.ts';

/** Files of the git folder that are there while an operation is in progress. */
const MARKS: readonly (readonly [string, GitOperation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** Of the whole work tree when no path is given. */
export async function workState(git: Git, paths: readonly string[]): Promise<WorkState> {
  const options = ['--porcelain=v2', '-z', '--untracked-files=all', '--no-renames'];
  const lines = (await git.text(['status', ...options, '--', ...paths])).split('\0').filter((line) => line !== '');
  const operation = MARKS.find(([file]) => existsSync(join(git.gitDir, file)))?.[1];
  return {
    dirty: lines.map(pathOf),
    conflicts: lines.filter((line) => line.startsWith('u ')).map(pathOf),
    ...defined({ operation }),
  };
}

/** Fields before the path, by the kind of the line. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1, '!': 1 };

function pathOf(line: string): string {
  const fields = FIELDS[line.charAt(0)] ?? 1;
  return line.split(' ').slice(fields).join(' ');
}
