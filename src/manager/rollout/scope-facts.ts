import { byText, defined } from '../../base/index.ts';
import type { Integration } from '../../instance/index.ts';
import { MANAGER_INTEGRATION, type ScopeFacts, type ShardFacts, shardIds } from '../../rollouts/index.ts';
import { parentOf, workloadOf } from '../../sharding/index.ts';
import type { DesiredNamespace, KubeObject } from '../desired/desired-namespace.ts';
import { type ManagedShards, type NamespaceGroup, targetOf } from '../desired/group.ts';
import { firstImage } from '../desired/identity.ts';
import type { LiveCluster } from '../plan/observe.ts';
import { placeOf } from '../plan/places.ts';
import { matchShards, type ShardObjects } from '../status/shard-objects.ts';
import { type LiveWorkload, liveWorkloads } from '../status/workloads.ts';
import { altersTemplate, liveShard } from './live-shard.ts';
import { impliedReplicaSets, type PodDetails } from './pod-details.ts';

/** A shard, and the objects that facts were read from. */
export interface PlacedShard {
  readonly facts: ShardFacts;
  readonly kind: string;
  readonly name: string;
  readonly workload?: LiveWorkload;
}

export interface ScopeInput {
  readonly groups: readonly NamespaceGroup[];
  readonly namespaces: readonly DesiredNamespace[];
  readonly live: readonly LiveCluster[];
  /** The upstream that a manager operates an integration for. */
  readonly upstreamOf: (integration: Integration) => string;
  /** By `cluster/namespace`. */
  readonly details: ReadonlyMap<string, PodDetails>;
  readonly isComplete: boolean;
}

export interface Scope {
  readonly facts: ScopeFacts;
  /** By id. */
  readonly shards: ReadonlyMap<string, PlacedShard>;
}

/** What a pass knows of every environment that a manager operates; those without a declared image have no rollout. Pure. */
export function scopesOf(input: ScopeInput): Scope[] {
  const desired = new Map(input.namespaces.map((namespace) => [placeOf(namespace), namespace.objects]));
  const observed = new Map(
    input.live.flatMap(({ namespaces }) => namespaces.map((one) => [placeOf(one), one.objects] as const)),
  );
  const environments = Map.groupBy(input.groups, ({ namespace }) => namespace.environment.name);
  return [...environments]
    .toSorted(([a], [b]) => byText(a, b))
    .flatMap(([environment, groups]) => {
      const found = groups.flatMap((group) => {
        const place = targetOf(group.namespace);
        return shardsIn(group, desired.get(place) ?? [], observed.get(place), input.details.get(place));
      });
      const upstreams = Map.groupBy(found, ({ declaring }) => input.upstreamOf(declaring));
      return [...upstreams]
        .toSorted(([a], [b]) => byText(a, b))
        .flatMap(([upstream, own]) => {
          const target = declaredImage(own);
          return target === undefined ? [] : [scopeOf(own, target, { environment, upstream, ...input })];
        });
    });
}

type Found = Omit<ShardObjects, 'live'> & {
  readonly group: NamespaceGroup;
  readonly entry: ManagedShards['entry'];
  readonly declaring: Integration;
  readonly seen: boolean;
  readonly workload?: LiveWorkload;
  /** Absent where pods and jobs were not listed. */
  readonly jobs: readonly KubeObject[] | undefined;
};

function shardsIn(
  group: NamespaceGroup,
  desired: readonly KubeObject[],
  observed: readonly KubeObject[] | undefined,
  details: PodDetails | undefined,
): Found[] {
  const { pods = [], jobs } = details ?? {};
  const objects = observed ?? [];
  const live = liveWorkloads([...objects, ...pods, ...impliedReplicaSets(pods, objects)]);
  const entries = new Map(
    group.entries.flatMap(({ shards, ...managed }) => shards.map((shard) => [shard, managed] as const)),
  );
  return matchShards(group, desired, live).shards.flatMap(({ live: workload, ...shard }) => {
    const managed = entries.get(shard.shard);
    if (shard.integration === MANAGER_INTEGRATION || managed === undefined) return [];
    const { entry, integration: declaring } = managed;
    return [{ ...shard, group, entry, declaring, seen: observed !== undefined, jobs, ...defined({ workload }) }];
  });
}

function isPinned({ shard }: Found): boolean {
  return shard.settings.imageFrom !== 'default';
}

/** The image that most shards without a pin are declared to run: the environment's. */
function declaredImage(found: readonly Found[]): string | undefined {
  const images = found.filter((one) => !isPinned(one)).flatMap(({ desired }) => (desired && firstImage(desired)) ?? []);
  const counted = [...Map.groupBy(images, (image) => image)].map(([image, all]) => ({ image, count: all.length }));
  return counted.toSorted((a, b) => b.count - a.count || byText(a.image, b.image))[0]?.image;
}

function scopeOf(
  found: readonly Found[],
  target: string,
  { environment, upstream, isComplete }: Pick<ScopeFacts, 'environment' | 'upstream' | 'isComplete'>,
): Scope {
  const shards = shardIds(found.map((one) => factsOf(one, target)));
  const placed = found.flatMap(({ kind, name, workload }, at): (readonly [string, PlacedShard])[] => {
    const facts = shards[at];
    return facts === undefined ? [] : [[facts.id, { facts, kind, name, ...defined({ workload }) }]];
  });
  return {
    facts: { environment, upstream, target, shards: placed.map(([, { facts }]) => facts), isComplete },
    shards: new Map(placed),
  };
}

function factsOf(one: Found, target: string): Omit<ShardFacts, 'id'> {
  const { integration, shard, desired, workload, group, entry, seen, jobs } = one;
  const declared = desired === undefined ? undefined : firstImage(desired);
  const live = workload === undefined ? undefined : liveShard(workload, jobs);
  const isPin = isPinned(one) || (declared !== undefined && declared !== target);
  const moves = desired !== undefined && workload !== undefined && live?.image !== target;
  return {
    integration,
    shard: shard.name,
    cluster: group.namespace.cluster.name,
    namespace: group.namespace.name,
    workload: workloadOf(entry),
    disabled: shard.settings.disabled,
    seen,
    ...defined({
      parent: parentOf(shard),
      schedule: entry.spec.cron,
      pinned: isPin ? declared : undefined,
      live,
      altersTemplate: moves && altersTemplate(workload.object, desired) ? true : undefined,
    }),
  };
}
