import { defined, type EchelonError } from '../../base/index.ts';
import { type DesiredNamespace, type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import { identityOf, isWorkload, type ShardIdentity } from '../desired/identity.ts';
import type { Observed } from './observed-item.ts';
import { labelValue } from './ownership-labels.ts';
import { placeOf } from './places.ts';
import { type ObjectName, type PlanItem, withheld } from './plan-item.ts';

/** A shard that is declared, but could not be rendered. */
export interface UnrenderedShard extends ShardIdentity {
  readonly cluster: string;
  readonly namespace: string;
  readonly error: EchelonError;
}

type Deletion = PlanItem & { readonly action: 'delete' };

/** Where a shard is declared. */
interface Declared {
  readonly cluster: string;
  readonly namespace: string;
  readonly environment: string;
  /** The item of its object; absent if its place was not observed or it could not be rendered. */
  readonly item?: PlanItem;
  readonly error?: EchelonError;
}

/** What a deletion waits for. */
type Wait = { readonly after: readonly ObjectName[] } | { readonly reason: string; readonly hint: string };

/**
 * An object that goes because its shard is declared elsewhere is deleted only after it was created there: within a pass after
 * the creation; not at all while the other place cannot be observed or written. Created, not ready: two of one reconciler
 * must not run side by side for long. What belongs to the namespace, such as its Service, goes last.
 */
export function deletionsAfterMoves(
  items: readonly PlanItem[],
  desired: readonly DesiredNamespace[],
  observed: Observed,
  unrendered: () => readonly UnrenderedShard[] = () => [],
): readonly PlanItem[] {
  const deletions = items.filter((item): item is Deletion => item.action === 'delete');
  if (deletions.length === 0) return items;
  const declared = declaredShards(items, desired, unrendered());
  const waits = new Map<PlanItem, Wait>();
  for (const item of deletions) {
    const wait = waitOf(item, observed, declared);
    if (wait !== undefined) waits.set(item, wait);
  }
  if (waits.size === 0) return items;
  const places = Map.groupBy([...waits], ([item]) => placeOf(item));
  return items.map((item) => {
    if (item.action !== 'delete') return item;
    const wait = waits.get(item) ?? (isWorkload(item) ? undefined : ofPlace(places.get(placeOf(item)) ?? []));
    if (wait === undefined) return item;
    return 'after' in wait ? deletedAfter(item, wait.after) : withheld(item, wait.reason, wait.hint);
  });
}

function ofPlace(waits: readonly (readonly [PlanItem, Wait])[]): Wait | undefined {
  if (waits.length === 0) return undefined;
  const never = waits.map(([, wait]) => wait).find((wait) => 'reason' in wait);
  return never ?? { after: waits.flatMap(([, wait]) => ('after' in wait ? wait.after : [])) };
}

function deletedAfter(item: Deletion, after: readonly ObjectName[]): PlanItem {
  const places = [...new Set(after.map(placeOf))].join(', ');
  return { ...item, after, reason: `it moves to ${places}; deleted after it was created there` };
}

function declaredShards(
  items: readonly PlanItem[],
  desired: readonly DesiredNamespace[],
  unrendered: readonly UnrenderedShard[],
): ReadonlyMap<string, readonly Declared[]> {
  const planned = new Map(items.map((item) => [idOf(item), item]));
  const rendered = desired.flatMap(({ cluster, namespace, environment, objects }) =>
    objects.flatMap((object) =>
      shardKeys(object).map((key) => {
        const item = planned.get(idOf({ cluster, namespace, kind: object.kind, name: object.metadata.name }));
        return { key, place: { cluster, namespace, environment: labelValue(environment), ...defined({ item }) } };
      }),
    ),
  );
  const lost = unrendered.map((shard) => {
    const { cluster, namespace, environment, error } = shard;
    return { key: identityKey(shard), place: { cluster, namespace, environment: labelValue(environment), error } };
  });
  const places = Map.groupBy<string, { readonly key: string; readonly place: Declared }>(
    [...rendered, ...lost],
    ({ key }) => key,
  );
  return new Map([...places].map(([key, own]) => [key, own.map(({ place }) => place)]));
}

const EXISTING: ReadonlySet<PlanItem['action']> = new Set(['keep', 'update', 'adopt', 'recreate']);

function waitOf(
  item: Deletion,
  observed: Observed,
  declared: ReadonlyMap<string, readonly Declared[]>,
): Wait | undefined {
  const { live, environment } = observed(item);
  const key = live === undefined ? undefined : shardKeys(live)[0];
  const places = (key === undefined ? [] : (declared.get(key) ?? [])).filter(
    (place) => environment === undefined || place.environment === environment,
  );
  const after = places.flatMap((place) => (place.item?.action === 'create' ? [nameOf(place.item)] : []));
  if (after.length > 0) return { after };
  const [first] = places;
  if (first === undefined || places.some((place) => place.item !== undefined && EXISTING.has(place.item.action))) {
    return undefined;
  }
  return {
    reason: `it moves to ${placeOf(first)}, ${obstacleAt(first)}; it stays until it was created there`,
    hint: HINT,
  };
}

const HINT = 'fix the place that it moves to, or restore the old declaration';

function obstacleAt({ item, error }: Declared): string {
  if (error !== undefined) return 'which could not be rendered';
  return item === undefined ? 'which could not be observed' : `where ${item.kind} ${item.name} cannot be created`;
}

/**
 * A shard that moves to another name, namespace or cluster is one deletion and one creation. While the deletion is withheld,
 * the creation waits, so that a reconciler does not run twice.
 */
export function creationsWithDeletions(items: readonly PlanItem[], observed: Observed): readonly PlanItem[] {
  const staying = new Map(
    items.flatMap((item) => {
      if (item.action !== 'withhold' || item.withholds !== 'delete') return [];
      const { live } = observed(item);
      return live === undefined
        ? []
        : shardKeys(live)
            .slice(0, 1)
            .map((key) => [key, item] as const);
    }),
  );
  if (staying.size === 0) return items;
  const waiting = items.map((item) => {
    const old =
      item.action === 'create' ? shardKeys(item.object).flatMap((key) => staying.get(key) ?? [])[0] : undefined;
    if (old === undefined) return item;
    const reason = `it replaces ${old.kind} ${old.name} in ${placeOf(old)}, whose deletion is withheld`;
    return withheld(item, reason, old.hint);
  });
  return withoutUncreated(waiting);
}

/** Other objects that the same creations replace stay with them. */
function withoutUncreated(items: readonly PlanItem[]): readonly PlanItem[] {
  const waiting = new Map(items.flatMap((item) => (item.action === 'withhold' ? [[idOf(item), item] as const] : [])));
  return items.map((item) => {
    const after = item.action === 'delete' ? (item.after ?? []) : [];
    const missing = after.flatMap((object) => waiting.get(idOf(object)) ?? [])[0];
    if (missing === undefined) return item;
    const reason = `it moves to ${placeOf(missing)}, where ${missing.kind} ${missing.name} is withheld`;
    return withheld(item, reason, missing.hint);
  });
}

/** How a workload's shard is recognised: by its identity if it has one, else, as with other managers' objects, by name. */
function shardKeys(object: KubeObject): string[] {
  if (!isWorkload(object)) return [];
  const identity = identityOf(object);
  const name = `name ${objectKey(object)}`;
  return identity === undefined ? [name] : [identityKey(identity), name];
}

function identityKey({ integration, shard, environment }: ShardIdentity): string {
  return JSON.stringify([integration, shard, environment]);
}

function nameOf({ cluster, namespace, kind, name }: PlanItem): ObjectName {
  return { cluster, namespace, kind, name };
}

function idOf(object: ObjectName): string {
  return `${placeOf(object)}/${object.kind}/${object.name}`;
}
