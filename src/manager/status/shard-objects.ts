import { defined } from '../../base/index.ts';
import type { Integration, Managed } from '../../instance/index.ts';
import { objectName, type Shard, workloadOf } from '../../sharding/index.ts';
import { type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import type { NamespaceGroup } from '../desired/group.ts';
import { firstImage, identityOf, isWorkload } from '../desired/identity.ts';
import type { LiveWorkload } from './workloads.ts';

/** A declared shard with its desired and its live object. */
export interface ShardObjects {
  readonly integration: string;
  readonly shard: Shard;
  readonly kind: string;
  readonly name: string;
  readonly declared: DeclaredShard;
  readonly desired?: KubeObject;
  readonly live?: LiveWorkload;
}

/** A shard and its rendered object: the same one in every pass while instance and objects are the same. */
export interface DeclaredShard {
  readonly integration: Integration;
  readonly entry: Managed;
  readonly shard: Shard;
  /** The kind and name that it usually has. */
  readonly usual: Pick<KubeObject, 'kind' | 'metadata'>;
  readonly desired?: KubeObject;
  /** That of the desired object. */
  readonly image?: string;
  /** Of the object as desired, or as usual. */
  readonly key: string;
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
  // Only for shards that are not rendered.
  const found = once(() => byShard([...live.values()].map(({ object }) => object)));
  const shards = declaredShards(group, desired).map((declared): ShardObjects => {
    const { integration, shard, usual, desired: object } = declared;
    const other = object === undefined ? chosen(found().get(shardId(integration.name, shard.name)), usual) : undefined;
    const { kind, metadata } = object ?? other ?? usual;
    const workload = live.get(other === undefined ? declared.key : objectKey(other));
    const { name } = metadata;
    const { name: own } = integration;
    // Nearly all have both: each is made at once, not from parts.
    if (object !== undefined && workload !== undefined)
      return { integration: own, shard, kind, name, declared, desired: object, live: workload };
    return { integration: own, shard, kind, name, declared, ...defined({ desired: object, live: workload }) };
  });
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

interface Declared {
  readonly desired: readonly KubeObject[];
  readonly shards: readonly DeclaredShard[];
}

/** An unchanged namespace is selected and rendered once, and matched in every pass. */
const DECLARED = new WeakMap<NamespaceGroup, Declared>();

function declaredShards(group: NamespaceGroup | undefined, desired: readonly KubeObject[]): readonly DeclaredShard[] {
  if (group === undefined) return [];
  const known = DECLARED.get(group);
  if (known?.desired === desired) return known.shards;
  const shards = declaredIn(group, desired);
  DECLARED.set(group, { desired, shards });
  return shards;
}

function declaredIn({ entries }: NamespaceGroup, desired: readonly KubeObject[]): DeclaredShard[] {
  const wanted = byShard(desired.filter(isWorkload));
  // Only for shards that are not rendered with an identity.
  const byKey = once(() => new Map(desired.map((object) => [objectKey(object), object])));
  return entries.flatMap(({ integration, entry, shards }) =>
    shards.map((shard): DeclaredShard => {
      const usual = { kind: workloadOf(entry), metadata: { name: objectName(integration, shard) } };
      const object = chosen(wanted.get(shardId(integration.name, shard.name)), usual) ?? byKey().get(objectKey(usual));
      return {
        ...{ integration, entry, shard, usual, key: objectKey(object ?? usual) },
        ...defined({ desired: object, image: object && firstImage(object) }),
      };
    }),
  );
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
