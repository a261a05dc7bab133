import { readFile } from 'node:fs/promises';
import { didYouMean, EchelonError } from '../../base/index.ts';
import { type Git, gitFailed } from './run-git.ts';

export interface Commit {
  readonly sha: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Committer date. */
  readonly date: Date;
  readonly subject: string;
}

export interface CommittedChange {
  /** Relative to the repository root, with slashes. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** The old path of a renamed file. */
  readonly from?: string;
}

/** A commit that changes some paths. */
export interface PathChange {
  readonly sha: string;
  /** Its first parent; undefined for the first commit, and where the history of a shallow clone was cut off. */
  readonly parent?: string;
  readonly message: string;
}

export interface CommitLog {
  /** Newest first. */
  readonly commits: readonly Commit[];
  /** Number of commits, those beyond the limit included. */
  readonly total: number;
}

/** Which branch a name stands for that this clone and its remote both have; the local one when absent. */
export interface RefChoice {
  readonly prefer?: 'local' | 'remote';
}

const MOST_CANDIDATES = 5000;
export const FULL_SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Whether a name is safe as an argument: not empty, no option, no control characters. */
export function isPlain(name: string): boolean {
  return name !== '' && !name.startsWith('-') && !/\p{Cc}/u.test(name);
}

/** Resolves a ref as git does; branches that only the remote has are found too. Prefer the remote's where a local one may be old. */
export async function commitOf(git: Git, ref: string, { prefer = 'local' }: RefChoice = {}): Promise<string> {
  if (!isPlain(ref)) throw invalidRef(git, ref);
  if (git.known.commits.has(ref)) return ref;
  const names = prefer === 'remote' ? [`refs/remotes/origin/${ref}`, ref] : [ref, `refs/remotes/origin/${ref}`];
  const found = await git.objects(names.map((name) => `${name}^{commit}`));
  const sha = found.map((line) => /^([0-9a-f]{40,64}) commit \d+$/.exec(line)?.[1]).find((one) => one !== undefined);
  if (sha === undefined) throw await unresolvedRef(git, ref);
  git.known.commits.add(sha);
  return sha;
}

