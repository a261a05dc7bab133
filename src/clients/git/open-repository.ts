import { changes } from './changes.ts';
import { commitFiles } from './commit-files.ts';
import { exportTree } from './export-tree.ts';
import { gitFailed } from './git-error.ts';
import { type Git, gitIn } from './git-runner.ts';
import { isAncestor, log, mergeBase, pathHistory } from './history.ts';
import { branchTip, commitOf, defaultBranch, head } from './refs.ts';
import { fetchBranch, fetchRef, push, remotes, remoteUrl } from './remote.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';
import { isShallow } from './shallow.ts';
import { readFile } from './tree.ts';
import { workState } from './work-state.ts';

/** The repository that a folder is in, also a bare one or a linked work tree. */
export async function openRepository(folder: string): Promise<Repository> {
  const git = await findGit(folder);
  return {
    root: git.root,
    head: () => head(git),
    commitOf: (ref) => commitOf(git, ref),
    branchTip: (branch) => branchTip(git, branch),
    isShallow: () => isShallow(git),
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
  // A bare repository answers the first question and refuses the second.
  const both = await runGit(folder, ['rev-parse', '--absolute-git-dir', '--show-toplevel']);
  if (both.stdout.length === 0) throw gitFailed(`${folder} is not in a git repository`, both);
  const [gitDir = '', root = gitDir, ...more] = lineOf(both.stdout).split('\n');
  const isWhole = more.length === 0 && (both.code === 0) === (root !== gitDir);
  return isWhole ? gitIn(root, gitDir) : oneByOne(folder);
}

/** For a path with a line break. */
async function oneByOne(folder: string): Promise<Git> {
  const gitDir = lineOf((await runGit(folder, ['rev-parse', '--absolute-git-dir'])).stdout);
  const top = await runGit(folder, ['rev-parse', '--show-toplevel']);
  return gitIn(top.code === 0 ? lineOf(top.stdout) : gitDir, gitDir);
}

function lineOf(output: Buffer): string {
  return output.toString('utf8').replace(/\n$/, '');
}
