import { byText, defined } from '../../base/index.ts';
import type { Integration, Namespace } from '../../instance/index.ts';
import { MANAGER_INTEGRATION, type ScopeFacts, type ShardFacts, shardIds } from '../../rollouts/index.ts';
import { parentOf, workloadOf } from '../../sharding/index.ts';
import type { DesiredNamespace, KubeObject } from '../desired/desired-namespace.ts';
import { type NamespaceGroup, targetOf } from '../desired/group.ts';
import { firstImage } from '../desired/identity.ts';
import type { LiveCluster } from '../plan/observe.ts';
import { placeOf } from '../plan/places.ts';
import { type DeclaredShard, matchShards, type ShardObjects } from '../status/shard-objects.ts';
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
      const upstreams = Map.groupBy(found, ({ objects }) => input.upstreamOf(objects.declared.integration));
      return [...upstreams]
        .toSorted(([a], [b]) => byText(a, b))
        .flatMap(([upstream, own]) => {
          const target = declaredImage(own);
          return target === undefined ? [] : [scopeOf(own, target, { environment, upstream, ...input })];
        });
    });
}

interface Found {
  readonly objects: ShardObjects;
  readonly namespace: Namespace;
  readonly seen: boolean;
  /** Absent where pods and jobs were not listed. */
  readonly jobs: readonly KubeObject[] | undefined;
}

function shardsIn(
  group: NamespaceGroup,
  desired: readonly KubeObject[],
  observed: readonly KubeObject[] | undefined,
  details: PodDetails | undefined,
): Found[] {
  const { pods = [], jobs } = details ?? {};
  const found = observed ?? [];
  const live = liveWorkloads(pods.length === 0 ? found : [...found, ...pods, ...impliedReplicaSets(pods, found)]);
  const { namespace } = group;
  return matchShards(group, desired, live)
    .shards.filter(({ integration }) => integration !== MANAGER_INTEGRATION)
    .map((objects) => ({ objects, namespace, seen: observed !== undefined, jobs }));
}

function isPinned({ objects }: Found): boolean {
  return objects.shard.settings.imageFrom !== 'default';
}

/** The image that most shards without a pin are declared to run: the environment's. */
function declaredImage(found: readonly Found[]): string | undefined {
  const counts = new Map<string, number>();
  for (const one of found) {
    const { desired } = one.objects;
    const image = isPinned(one) || desired === undefined ? undefined : firstImage(desired);
    if (image !== undefined) counts.set(image, (counts.get(image) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, most], [b, other]) => other - most || byText(a, b))[0]?.[0];
}

function scopeOf(
  found: readonly Found[],
  target: string,
  { environment, upstream, isComplete }: Pick<ScopeFacts, 'environment' | 'upstream' | 'isComplete'>,
): Scope {
  const known = identified(found.map(declaredFacts));
  const shards = new Map<string, PlacedShard>();
  const all = found.map((one, at) => {
    const facts: ShardFacts = { ...(known[at] as Known), ...liveFacts(one, target) };
    const { kind, name, live: workload } = one.objects;
    shards.set(facts.id, workload === undefined ? { facts, kind, name } : { facts, kind, name, workload });
    return facts;
  });
  return { facts: { environment, upstream, target, shards: all, isComplete }, shards };
}

type Known = Omit<ShardFacts, 'seen' | 'pinned' | 'live' | 'altersTemplate'>;

/** What is known of a shard without its cluster: the same in every pass while the instance is. */
const KNOWN = new WeakMap<DeclaredShard, Omit<Known, 'id'>>();

function declaredFacts({ objects: { declared }, namespace }: Found): Omit<Known, 'id'> {
  const known = KNOWN.get(declared);
  if (known !== undefined) return known;
  const { integration, shard, entry } = declared;
  const facts = {
    integration: integration.name,
    shard: shard.name,
    cluster: namespace.cluster.name,
    namespace: namespace.name,
    workload: workloadOf(entry),
    disabled: shard.settings.disabled,
    ...defined({ parent: parentOf(shard), schedule: entry.spec.cron }),
  };
  KNOWN.set(declared, facts);
  return facts;
}

interface Identified {
  readonly facts: readonly Omit<Known, 'id'>[];
  readonly known: readonly Known[];
}

/** By the first of them. */
const IDENTIFIED = new WeakMap<Omit<Known, 'id'>, Identified>();

/** Texts that are the same in every pass need not be made and hashed again. */
function identified(facts: readonly Omit<Known, 'id'>[]): readonly Known[] {
  const [first] = facts;
  if (first === undefined) return [];
  const before = IDENTIFIED.get(first);
  const isSame = before?.facts.length === facts.length && before.facts.every((one, at) => one === facts[at]);
  if (isSame) return before.known;
  const known = shardIds(facts);
  IDENTIFIED.set(first, { facts, known });
  return known;
}

function liveFacts(one: Found, target: string): Omit<ShardFacts, keyof Known> {
  const { objects, seen, jobs } = one;
  const { desired, live: workload } = objects;
  const declared = desired === undefined ? undefined : firstImage(desired);
  const live = workload === undefined ? undefined : liveShard(workload, jobs);
  const isPin = isPinned(one) || (declared !== undefined && declared !== target);
  const moves = desired !== undefined && workload !== undefined && live?.image !== target;
  if (live !== undefined && !isPin && !moves) return { seen, live };
  return {
    seen,
    ...defined({
      pinned: isPin ? declared : undefined,
      live,
      altersTemplate: moves && altersTemplate(workload.object, desired) ? true : undefined,
    }),
  };
}
