import { readFile } from 'node:fs/promises';
import { EchelonError } from '../../base/index.ts';
import type { Git } from './git-runner.ts';

export function isShallow(git: Git): Promise<boolean> {
  const { known } = git;
  known.shallow ??= git.text(['rev-parse', '--is-shallow-repository']).then((text) => text === 'true');
  return known.shallow;
}

/** Throws when the commits of `newer` without those of `older` reach where the history of a shallow clone was cut off. */
export async function requireHistory(git: Git, older: string, newer: string): Promise<void> {
  if (!(await isShallow(git))) return;
  const file = await git.text(['rev-parse', '--path-format=absolute', '--git-path', 'shallow']);
  const cut = new Set((await readFile(file, 'utf8')).split('\n'));
  const firsts = (await git.text(['rev-list', '--max-parents=0', newer, `^${older}`])).split('\n');
  if (firsts.some((sha) => sha !== '' && cut.has(sha))) throw cutOff(git);
}

export function cutOff(git: Git): EchelonError {
  return new EchelonError({
    code: 'HISTORY_SHALLOW',
    message: `${git.root} is a shallow clone and lacks the older commits needed here`,
    hint: 'fetch them with git fetch --unshallow, or clone without --depth',
  });
}
