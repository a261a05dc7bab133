import type { KubeObject } from '../desired/desired-namespace.ts';
import { targetOf } from '../desired/group.ts';
import { identityOf } from '../desired/identity.ts';
import type { UnrenderedShard } from '../plan/moves.ts';
import { placeOf } from '../plan/places.ts';
import type { DesiredFleet } from './fleet.ts';

/** Declared shards without an object, because their namespace could not be rendered completely. */
export function unrenderedShards({ groups, rendered }: Pick<DesiredFleet, 'groups' | 'rendered'>): UnrenderedShard[] {
  const errors = new Map(rendered.failures.map(({ target, error }) => [target, error]));
  const found = new Map(rendered.namespaces.map((namespace) => [placeOf(namespace), namespace.objects]));
  return groups.flatMap(({ namespace, entries }) => {
    const error = errors.get(targetOf(namespace));
    if (error === undefined) return [];
    const known = new Set((found.get(targetOf(namespace)) ?? []).map(shardOf));
    const place = { cluster: namespace.cluster.name, namespace: namespace.name, error };
    return entries.flatMap(({ integration, shards }) =>
      shards
        .filter((shard) => !known.has(JSON.stringify([integration.name, shard.name])))
        .map((shard) => ({
          ...place,
          integration: integration.name,
          shard: shard.name,
          environment: namespace.environment.name,
        })),
    );
  });
}

function shardOf(object: KubeObject): string {
  const identity = identityOf(object);
  return JSON.stringify([identity?.integration, identity?.shard]);
}
