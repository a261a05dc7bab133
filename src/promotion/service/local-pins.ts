import { EchelonError } from '../../base/index.ts';
import type { ShardMove } from '../plan/shard-moves.ts';
import { heldOnlyHere } from '../plan/unmerged-pins.ts';
import type { PromotionPorts, Repository } from '../ports.ts';
import { openWorkspace, withTree } from './workspace.ts';

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
