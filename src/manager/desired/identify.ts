import { objectName, workloadOf } from '../../sharding/index.ts';
import { type KubeObject, objectKey } from './desired-namespace.ts';
import type { ManagedShards, NamespaceGroup } from './group.ts';
import { identityOf, isWorkload, type ShardIdentity, withIdentity } from './identity.ts';

/** Renders a part of a group; the keys of the objects that the chart writes for it. */
export type RenderKeys = (group: NamespaceGroup) => Promise<ReadonlySet<string>>;

/**
 * Every workload of a group with the shard that it is for. A chart that names objects as Echelon does is known by names; of
 * others it is found out by rendering parts of the group: what a part writes is for one of its shards.
 */
export async function identified(
  group: NamespaceGroup,
  objects: readonly KubeObject[],
  renderKeys: RenderKeys,
): Promise<KubeObject[]> {
  const known = byName(group);
  const isUnknown = (object: KubeObject): boolean =>
    isWorkload(object) && identityOf(object) === undefined && !known.has(objectKey(object));
  const unknown = objects.filter(isUnknown).map(objectKey);
  const found = unknown.length === 0 ? new Map<string, ShardIdentity>() : await byParts(group, unknown, renderKeys);
  return objects.map((object) => {
    const identity = known.get(objectKey(object)) ?? found.get(objectKey(object));
    const isSet = !isWorkload(object) || identity === undefined || identityOf(object) !== undefined;
    return isSet ? object : withIdentity(object, identity);
  });
}

function byName(group: NamespaceGroup): Map<string, ShardIdentity> {
  return new Map(
    shardsOf(group).map(({ managed: { integration, entry, shards }, at, identity }) => {
      const shard = shards[at];
      return [`${workloadOf(entry)}/${shard === undefined ? '' : objectName(integration, shard)}`, identity];
    }),
  );
}

interface OneShard {
  readonly managed: ManagedShards;
  /** Its place among the shards of the entry. */
  readonly at: number;
  readonly identity: ShardIdentity;
}

function shardsOf({ namespace, entries }: NamespaceGroup): OneShard[] {
  return entries.flatMap((managed) =>
    managed.shards.map((shard, at) => ({
      managed,
      at,
      identity: {
        integration: managed.integration.name,
        shard: shard.name,
        environment: namespace.environment.name,
      },
    })),
  );
}

/**
 * Halves the shards by each bit of their number: an object is written for exactly one half each time, and which halves they
 * were is the number of its shard. A fleet of a thousand shards takes twenty renders. What is in both halves or in none is
 * of no single shard.
 */
async function byParts(
  group: NamespaceGroup,
  unknown: readonly string[],
  renderKeys: RenderKeys,
): Promise<Map<string, ShardIdentity>> {
  const shards = shardsOf(group);
  const numbers = new Map(unknown.map((key) => [key, 0]));
  for (let bit = 1; bit < shards.length; bit *= 2) {
    const isUpper = (_: OneShard, number: number): boolean => (number & bit) !== 0;
    const upper = await renderKeys(partOf(group, shards.filter(isUpper)));
    const lower = await renderKeys(
      partOf(
        group,
        shards.filter((one, number) => !isUpper(one, number)),
      ),
    );
    for (const [key, number] of numbers) {
      if (upper.has(key) === lower.has(key)) numbers.delete(key);
      else if (upper.has(key)) numbers.set(key, number | bit);
    }
  }
  return new Map(
    [...numbers].flatMap(([key, number]) => {
      const identity = shards[number]?.identity;
      return identity === undefined ? [] : [[key, identity] as const];
    }),
  );
}

function partOf(group: NamespaceGroup, part: readonly OneShard[]): NamespaceGroup {
  const entries = group.entries.map((managed) => ({
    ...managed,
    shards: managed.shards.filter((_, at) => part.some((one) => one.managed === managed && one.at === at)),
  }));
  return { ...group, entries: entries.filter(({ shards }) => shards.length > 0) };
}
