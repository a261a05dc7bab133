import { changes } from './changes.ts';
import { commitFiles } from './commit-files.ts';
import { exportTree } from './export-tree.ts';
import { gitFailed } from './git-error.ts';
import { type Git, gitIn } from './git-runner.ts';
import { isAncestor, log, mergeBase } from './history.ts';
import { commitOf, defaultBranch, head } from './refs.ts';
import { fetchRef, push, remoteUrl } from './remote.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';
import { readFile } from './tree.ts';
import { workState } from './work-state.ts';

/** The repository that a folder is in, also a bare one or a linked work tree. */
export async function openRepository(folder: string): Promise<Repository> {
  const git = await findGit(folder);
  return {
    root: git.root,
    head: () => head(git),
    commitOf: (ref) => commitOf(git, ref),
    defaultBranch: (remote) => defaultBranch(git, remote),
    isAncestor: (older, newer) => isAncestor(git, older, newer),
    mergeBase: (a, b) => mergeBase(git, a, b),
    log: (from, to, limit) => log(git, from, to, limit),
    changes: (base, tip) => changes(git, base, tip),
    readFile: (ref, path) => readFile(git, ref, path),
    exportTree: (ref, into, paths) => exportTree(git, ref, into, paths),
    state: (paths) => workState(git, paths),
    commitFiles: (options) => commitFiles(git, options),
    remoteUrl: (remote) => remoteUrl(git, remote),
    push: (remote, branch, expected) => push(git, remote, branch, expected),
    fetch: (remote, ref) => fetchRef(git, remote, ref),
  };
}

async function findGit(folder: string): Promise<Git> {
  const found = await runGit(folder, ['rev-parse', '--absolute-git-dir']);
  if (found.code !== 0) throw gitFailed(`${folder} is in no git repository`, found);
  const gitDir = lineOf(found.stdout);
  const top = await runGit(folder, ['rev-parse', '--show-toplevel']);
  return gitIn(top.code === 0 ? lineOf(top.stdout) : gitDir, gitDir);
}

function lineOf(output: Buffer): string {
  return output.toString('utf8').replace(/\n$/, '');
}
