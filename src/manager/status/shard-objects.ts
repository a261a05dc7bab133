import { objectName, type Shard, workloadOf } from '../../sharding/index.ts';
import { type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import type { NamespaceGroup } from '../desired/group.ts';
import { identityOf, isWorkload } from '../desired/identity.ts';
import type { LiveWorkload } from './workloads.ts';

/** A declared shard with its desired and its live object. */
export interface ShardObjects {
  readonly integration: string;
  readonly shard: Shard;
  readonly kind: string;
  readonly name: string;
  readonly desired?: KubeObject;
  readonly live?: LiveWorkload;
}

interface MatchedShards {
  readonly shards: readonly ShardObjects[];
  /** Live workloads that no shard declares. */
  others(): readonly LiveWorkload[];
}

/**
 * Matches objects to shards by identity annotations, or by name for objects without them, which other managers wrote. The
 * desired objects give an object's name; only if they could not be rendered the live ones do.
 */
export function matchShards(
  group: NamespaceGroup | undefined,
  desired: readonly KubeObject[],
  live: ReadonlyMap<string, LiveWorkload>,
): MatchedShards {
  const wanted = desiredByShard(desired);
  // Only for shards that are not rendered with an identity.
  const found = once(() => byShard([...live.values()].map(({ object }) => object)));
  const byKey = once(() => new Map(desired.map((object) => [objectKey(object), object])));
  const shards = (group?.entries ?? []).flatMap(({ integration, entry, shards: own }) =>
    own.map((shard): ShardObjects => {
      const usual = { kind: workloadOf(entry), metadata: { name: objectName(integration, shard) } };
      const id = shardId(integration.name, shard.name);
      const object = chosen(wanted.get(id), usual) ?? byKey().get(objectKey(usual));
      const { kind, metadata } = object ?? chosen(found().get(id), usual) ?? usual;
      const workload = live.get(objectKey({ kind, metadata }));
      return {
        integration: integration.name,
        shard,
        kind,
        name: metadata.name,
        ...(object === undefined ? {} : { desired: object }),
        ...(workload === undefined ? {} : { live: workload }),
      };
    }),
  );
  const others = (): LiveWorkload[] => {
    const declared = new Set([
      ...shards.map(({ kind, name }) => objectKey({ kind, metadata: { name } })),
      ...desired.filter((object) => identityOf(object) !== undefined).map(objectKey),
    ]);
    return [...live.values()].filter(({ object }) => !declared.has(objectKey(object)));
  };
  return { shards, others };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** An unchanged namespace is rendered once, and matched in every pass. */
const BY_SHARD = new WeakMap<readonly KubeObject[], Map<string, KubeObject[]>>();

function desiredByShard(desired: readonly KubeObject[]): Map<string, KubeObject[]> {
  const known = BY_SHARD.get(desired);
  if (known !== undefined) return known;
  const made = byShard(desired.filter(isWorkload));
  BY_SHARD.set(desired, made);
  return made;
}

function shardId(integration: string, shard: string): string {
  return JSON.stringify([integration, shard]);
}

function byShard(objects: readonly KubeObject[]): Map<string, KubeObject[]> {
  const identified = objects.flatMap((object) => {
    const identity = identityOf(object);
    return identity === undefined ? [] : [{ id: shardId(identity.integration, identity.shard), object }];
  });
  return new Map(
    [...Map.groupBy(identified, ({ id }) => id)].map(([id, own]) => [id, own.map(({ object }) => object)]),
  );
}

/** A chart may render several workloads for a shard: the one with the usual name, else of the usual kind, is its status. */
function chosen(
  objects: readonly KubeObject[] | undefined,
  usual: Pick<KubeObject, 'kind' | 'metadata'>,
): KubeObject | undefined {
  return (
    objects?.find((object) => objectKey(object) === objectKey(usual)) ??
    objects?.find(({ kind }) => kind === usual.kind) ??
    objects?.[0]
  );
}
