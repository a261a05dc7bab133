import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EchelonError } from '../../base/index.ts';
import { scratchFolder } from '../files/index.ts';
import { commitOf, isPlain } from './history.ts';
import { type Git, type GitAnswer, type GitRun, gitFailed, stderrText } from './run-git.ts';
import { isTreePath, LINK, listTree, SUBMODULE, type TreeEntry } from './trees.ts';

export interface NewCommit {
  readonly branch: string;
  readonly parent: string;
  /** New contents by path from the top folder; other files stay as they are in the parent. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly message: string;
  /** Tip of the branch now; absent when it must not exist. */
  readonly expected?: string;
}

const MAX_FILES = 2000;
const NEW_FILE = '100644';

/**
 * One commit on a branch that is checked out nowhere. Contents are stored as they are given. A tip that already is this
 * very commit, but for its date, is left alone.
 */
export async function commitFiles(git: Git, options: NewCommit): Promise<string> {
  await requireBranch(git, options.branch);
  const parent = await commitOf(git, options.parent);
  const tree = await treeWith(git, parent, options.files);
  if (tree === (await git.text(['rev-parse', '--verify', `${parent}^{tree}`]))) throw nothingToCommit(git, parent);
  const tip = options.expected === undefined ? undefined : await commitOf(git, options.expected);
  if (tip !== undefined && (await isSame(git, tip, { tree, parent, message: options.message }))) {
    await moveBranch(git, options.branch, tip, tip);
    return tip;
  }
  const message = options.message.endsWith('\n') ? options.message : `${options.message}\n`;
  const identity = ['-c', 'user.useConfigOnly=true'];
  const commit = await git.run([...identity, 'commit-tree', '--no-gpg-sign', '-p', parent, '-F', '-', tree], {
    input: message,
  });
  if (commit.code !== 0) throw commitFailed(git, commit);
  const sha = commit.stdout.toString('utf8').trim();
  await moveBranch(git, options.branch, sha, tip);
  return sha;
}

/** Replaces the page of advice that git prints for a missing identity. */
function commitFailed(git: Git, answer: GitAnswer): EchelonError {
  const failure = gitFailed(`git commit-tree in ${git.root}`, answer);
  if (failure.code !== 'COMMIT_IDENTITY') return failure;
  const { code, hint } = failure;
  return new EchelonError({ code, hint, message: `no git identity for commits in ${git.root}. Nothing was changed` });
}

async function requireBranch(git: Git, branch: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const valid = isPlain(branch) && (await git.run(['check-ref-format', ref])).code === 0;
  if (!valid) {
    throw new EchelonError({
      code: 'BRANCH_INVALID',
      message: `${JSON.stringify(branch)} is not a valid branch name`,
      hint: 'use letters, digits, dashes and slashes',
    });
  }
  const worktree = await git.text(['for-each-ref', '--format=%(worktreepath)', ref]);
  if (worktree.split('\n').every((path) => path === '') && !(await isUnborn(git, ref))) return;
  throw new EchelonError({
    code: 'BRANCH_CHECKED_OUT',
    message: `the branch ${branch} is checked out in ${worktree || git.root}`,
    hint: 'check out another branch there, or use another name for this one',
  });
}

/** A branch that is checked out and has no commit yet is no ref. */
async function isUnborn(git: Git, ref: string): Promise<boolean> {
  const head = await git.run(['symbolic-ref', '--quiet', 'HEAD']);
  if (head.stdout.toString('utf8').trim() !== ref) return false;
  return (await git.text(['rev-parse', '--is-bare-repository'])) === 'false';
}

async function treeWith(git: Git, parent: string, files: NewCommit['files']): Promise<string> {
  if (files.size > MAX_FILES) throw refusedPath(`more than ${MAX_FILES} files in one commit`);
  const known = new Map((await listTree(git, parent)).map((entry) => [entry.path, entry]));
  const modes = new Map([...files.keys()].map((path) => [path, modeFor(path, known)]));
  const folder = scratchFolder('index');
  try {
    const index: GitRun = { env: { GIT_INDEX_FILE: join(folder, 'index') } };
    await git.bytes(['read-tree', parent], index);
    const objects = await storeBlobs(git, folder, [...files.values()]);
    const lines = [...files.keys()].map((path, at) => `${modes.get(path)} ${objects[at] ?? ''}\t${path}\0`);
    await git.bytes(['update-index', '-z', '--index-info'], { ...index, input: lines.join('') });
    return await git.text(['write-tree'], index);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One process for all: contents lie in a folder, by number. */
async function storeBlobs(git: Git, folder: string, contents: readonly Uint8Array[]): Promise<string[]> {
  const paths = contents.map((_, at) => join(folder, String(at)));
  for (const [at, content] of contents.entries()) await writeFile(paths[at] ?? '', content);
  const args = ['hash-object', '-w', '-t', 'blob', '--no-filters', '--stdin-paths'];
  return (await git.text(args, { input: `${paths.join('\n')}\n` })).split('\n');
}

/** Keeps the mode of an existing file. Links and submodules are not overwritten, and nothing is written below one. */
function modeFor(path: string, known: ReadonlyMap<string, TreeEntry>): string {
  if (!isTreePath(path)) throw refusedPath(`${JSON.stringify(path)} is not a path inside the repository`);
  const names = path.split('/');
  const above = names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
  const blocked = above.find((folder) => known.has(folder));
  if (blocked !== undefined) throw refusedPath(`${path} is not possible: ${blocked} is not a directory`);
  const mode = known.get(path)?.mode;
  if (mode === LINK || mode === SUBMODULE) throw refusedPath(`${path} is a symbolic link or a submodule`);
  const folder = `${path}/`;
  if (mode === undefined && known.keys().some((other) => other.startsWith(folder)))
    throw refusedPath(`${path} is a folder`);
  return mode ?? NEW_FILE;
}

function refusedPath(message: string): EchelonError {
  return new EchelonError({ code: 'PATH_REFUSED', message, hint: 'use regular files of the repository' });
}

function nothingToCommit(git: Git, parent: string): EchelonError {
  return new EchelonError({
    code: 'NOTHING_TO_COMMIT',
    message: `nothing to commit: ${parent.slice(0, 12)} of ${git.root} already has these files`,
    hint: 'nothing to do',
  });
}

/** Whether a commit has this tree, this one parent and this message. */
async function isSame(
  git: Git,
  commit: string,
  { tree, parent, message }: { readonly tree: string; readonly parent: string; readonly message: string },
): Promise<boolean> {
  const [text, ...fields] = (
    await git.text(['log', '-1', '--no-color', '--format=%B%x00%T%x00%P', commit, '--'])
  ).split('\0');
  return text?.trimEnd() === message.trimEnd() && fields[0] === tree && fields[1] === parent;
}

/** Compare-and-swap; an empty old value means that the branch must not exist. */
async function moveBranch(git: Git, branch: string, to: string, from: string | undefined): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const answer = await git.run(['update-ref', '--no-deref', '-m', 'echelon', ref, to, from ?? '']);
  if (answer.code === 0) return;
  if (/but expected|reference already exists|unable to resolve reference|reference is missing/.test(answer.stderr)) {
    throw new EchelonError({
      code: 'BRANCH_MOVED',
      message: `the branch ${branch} of ${git.root} has moved:  ${stderrText(answer)}`,
      hint: 'it was changed concurrently: check it and run this again',
    });
  }
  throw gitFailed(`git update-ref of ${branch} in ${git.root}`, answer);
}
