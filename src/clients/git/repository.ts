import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { commitFiles, type NewCommit } from './commit-files.ts';
import {
  branchTip,
  type CommitLog,
  type CommittedChange,
  changes,
  commitOf,
  defaultBranch,
  head,
  isAncestor,
  log,
  mergeBase,
  type PathChange,
  pathHistory,
  type RefChoice,
} from './history.ts';
import { fetchBranch, fetchRef, push, remotes, remoteUrl } from './remote.ts';
import { type Git, gitFailed, gitIn, runGit } from './run-git.ts';
import { exportTree, readFile } from './trees.ts';
import { type WorkState, workState } from './work-tree.ts';

/** A clone on this machine, through the git binary. Work tree and index are never written. */
export interface Repository {
  /** Top folder of the work tree, or the folder of a bare repository. */
  readonly root: string;
  /** The branch is absent when the head is detached. */
  head(): Promise<{ readonly commit: string; readonly branch?: string }>;
  /** Full sha of a branch, tag or commit. */
  commitOf(ref: string, choice?: RefChoice): Promise<string>;
  /** Tip of a branch of this clone; undefined when it has none of that name. */
  branchTip(branch: string): Promise<string | undefined>;
  /** Whether the history of this clone was cut off. */
  isShallow(): Promise<boolean>;
  /** Name of the branch, without the remote. */
  defaultBranch(remote?: string): Promise<string>;
  /** A commit is its own ancestor. */
  isAncestor(older: string, newer: string): Promise<boolean>;
  mergeBase(a: string, b: string): Promise<string | undefined>;
  /** Commits of `to` that `from` does not have. */
  log(from: string, to: string, limit: number): Promise<CommitLog>;
  /** Commits of the line of first parents of `ref`, that included, that change some paths, newest first. */
  pathHistory(ref: string, paths: readonly string[], limit: number): Promise<readonly PathChange[]>;
  changes(base: string, head: string): Promise<readonly CommittedChange[]>;
  /** Undefined when the commit has no such file. */
  readFile(ref: string, path: string): Promise<Uint8Array | undefined>;
  /** Writes the files of a commit, or those below some paths, into a new or empty folder. */
  exportTree(ref: string, folder: string, paths?: readonly string[]): Promise<void>;
  state(paths: readonly string[]): Promise<WorkState>;
  /** Sha of the new commit, which the branch then points to. Runs no hook and signs nothing. */
  commitFiles(options: NewCommit): Promise<string>;
  /** Names. */
  remotes(): Promise<readonly string[]>;
  remoteUrl(remote: string): Promise<string | undefined>;
  /** Replaces the branch of the remote only while that is at `expected`; absent: it must not exist there. */
  push(remote: string, branch: string, expected?: string): Promise<void>;
  /** Sha of a branch or tag of the remote, whose commits this clone then has. */
  fetch(remote: string, ref: string): Promise<string>;
  /** The same; undefined if the remote has no such branch. */
  fetchBranch(remote: string, branch: string): Promise<string | undefined>;
}

/** The repository that a folder is in, also a bare one or a linked work tree. */
export async function openRepository(folder: string): Promise<Repository> {
  const git = await findGit(folder);
  return {
    root: git.root,
    head: () => head(git),
    commitOf: (ref, choice) => commitOf(git, ref, choice),
    branchTip: (branch) => branchTip(git, branch),
    isShallow: async () => git.isShallow,
    defaultBranch: (remote) => defaultBranch(git, remote),
    isAncestor: (older, newer) => isAncestor(git, older, newer),
    mergeBase: (a, b) => mergeBase(git, a, b),
    log: (from, to, limit) => log(git, from, to, limit),
    pathHistory: (ref, paths, limit) => pathHistory(git, ref, paths, limit),
    changes: (base, tip) => changes(git, base, tip),
    readFile: (ref, path) => readFile(git, ref, path),
    exportTree: (ref, into, paths) => exportTree(git, ref, into, paths),
    state: (paths) => workState(git, paths),
    commitFiles: (options) => commitFiles(git, options),
    remotes: () => remotes(git),
    remoteUrl: (remote) => remoteUrl(git, remote),
    push: (remote, branch, expected) => push(git, remote, branch, expected),
    fetch: (remote, ref) => fetchRef(git, remote, ref),
    fetchBranch: (remote, branch) => fetchBranch(git, remote, branch),
  };
}

async function findGit(folder: string): Promise<Git> {
  // A bare repository refuses the last question.
  const all = await runGit(folder, ['rev-parse', '--absolute-git-dir', '--is-shallow-repository', '--show-toplevel']);
  if (all.stdout.length === 0) throw gitFailed(`${folder} is not in a git repository`, all);
  const [gitDir = '', shallow = '', root, ...more] = lineOf(all.stdout).split('\n');
  const isWhole = more.length === 0 && /^(?:true|false)$/.test(shallow) && (all.code === 0) === (root !== undefined);
  return isWhole ? gitIn(root ?? gitDir, gitDir, shallow === 'true') : oneByOne(folder);
}

/** For a path with a line break. */
async function oneByOne(folder: string): Promise<Git> {
  const gitDir = lineOf((await runGit(folder, ['rev-parse', '--absolute-git-dir'])).stdout);
  const top = await runGit(folder, ['rev-parse', '--show-toplevel']);
  const shallow = await runGit(folder, ['rev-parse', '--is-shallow-repository']);
  return gitIn(top.code === 0 ? lineOf(top.stdout) : gitDir, gitDir, lineOf(shallow.stdout) === 'true');
}

function lineOf(output: Buffer): string {
  return output.toString('utf8').replace(/\n$/, '');
}

/** The repository that a folder is in, and the path from its top to the folder, which ends in a slash unless it is empty. */
export async function repositoryAt(
  folder: string,
): Promise<{ readonly repository: Repository; readonly prefix: string }> {
  const repository = await openRepository(folder);
  const path = relative(realpathSync(repository.root), realpathSync(folder)).split(sep).join('/');
  return { repository, prefix: path === '' ? '' : `${path}/` };
}

interface Identity {
  readonly name?: string;
  readonly email?: string;
}

/** The git user of a folder; empty if not configured. */
export async function identityIn(folder: string): Promise<Identity> {
  const text = await askedIdentity(folder);
  const [, name = '', email = ''] = /^(.*?) ?<([^>]*)>/.exec(text) ?? [];
  return { ...(name === '' ? {} : { name }), ...(email === '' ? {} : { email }) };
}

async function askedIdentity(folder: string): Promise<string> {
  try {
    const answer = await runGit(folder, ['-c', 'user.useConfigOnly=true', 'var', 'GIT_AUTHOR_IDENT']);
    return answer.code === 0 ? answer.stdout.toString('utf8') : '';
  } catch {
    return '';
  }
}
