import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defined } from '../../base/index.ts';
import { type Git, runGit } from './run-git.ts';

type GitOperation = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect';

export interface WorkState {
  /** Paths that differ from the checked-out commit, staged or not, and untracked ones. */
  readonly dirty: readonly string[];
  /** Paths with unresolved conflicts; they are dirty too. */
  readonly conflicts: readonly string[];
  /** An operation in progress. */
  readonly operation?: GitOperation;
}

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

/** Files of the git folder that are there while an operation is in progress. */
const MARKS: readonly (readonly [string, GitOperation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** Status of some paths; of the whole work tree without any. */
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

const UNCOMMITTED = /^0+$/;

/** The commit that last changed a line. */
interface LineChange {
  readonly at: Date;
  /** The name of its author. */
  readonly author: string;
}

/**
 * Who last changed lines of files below a folder, and when, as they are in a commit or, without one, in the work tree. Nothing for a line that is not committed, a
 * file that git does not know, or outside a repository. Each file is asked for once.
 */
export function lineChanges(
  folder: string,
  commit?: string,
): (file: string, line: number) => Promise<LineChange | undefined> {
  const files = new Map<string, Promise<ReadonlyMap<number, LineChange>>>();
  return async (file, line) => {
    const known = files.get(file) ?? blame(folder, file, commit);
    files.set(file, known);
    return (await known).get(line);
  };
}

/** Dates of `lineChanges`. */
export function lineDates(folder: string, commit?: string): (file: string, line: number) => Promise<Date | undefined> {
  const changes = lineChanges(folder, commit);
  return async (file, line) => (await changes(file, line))?.at;
}

async function blame(
  folder: string,
  file: string,
  commit: string | undefined,
): Promise<ReadonlyMap<number, LineChange>> {
  try {
    const { code, stdout } = await runGit(folder, [
      'blame',
      '--porcelain',
      ...(commit === undefined ? [] : [commit]),
      '--',
      file,
    ]);
    return code === 0 ? parseBlame(stdout.toString('utf8')) : new Map();
  } catch {
    return new Map();
  }
}

/** Git reports a commit behind its first line only. */
function parseBlame(text: string): Map<number, LineChange> {
  const dates = new Map<string, Date>();
  const authors = new Map<string, string>();
  const commits = new Map<number, string>();
  let commit = '';
  for (const line of text.split('\n')) {
    const [, sha, number] = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(line) ?? [];
    const author = /^author (.*)$/.exec(line)?.[1];
    const seconds = /^committer-time (\d+)$/.exec(line)?.[1];
    if (sha !== undefined) {
      commit = sha;
      commits.set(Number(number), sha);
    } else if (author !== undefined) authors.set(commit, author);
    else if (seconds !== undefined) dates.set(commit, new Date(Number(seconds) * 1000));
  }
  return new Map(
    [...commits].flatMap(([line, sha]) => {
      const date = UNCOMMITTED.test(sha) ? undefined : dates.get(sha);
      return date === undefined ? [] : [[line, { at: date, author: authors.get(sha) ?? '' }] as const];
    }),
  );
}
