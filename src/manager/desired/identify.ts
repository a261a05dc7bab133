import { objectName, workloadOf } from '../../sharding/index.ts';
import { type KubeObject, objectKey } from './desired-namespace.ts';
import type { ManagedShards, NamespaceGroup } from './group.ts';
import { identityOf, isWorkload, type ShardIdentity, withIdentity } from './identity.ts';

/** Renders part of a group and returns the keys of the rendered objects. */
export type RenderKeys = (group: NamespaceGroup) => Promise<ReadonlySet<string>>;

/**
 * Every workload of a group with its shard. If a chart names objects as Echelon does, names identify the shard; otherwise
 * parts of the group are rendered separately: an object rendered for a part belongs to one of its shards.
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

/** An entry some of whose shards do not have exactly one workload. */
export interface ShardFault {
  readonly managed: ManagedShards;
  readonly shards: readonly {
    readonly name: string;
    /** How many shards have this identity: zones of two accounts may share it. */
    readonly asked: number;
    /** The keys of the workloads that carry it. */
    readonly workloads: readonly string[];
  }[];
}

/**
 * The entries of a group that lack a workload for a shard or have one too many, by the identities on the objects alone. An
 * object that carries the identity of none of the shards does not matter.
 */
export function shardFaults(group: NamespaceGroup, objects: readonly KubeObject[]): ShardFault[] {
  const found = Map.groupBy(objects.filter(isWorkload), (object) => identityKey(identityOf(object)));
  const asked = Map.groupBy(shardsOf(group), ({ identity }) => identityKey(identity));
  const wrong = [...asked].flatMap(([key, shards]) => {
    const workloads = found.get(key) ?? [];
    return shards.length === workloads.length ? [] : shards.slice(0, 1).map((first) => ({ first, shards, workloads }));
  });
  return [...Map.groupBy(wrong, ({ first }) => first.managed)].map(([managed, faults]) => ({
    managed,
    shards: faults.map(({ first, shards, workloads }) => ({
      name: first.identity.shard,
      asked: shards.length,
      workloads: workloads.map(objectKey),
    })),
  }));
}

function identityKey(identity: ShardIdentity | undefined): string | undefined {
  return identity && JSON.stringify([identity.integration, identity.shard, identity.environment]);
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
  /** Its index among the entry's shards. */
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
 * Splits the shards by each bit of their index: an object is rendered for exactly one half each time, and those halves give
 * the index of its shard. A thousand shards take twenty renders; a single shard takes one, without any. An object in both
 * halves or in none belongs to no single shard.
 */
async function byParts(
  group: NamespaceGroup,
  unknown: readonly string[],
  renderKeys: RenderKeys,
): Promise<Map<string, ShardIdentity>> {
  const shards = shardsOf(group);
  const numbers = new Map(unknown.map((key) => [key, 0]));
  const keysFor = async (part: readonly OneShard[]): Promise<ReadonlySet<string>> =>
    part.length === shards.length ? new Set(unknown) : renderKeys(partOf(group, part));
  for (let bit = 1; bit === 1 || bit < shards.length; bit *= 2) {
    const upper = await keysFor(shards.filter((_, number) => (number & bit) !== 0));
    const lower = await keysFor(shards.filter((_, number) => (number & bit) === 0));
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
