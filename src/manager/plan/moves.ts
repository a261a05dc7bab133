import { type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import { identityOf, isWorkload } from '../desired/identity.ts';
import type { Observed } from './observed-item.ts';
import { type PlanItem, withheld } from './plan.ts';

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
  return items.map((item) => {
    if (item.action !== 'create') return item;
    const old = shardKeys(item.object).flatMap((key) => staying.get(key) ?? [])[0];
    if (old === undefined) return item;
    const place = `${old.cluster}/${old.namespace}`;
    return withheld(item, `it replaces ${old.kind} ${old.name} in ${place}, whose deletion is withheld`, old.hint);
  });
}

/** How a workload's shard is recognised: by its identity if it has one, else, as with other managers' objects, by name. */
export function shardKeys(object: KubeObject): string[] {
  if (!isWorkload(object)) return [];
  const identity = identityOf(object);
  const name = `name ${objectKey(object)}`;
  if (identity === undefined) return [name];
  return [JSON.stringify([identity.integration, identity.shard, identity.environment]), name];
}
