import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined, didYouMean, EchelonError } from '../../../base/index.ts';
import type { Repository } from '../../../clients/git/index.ts';
import { PROMOTION_FILE } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

export interface Base {
  readonly commit: string;
  /** Where the merge request goes; absent where only a commit is made. */
  readonly branch: string;
  /** Of the remote; absent when the repository has no such remote. */
  readonly remoteUrl?: string;
}

export interface BaseFlags {
  readonly remote: string;
  readonly targetBranch?: string;
  readonly fromHead?: boolean;
}

const USUAL_REMOTE = 'origin';

/** The commit that a promotion starts from: the target branch as the remote has it now, else as it is here. */
export async function baseOf(repository: Repository, flags: BaseFlags, configured: string | undefined): Promise<Base> {
  const remoteUrl = await repository.remoteUrl(flags.remote);
  if (remoteUrl === undefined) await requireNoOther(repository, flags.remote);
  const branch =
    flags.targetBranch ??
    configured ??
    (await namingTheFlag(defaultBranch(repository, flags.remote, remoteUrl), 'DEFAULT_BRANCH_UNKNOWN'));
  const place = { branch, ...defined({ remoteUrl }) };
  if (flags.fromHead === true) return { ...place, commit: (await repository.head()).commit };
  const commit = remoteUrl === undefined ? repository.commitOf(branch) : repository.fetch(flags.remote, branch);
  return { ...place, commit: await namingTheFlag(commit, 'REF_UNKNOWN') };
}

/** A clone without any remote ends with the branch; one that has others was asked for the wrong one. */
async function requireNoOther(repository: Repository, remote: string): Promise<void> {
  const names = await repository.remotes();
  if (names.length === 0 && remote === USUAL_REMOTE) return;
  const all = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  throw new EchelonError({
    code: 'REMOTE_UNKNOWN',
    message: `${repository.root} has no remote ${remote}; ${all}. Nothing was changed`,
    hint: didYouMean(remote, names, 'name the remote with --remote'),
  });
}

/** What is wrong with a branch that nobody named is set right by naming one. */
async function namingTheFlag<T>(answer: Promise<T>, code: string): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    if (!(thrown instanceof EchelonError) || thrown.code !== code) throw thrown;
    const { message, hint } = thrown;
    throw new EchelonError({
      code,
      message,
      hint: `${hint}; the branch that the promotion is for is named with --target-branch, or as targetBranch in ${PROMOTION_FILE}`,
    });
  }
}

async function defaultBranch(repository: Repository, remote: string, url: string | undefined): Promise<string> {
  if (url !== undefined) return repository.defaultBranch(remote);
  const { branch } = await repository.head();
  if (branch !== undefined) return branch;
  throw new EchelonError({
    code: 'TARGET_BRANCH_UNKNOWN',
    message: `${repository.root} has no remote ${remote} and no branch is checked out`,
    hint: 'name the branch that the promotion is for with --target-branch',
  });
}

/** Runs something on the files of a commit, which are gone afterwards. */
export async function withTree<T>(
  io: Io,
  repository: Repository,
  { commit, prefix }: { readonly commit: string; readonly prefix: string },
  use: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'echelon-promote-'));
  try {
    const paths = ['data', 'resources', '.env', PROMOTION_FILE].map((path) => `${prefix}${path}`);
    await repository.exportTree(commit, join(folder, 'tree'), paths);
    return await use(await openWorkspace(io, join(folder, 'tree', prefix), { describe: async () => undefined }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
