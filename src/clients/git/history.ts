import { gitFailed } from './git-error.ts';
import type { Git } from './git-runner.ts';
import { commitOf } from './refs.ts';
import type { Commit, CommitLog, PathChange } from './repository.ts';
import { cutOff, isShallow, requireHistory } from './shallow.ts';

export async function isAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  const [a, b] = await Promise.all([commitOf(git, older), commitOf(git, newer)]);
  const answer = await git.run(['merge-base', '--is-ancestor', a, b]);
  if (answer.code === 0) return true;
  if (answer.code !== 1) throw gitFailed(`git merge-base in ${git.root}`, answer);
  await requireHistory(git, a, b);
  return false;
}

export async function mergeBase(git: Git, a: string, b: string): Promise<string | undefined> {
  const commits = await Promise.all([commitOf(git, a), commitOf(git, b)]);
  const answer = await git.run(['merge-base', ...commits]);
  if (answer.code === 0) return answer.stdout.toString('utf8').trim();
  if (answer.code !== 1) throw gitFailed(`git merge-base in ${git.root}`, answer);
  if (await isShallow(git)) throw cutOff(git);
  return undefined;
}

/** Commits of the line of first parents of a ref, that included, that change some paths, newest first. */
export async function pathHistory(
  git: Git,
  ref: string,
  paths: readonly string[],
  limit: number,
): Promise<PathChange[]> {
  const commit = await commitOf(git, ref);
  const options = ['-z', '--no-color', '--no-decorate', '--first-parent', `--max-count=${limit}`];
  const fields = (await git.text(['log', ...options, '--format=%H%x00%P%x00%B', commit, '--', ...paths])).split('\0');
  return Array.from({ length: Math.floor(fields.length / 3) }, (_, index) => {
    const [sha = '', parents = '', message = ''] = fields.slice(index * 3);
    const [parent = ''] = parents.split(' ');
    return { sha, message, ...(parent === '' ? {} : { parent }) };
  });
}

const FIELDS = ['%H', '%aN', '%aE', '%cI', '%s'];

/** Names and addresses as the .mailmap of the repository has them. */
export async function log(git: Git, from: string, to: string, limit: number): Promise<CommitLog> {
  const [a, b] = await Promise.all([commitOf(git, from), commitOf(git, to)]);
  await requireHistory(git, a, b);
  const range = [b, `^${a}`];
  const format = `--format=${FIELDS.join('%x00')}`;
  const [listed, counted] = await Promise.all([
    git.text(['log', '-z', '--no-color', '--no-decorate', `--max-count=${Math.max(0, limit)}`, format, ...range, '--']),
    git.text(['rev-list', '--count', ...range, '--']),
  ]);
  return { commits: commitsIn(listed), total: Number(counted) };
}

function commitsIn(text: string): Commit[] {
  const fields = text.split('\0');
  return Array.from({ length: Math.floor(fields.length / FIELDS.length) }, (_, index) => {
    const [sha = '', name = '', email = '', date = '', subject = ''] = fields.slice(index * FIELDS.length);
    return { sha, author: { name, email }, date: new Date(date), subject };
  });
}
