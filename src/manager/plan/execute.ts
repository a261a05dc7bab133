import { EchelonError, mapLimited } from '../../base/index.ts';
import type { ClusterApi, Connect } from './cluster-api.ts';
import { changesOf, type FleetPlan } from './fleet-plan.ts';
import { isConnectionError } from './observe.ts';
import { placeOf } from './places.ts';
import type { ObjectName, PlanItem } from './plan-item.ts';
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
 * deleted, and what is replaced elsewhere is deleted last, so that an old object is not removed before its replacement
 * exists.
 */
export async function executePlan(plan: Pick<FleetPlan, 'items'>, options: ExecuteOptions): Promise<ItemResult[]> {
  const lost = new AbortController();
  const onAbort = (): void => {
    if (options.mayWrite?.() === false) lost.abort(leaseLost());
  };
  options.signal?.addEventListener('abort', onAbort);
  try {
    return await executed(plan, { ...options, lost: lost.signal });
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
  }
}

interface RunOptions extends ExecuteOptions {
  /** Ends reads in the middle of an item when the lease is lost; at a shutdown an item is finished. */
  readonly lost: AbortSignal;
}

async function executed(plan: Pick<FleetPlan, 'items'>, options: RunOptions): Promise<ItemResult[]> {
  const clusters = [...Map.groupBy(changesOf(plan), ({ cluster }) => cluster)].map(([cluster, items]) => ({
    items,
    run: clusterRun(cluster, options),
  }));
  const limit = options.concurrency ?? WRITES_AT_ONCE;
  const first = await mapLimited(clusters, CLUSTERS_AT_ONCE, async ({ items, run }) => {
    const written = await mapLimited(
      items.filter(({ action }) => action !== 'delete'),
      limit,
      (item) => run.write(item),
    );
    const deletions = items.filter((item) => item.action === 'delete' && item.after === undefined);
    return [...written, ...(await mapLimited(deletions, limit, (item) => run.write(item)))];
  });
  const created = new Map(first.flat().map((result) => [idOf(result.item), result]));
  const last = await mapLimited(clusters, CLUSTERS_AT_ONCE, ({ items, run }) =>
    mapLimited(
      items.filter((item) => item.action === 'delete' && item.after !== undefined),
      limit,
      (item) => run.write(item, created),
    ),
  );
  return [...first, ...last].flat();
}

function idOf(object: ObjectName): string {
  return `${placeOf(object)}/${object.kind}/${object.name}`;
}

/** Why an object must stay: one that replaces it was not created. */
function missingReplacement(item: PlanItem, created: ReadonlyMap<string, ItemResult>): EchelonError | undefined {
  const after = item.action === 'delete' ? (item.after ?? []) : [];
  const missing = after.find((object) => created.get(idOf(object))?.outcome !== 'done');
  if (missing === undefined) return undefined;
  const cause = created.get(idOf(missing))?.error ?? interrupted();
  return skipped(`${missing.kind} ${missing.name} was not created in ${placeOf(missing)}`, cause);
}

interface ClusterRun {
  /** `created`: results of the items that a deletion waits for. */
  readonly write: (item: PlanItem, created?: ReadonlyMap<string, ItemResult>) => Promise<ItemResult>;
}

/** Keeps a cluster's errors, so that writes which cannot succeed are not attempted. */
function clusterRun(cluster: string, options: RunOptions): ClusterRun {
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
  const attempt = async (item: PlanItem, created: ReadonlyMap<string, ItemResult>): Promise<ItemResult> => {
    const reason = obstacle(item) ?? missingReplacement(item, created);
    if (reason !== undefined) return { item, outcome: 'skipped', error: reason };
    try {
      api ??= options.connect(cluster);
      await writeItem(asking(await api, options), item, options.sleep);
      return { item, outcome: 'done' };
    } catch (thrown) {
      if (!(thrown instanceof EchelonError)) throw thrown;
      return notWritten(item, thrown);
    }
  };
  return {
    write: async (item, created = new Map()) => {
      const result = await attempt(item, created);
      options.onResult?.(result);
      return result;
    },
  };
}

/** Asks before every request of an item, not only before the first: taking over and recreating are several. */
function asking(api: ClusterApi, { mayWrite = () => true, lost }: RunOptions): ClusterApi {
  const asked = async (): Promise<ClusterApi> => {
    if (!mayWrite()) throw leaseLost();
    return api;
  };
  return {
    list: async (kind, where) => (await asked()).list(kind, { ...where, signal: lost }),
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