/** Only rev-parse distinguishes an ambiguous ref from an unknown one. */
async function unresolvedRef(git: Git, ref: string): Promise<EchelonError> {
  const { stderr } = await git.run(['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`]);
  return /is ambiguous/.test(stderr) ? ambiguousRef(git, ref) : unknownRef(git, ref);
}

function invalidRef(git: Git, ref: string): EchelonError {
  return new EchelonError({
    code: 'REF_UNKNOWN',
    message: `${JSON.stringify(ref)} is not a valid ref of ${git.root}`,
    hint: 'use a branch, a tag or a commit',
  });
}

function ambiguousRef(git: Git, ref: string): EchelonError {
  return new EchelonError({
    code: 'REF_AMBIGUOUS',
    message: `${ref} is ambiguous: it matches more than one commit of ${git.root}`,
    hint: 'use more characters of the commit',
  });
}

async function unknownRef(git: Git, ref: string): Promise<EchelonError> {
  const otherwise = git.isShallow
    ? 'the clone is shallow: fetch the rest of its history with git fetch --unshallow'
    : 'use a branch, a tag or a commit of this clone, or fetch newer ones with git fetch';
  return new EchelonError({
    code: 'REF_UNKNOWN',
    message: `${git.root} has no branch, tag or commit ${ref}`,
    hint: didYouMean(ref, await refNames(git), otherwise),
  });
}

/** Undefined when there is no such branch here. */
export async function branchTip(git: Git, branch: string): Promise<string | undefined> {
  if (!isPlain(branch)) return undefined;
  const answer = await git.run([
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `refs/heads/${branch}^{commit}`,
  ]);
  return answer.code === 0 ? answer.stdout.toString('utf8').trim() : undefined;
}

async function refNames(git: Git): Promise<string[]> {
  const kinds = ['refs/heads', 'refs/tags', 'refs/remotes'];
  const text = await git.text(['for-each-ref', `--count=${MOST_CANDIDATES}`, '--format=%(refname:short)', ...kinds]);
  const names = text.split('\n').filter((name) => name !== '');
  return [...names, ...names.filter((name) => name.startsWith('origin/')).map((name) => name.slice('origin/'.length))];
}

export async function head(git: Git): Promise<{ commit: string; branch?: string }> {
  const answer = await git.run(['rev-parse', 'HEAD^{commit}', '--symbolic-full-name', 'HEAD']);
  if (answer.code !== 0) {
    throw new EchelonError({
      code: 'REF_UNKNOWN',
      message: `${git.root} has no commit checked out`,
      hint: 'create a commit, or check out a branch',
    });
  }
  const [commit = '', name = ''] = answer.stdout.toString('utf8').trim().split('\n');
  return name === 'HEAD' ? { commit } : { commit, branch: name.replace(/^refs\/heads\//, '') };
}

/** The remote's HEAD; else main or master, of the remote or local. */
export async function defaultBranch(git: Git, remote = 'origin'): Promise<string> {
  requireRemoteName(remote);
  const prefix = `refs/remotes/${remote}/`;
  const answer = await git.run(['symbolic-ref', '--quiet', `${prefix}HEAD`]);
  const target = answer.stdout.toString('utf8').trim();
  if (answer.code === 0 && target.startsWith(prefix)) return target.slice(prefix.length);
  const usual = [`${prefix}main`, `${prefix}master`, 'refs/heads/main', 'refs/heads/master'];
  const refs = (await git.text(['for-each-ref', '--format=%(refname)', ...usual])).split('\n');
  const found = usual.find((ref) => refs.includes(ref));
  if (found !== undefined) return found.endsWith('main') ? 'main' : 'master';
  throw new EchelonError({
    code: 'DEFAULT_BRANCH_UNKNOWN',
    message: `${git.root} does not know the default branch of ${remote}`,
    hint: `run git remote set-head ${remote} --auto, or pass the branch`,
  });
}

export function requireRemoteName(remote: string): void {
  if (isPlain(remote)) return;
  throw new EchelonError({
    code: 'REMOTE_INVALID',
    message: `${JSON.stringify(remote)} is not a valid remote name`,
    hint: 'list them with: git remote',
  });
}

export async function isAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  const [a, b] = await Promise.all([commitOf(git, older), commitOf(git, newer)]);
  if ((await apart(git, a, b))[0] === 0) return true;
  await requireHistory(git, a, b);
  return false;
}

/** Numbers of commits that only one of two has, counted once for both directions. */
async function apart(git: Git, a: string, b: string): Promise<readonly [number, number]> {
  const { apart: known } = git.known;
  const turned = await known.get(`${b} ${a}`);
  if (turned !== undefined) return [turned[1], turned[0]];
  const counted =
    known.get(`${a} ${b}`) ??
    git.text(['rev-list', '--left-right', '--count', `${a}...${b}`, '--']).then((text) => {
      const [onlyA = 0, onlyB = 0] = text.split('\t').map(Number);
      return [onlyA, onlyB] as const;
    });
  known.set(`${a} ${b}`, counted);
  return counted;
}

export async function mergeBase(git: Git, a: string, b: string): Promise<string | undefined> {
  const commits = await Promise.all([commitOf(git, a), commitOf(git, b)]);
  const answer = await git.run(['merge-base', ...commits]);
  if (answer.code === 0) return answer.stdout.toString('utf8').trim();
  if (answer.code !== 1) throw gitFailed(`git merge-base in ${git.root}`, answer);
  if (git.isShallow) throw cutOff(git);
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
    apart(git, a, b),
  ]);
  return { commits: commitsIn(listed), total: counted[1] };
}

function commitsIn(text: string): Commit[] {
  const fields = text.split('\0');
  return Array.from({ length: Math.floor(fields.length / FIELDS.length) }, (_, index) => {
    const [sha = '', name = '', email = '', date = '', subject = ''] = fields.slice(index * FIELDS.length);
    return { sha, author: { name, email }, date: new Date(date), subject };
  });
}

/** Throws when the commits of `newer` without those of `older` reach where the history of a shallow clone was cut off. */
async function requireHistory(git: Git, older: string, newer: string): Promise<void> {
  if (!git.isShallow) return;
  const file = await git.text(['rev-parse', '--path-format=absolute', '--git-path', 'shallow']);
  const cut = new Set((await readFile(file, 'utf8')).split('\n'));
  const firsts = (await git.text(['rev-list', '--max-parents=0', newer, `^${older}`])).split('\n');
  if (firsts.some((sha) => sha !== '' && cut.has(sha))) throw cutOff(git);
}

function cutOff(git: Git): EchelonError {
  return new EchelonError({
    code: 'HISTORY_SHALLOW',
    message: `${git.root} is a shallow clone and lacks the older commits needed here`,
    hint: 'fetch them with git fetch --unshallow, or clone without --depth',
  });
}

/** Files that differ between two commits; a submodule that moved counts as a modified file. */
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
