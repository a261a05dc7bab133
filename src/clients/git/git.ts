import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runGit } from './run-git.ts';

/** The checked-out commit of a folder and whether some of its paths differ from it; undefined outside a repository. */
export async function describeWorkingTree(
  folder: string,
  paths: readonly string[],
): Promise<{ commit: string; dirty: boolean } | undefined> {
  if (!isBelowGit(folder)) return undefined;
  // One process for both: starting it takes longer than what it does.
  const head = ['--porcelain=v2', '--branch', '--no-ahead-behind', '--no-renames', '-z'];
  const args = ['status', ...head, '--untracked-files=all', '--ignored', '--', ...paths];
  const answer = await runGit(folder, args).catch(() => undefined);
  const lines = answer?.code === 0 ? answer.stdout.toString('utf8').split('\0') : [];
  const commit = lines
    .map((line) => /^# branch\.oid ([0-9a-f]+)$/.exec(line)?.[1])
    .find((found) => found !== undefined);
  return commit === undefined ? undefined : { commit, dirty: lines.some(isChange) };
}

/** Every repository with a working tree has `.git` at its top; without one, git need not be started to say so. */
function isBelowGit(folder: string): boolean {
  let place = existsSync(folder) ? realpathSync(folder) : undefined;
  while (place !== undefined && !existsSync(join(place, '.git'))) {
    place = place === dirname(place) ? undefined : dirname(place);
  }
  return place !== undefined;
}

/** Ignored files count as changes, hidden ones do not. */
function isChange(line: string): boolean {
  if (!line.startsWith('! ')) return line !== '' && !line.startsWith('# ');
  const names = line.slice(2).split('/');
  return names.at(-1) === '.env' || !names.some((name) => name.startsWith('.'));
}
