import { EchelonError, mapLimited } from '../../base/index.ts';
import type { ClusterApi, Connect } from './cluster-api.ts';
import { changesOf, type FleetPlan } from './fleet-plan.ts';
import { isConnectionError } from './observe.ts';
import { placeOf } from './places.ts';
import type { PlanItem } from './plan.ts';
import { writeItem } from './write-item.ts';

export interface ItemResult {
  readonly item: PlanItem;
  readonly outcome: 'done' | 'failed' | 'skipped';
  /** Why it failed or was skipped. */
  readonly error?: EchelonError;
}

export interface ExecuteOptions {
  readonly connect: Connect;
  /** False once another manager may be active: nothing more is written. */
  readonly mayWrite?: () => boolean;
  /** On abort, writes in flight are finished and no more are started. */
  readonly signal?: AbortSignal;
  readonly concurrency?: number;
  /** Waits between checks for a deleted object. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly onResult?: (result: ItemResult) => void;
}

const WRITES_AT_ONCE = 10;
const CLUSTERS_AT_ONCE = 20;

/**
 * Applies a plan and nothing else. A failed item does not stop the others; in a namespace with a failed write nothing is
 * deleted, so that an old object is not removed before its replacement exists.
 */
export async function executePlan(plan: Pick<FleetPlan, 'items'>, options: ExecuteOptions): Promise<ItemResult[]> {
  const clusters = [...Map.groupBy(changesOf(plan), ({ cluster }) => cluster)];
  const results = await mapLimited(clusters, CLUSTERS_AT_ONCE, ([cluster, items]) =>
    executeCluster(cluster, items, options),
  );
  return results.flat();
}

async function executeCluster(
  cluster: string,
  items: readonly PlanItem[],
  options: ExecuteOptions,
): Promise<ItemResult[]> {
  const run = clusterRun(cluster, options);
  const writes = items.filter(({ action }) => action !== 'delete');
  const deletions = items.filter(({ action }) => action === 'delete');
  const limit = options.concurrency ?? WRITES_AT_ONCE;
  const written = await mapLimited(writes, limit, run.write);
  const deleted = await mapLimited(deletions, limit, run.write);
  return [...written, ...deleted];
}

interface ClusterRun {
  readonly write: (item: PlanItem) => Promise<ItemResult>;
}

/** Keeps a cluster's errors, so that writes which cannot succeed are not attempted. */
function clusterRun(cluster: string, options: ExecuteOptions): ClusterRun {
  let api: Promise<ClusterApi> | undefined;
  let down: EchelonError | undefined;
  const failed = new Map<string, EchelonError>();
  const obstacle = (item: PlanItem): EchelonError | undefined => {
    if (options.signal?.aborted) return interrupted();
    if (options.mayWrite?.() === false) return leaseLost();
    if (down !== undefined) return skipped(`${cluster} is not reachable`, down);
    const before = failed.get(placeOf(item));
    if (before?.code === 'KUBE_NO_NAMESPACE') return skipped(`the namespace ${placeOf(item)} does not exist`, before);
    return before !== undefined && item.action === 'delete'
      ? skipped(`another object of ${placeOf(item)} could not be written`, before)
      : undefined;
  };
  const notWritten = (item: PlanItem, error: EchelonError): ItemResult => {
    if (error.code === 'LEASE_LOST') return { item, outcome: 'skipped', error };
    if (isConnectionError(error)) down = error;
    failed.set(placeOf(item), error);
    return { item, outcome: 'failed', error };
  };
  const attempt = async (item: PlanItem): Promise<ItemResult> => {
    const reason = obstacle(item);
    if (reason !== undefined) return { item, outcome: 'skipped', error: reason };
    try {
      api ??= options.connect(cluster);
      await writeItem(asking(await api, options.mayWrite), item, options.sleep);
      return { item, outcome: 'done' };
    } catch (thrown) {
      if (!(thrown instanceof EchelonError)) throw thrown;
      return notWritten(item, thrown);
    }
  };
  return {
    write: async (item) => {
      const result = await attempt(item);
      options.onResult?.(result);
      return result;
    },
  };
}

/** Asks before every request of an item, not only before the first: taking over and recreating are several. */
function asking(api: ClusterApi, mayWrite: () => boolean = () => true): ClusterApi {
  const asked = async (): Promise<ClusterApi> => {
    if (!mayWrite()) throw leaseLost();
    return api;
  };
  return {
    list: async (kind, where) => (await asked()).list(kind, where),
    apply: async (object, how) => (await asked()).apply(object, how),
    patch: async (id, operations) => (await asked()).patch(id, operations),
    remove: async (id, how) => (await asked()).remove(id, how),
  };
}

function interrupted(): EchelonError {
  return new EchelonError({ code: 'INTERRUPTED', message: 'interrupted', hint: 'run the command again to continue' });
}

function leaseLost(): EchelonError {
  return new EchelonError({
    code: 'LEASE_LOST',
    message: 'lease lost: another manager may be active',
    hint: 'no action needed: the current lease holder continues',
  });
}

function skipped(why: string, cause: EchelonError): EchelonError {
  return new EchelonError({ code: 'SKIPPED', message: `not attempted: ${why}`, hint: cause.hint, cause });
}
