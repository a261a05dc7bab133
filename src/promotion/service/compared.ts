import { join } from 'node:path';
import { EchelonError } from '../../base/index.ts';
import type { Repository } from '../ports.ts';

type CommittedChange = Awaited<ReturnType<Repository['changes']>>[number];

import type { CheckReport } from '../pr-check/report.ts';
import type { CheckFilesPort, PrCheckPorts } from './check-ports.ts';
import type { ComparedRequest } from './check-requests.ts';

/** The two sides of a PR check. */
export interface Compared {
  readonly repository: Repository;
  /** The instance in the work tree. */
  readonly root: string;
  /** The same relative to the repository root, with slashes; empty for the root. */
  readonly folder: string;
  readonly base: CheckReport['base'] & { readonly commit: string };
  /** The working tree if it has no commit. */
  readonly head: CheckReport['head'];
  readonly changes: readonly CommittedChange[];
}

export async function compare(
  { git, files }: Pick<PrCheckPorts, 'git' | 'files'>,
  root: string,
  request: ComparedRequest,
): Promise<Compared> {
  if (!files.exists(root)) throw noFolder(root);
  const { repository, prefix } = await git.repositoryAt(root);
  const worktree = request.worktree === true || request.head === '.';
  const tip = worktree ? (await repository.head()).commit : await repository.commitOf(request.head ?? 'HEAD');
  const base = await checkBase(repository, request, tip);
  const committed = await repository.changes(base.commit, tip);
  return {
    repository,
    root,
    folder: prefix.replace(/\/$/, ''),
    base,
    head: worktree ? { ref: 'working tree' } : { ref: request.head ?? 'HEAD', commit: tip },
    changes: worktree ? await withUncommitted(files, repository, base.commit, committed) : committed,
  };
}

/** The given base, else the merge base with the remote's default branch. */
async function checkBase(
  repository: Repository,
  { base, remote }: ComparedRequest,
  tip: string,
): Promise<Compared['base']> {
  if (base !== undefined) return { ref: base, commit: await repository.commitOf(base) };
  const branch = await repository.defaultBranch(remote);
  const target = await repository.commitOf(`refs/remotes/${remote}/${branch}`).catch(() => branch);
  const commit = await repository.mergeBase(target, tip);
  if (commit !== undefined) return { ref: branch, commit };
  throw new EchelonError({
    code: 'BASE_UNKNOWN',
    message: `${repository.root}: ${branch} and the head have no common ancestor`,
    hint: 'pass the commit to compare with as --base, or fetch the full history',
  });
}

/** Committed changes combined with those in the working tree. */
async function withUncommitted(
  files: CheckFilesPort,
  repository: Repository,
  base: string,
  committed: readonly CommittedChange[],
): Promise<CommittedChange[]> {
  const before = new Map<string, boolean>();
  for (const { path, change, from } of committed) {
    before.set(path, change === 'modified' || change === 'deleted');
    if (from !== undefined) before.set(from, true);
  }
  for (const path of (await repository.state([])).dirty) {
    if (!before.has(path)) before.set(path, (await repository.readFile(base, path)) !== undefined);
  }
  return [...before].flatMap(([path, was]): CommittedChange[] => {
    const is = files.exists(join(repository.root, path));
    if (!was && !is) return [];
    return [{ path, change: was ? (is ? 'modified' : 'deleted') : 'added' }];
  });
}

function noFolder(root: string): EchelonError {
  return new EchelonError({
    code: 'INSTANCE_NOT_FOUND',
    message: `${root} does not exist`,
    hint: 'pass the instance folder in a git repository with --data',
  });
}
