import { byText, defined } from '../../base/index.ts';
import type { Integration, Namespace } from '../../instance/index.ts';
import {
  type LiveShard,
  MANAGER_INTEGRATION,
  type ScopeFacts,
  type ShardFacts,
  shardIds,
} from '../../rollouts/index.ts';
import { parentOf, workloadOf } from '../../sharding/index.ts';
import type { DesiredNamespace, KubeObject } from '../desired/desired-namespace.ts';
import { type NamespaceGroup, targetOf } from '../desired/group.ts';
import type { LiveCluster } from '../plan/observe.ts';
import { placeOf } from '../plan/places.ts';
import { type DeclaredShard, matchShards, type ShardObjects } from '../status/shard-objects.ts';
import { type LiveWorkload, liveWorkloads } from '../status/workloads.ts';
import { altersTemplate, liveShard, stopOf } from './live-shard.ts';
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
  /** The same ones as in the pass before where nothing changed: what was decided about them need not be decided again. */
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
    const image = isPinned(one) ? undefined : one.objects.declared.image;
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
  const before = SEEN.get(known);
  const shards = found.map((one, at) => {
    const [last, now] = [before?.shards[at], liveFacts(one, target)];
    return last !== undefined && isSame(last, now) ? last : { ...(known[at] as Known), ...now };
  });
  const facts = keptScope(before, { environment, upstream, target, shards, isComplete });
  SEEN.set(known, facts);
  let placed: ReadonlyMap<string, PlacedShard> | undefined;
  return {
    facts,
    // Only for shards that are held, move or are under way, which are none in most passes.
    get shards() {
      placed ??= placedShards(facts.shards, found);
      return placed;
    },
  };
}

/** What the last pass saw of the shards of a scope. */
const SEEN = new WeakMap<readonly Known[], ScopeFacts>();

function keptScope(before: ScopeFacts | undefined, now: ScopeFacts): ScopeFacts {
  const { environment, upstream, target, isComplete, shards } = now;
  const isKept =
    before?.environment === environment &&
    before.upstream === upstream &&
    before.target === target &&
    before.isComplete === isComplete &&
    before.shards.every((shard, at) => shard === shards[at]);
  return isKept ? before : now;
}

function isSame(before: ShardFacts, { seen, pinned, altersTemplate, declaredStop, live }: Live): boolean {
  if (before.seen !== seen || before.pinned !== pinned || before.altersTemplate !== altersTemplate) return false;
  if (before.declaredStop !== declaredStop) return false;
  const last = before.live;
  if (last === undefined || live === undefined) return last === live;
  return isSameLive(last, live);
}

type Compared = 'image' | 'converged' | 'ready' | 'stopped' | 'restarts' | 'jobs' | 'queries' | 'queryTexts';
/** A field that is added to shards and not compared does not compile. */
type OnlyCompared = Pick<LiveShard, Compared> & Record<Exclude<keyof LiveShard, Compared>, never>;

/** Jobs and answers are equal only as the same ones. */
function isSameLive(a: OnlyCompared, b: OnlyCompared): boolean {
  if (a.image !== b.image || a.converged !== b.converged || a.ready !== b.ready) return false;
  if (a.stopped !== b.stopped) return false;
  return a.restarts === b.restarts && a.jobs === b.jobs && a.queries === b.queries && a.queryTexts === b.queryTexts;
}

function placedShards(facts: readonly ShardFacts[], found: readonly Found[]): Map<string, PlacedShard> {
  return new Map(
    found.map(({ objects: { kind, name, live: workload } }, at) => {
      const own = facts[at] as ShardFacts;
      return [own.id, { facts: own, kind, name, ...defined({ workload }) }];
    }),
  );
}

type Live = Pick<ShardFacts, 'seen' | 'pinned' | 'live' | 'altersTemplate' | 'declaredStop'>;
type Known = Omit<ShardFacts, keyof Live>;

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

function liveFacts(one: Found, target: string): Live {
  const { objects, seen, jobs } = one;
  const { desired, live: workload } = objects;
  const declared = objects.declared.image;
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
      declaredStop: desired && stopOf(desired),
    }),
  };
}
