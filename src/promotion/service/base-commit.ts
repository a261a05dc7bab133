import { defined, didYouMean, EchelonError } from '../../base/index.ts';
import { heldOnlyHere, type ShardMove } from '../plan/shard-moves.ts';
import type { PromotionPorts, Repository } from '../ports.ts';
import { PROMOTION_FILE } from '../targets/promotion-file.ts';
import { openWorkspace, withTree } from './workspace.ts';

export interface BaseCommit {
  readonly commit: string;
  /** The target branch; absent if only a commit is created. */
  readonly branch: string;
  /** The remote's URL; absent if the repository has no such remote. */
  readonly remoteUrl?: string;
}

interface BaseRequest {
  readonly remote: string;
  readonly targetBranch?: string;
  readonly fromHead?: boolean;
}

const USUAL_REMOTE = 'origin';

/** The base commit of a promotion: the target branch on the remote, else in this clone. */
export async function baseOf(
  repository: Repository,
  request: BaseRequest,
  configured: string | undefined,
): Promise<BaseCommit> {
  const remoteUrl = await repository.remoteUrl(request.remote);
  if (remoteUrl === undefined) await requireNoOther(repository, request.remote);
  const branch =
    request.targetBranch ??
    configured ??
    (await withBranchHint(defaultBranch(repository, request.remote, remoteUrl), 'DEFAULT_BRANCH_UNKNOWN'));
  const place = { branch, ...defined({ remoteUrl }) };
  if (request.fromHead === true) return { ...place, commit: (await repository.head()).commit };
  const commit = remoteUrl === undefined ? repository.commitOf(branch) : repository.fetch(request.remote, branch);
  return { ...place, commit: await withBranchHint(commit, 'REF_UNKNOWN') };
}

/** A clone without remotes only gets the branch; if it has other remotes, the given one is a mistake. */
async function requireNoOther(repository: Repository, remote: string): Promise<void> {
  const names = await repository.remotes();
  if (names.length === 0 && remote === USUAL_REMOTE) return;
  const all = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  throw new EchelonError({
    code: 'REMOTE_UNKNOWN',
    message: `${repository.root} has no remote ${remote}; ${all}. Nothing was changed`,
    hint: didYouMean(remote, names, 'pass the remote with --remote'),
  });
}

/** Suggests --target-branch for errors about a branch that was not given explicitly. */
async function withBranchHint<T>(answer: Promise<T>, code: string): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    if (!(thrown instanceof EchelonError) || thrown.code !== code) throw thrown;
    const { message, hint } = thrown;
    throw new EchelonError({
      code,
      message,
      hint: `${hint}; set the target branch with --target-branch, or as targetBranch in ${PROMOTION_FILE}`,
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
    hint: 'pass the target branch with --target-branch',
  });
}

interface PlannedOn {
  readonly folder: string;
  readonly prefix: string;
  /** The commit that the promotion starts from. */
  readonly commit: string;
}

/** Moving shards that are pinned in the working tree, but not in the commit that the promotion starts from. */
export async function unmergedPins(
  ports: PromotionPorts,
  repository: Repository,
  moving: readonly ShardMove[],
  { folder, prefix, commit }: PlannedOn,
): Promise<ShardMove[]> {
  if (moving.length === 0) return [];
  const [{ commit: head }, { dirty }] = await Promise.all([repository.head(), repository.state([`${prefix}data`])]);
  const shared = head === commit ? commit : await sharedCommit(repository, head, commit);
  if (shared === head && dirty.length === 0) return [];
  const { instance: here } = await openWorkspace(ports, folder);
  return withTree(ports, repository, { commit: shared, prefix }, async (tree) =>
    heldOnlyHere(moving, { here, shared: tree.instance }),
  );
}

/** A pin that the target branch removed since is in the shared commit. Without one, only the branch itself counts. */
async function sharedCommit(repository: Repository, head: string, commit: string): Promise<string> {
  try {
    return (await repository.mergeBase(head, commit)) ?? commit;
  } catch (thrown) {
    if (thrown instanceof EchelonError && thrown.code === 'HISTORY_SHALLOW') return commit;
    throw thrown;
  }
}
