import { byText, isJson, type Json } from '../../base/index.ts';
import type { Shard } from '../../sharding/index.ts';
import { type DesiredNamespace, type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import type { NamespaceGroup } from '../desired/group.ts';
import { firstImage } from '../desired/identity.ts';
import { type CallerNames, ownerOf } from '../plan/ownership.ts';
import { replicasHolder } from '../plan/scaled-by-hand.ts';
import { matchShards, type ShardObjects } from './shard-objects.ts';
import { imageMatches, type LiveWorkload, liveWorkloads } from './workloads.ts';

/** The state of a shard. */
export type ShardState =
  | 'converged'
  | 'pinned'
  | 'held'
  | 'lagging'
  | 'missing'
  | 'unexpected'
  | 'disabled'
  /** Its namespace could not be observed. */
  | 'unknown';

export interface ShardStatus {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  /** Absent for a workload that no integration declares. */
  readonly integration?: string;
  readonly shard?: string;
  readonly state: ShardState;
  /** The image that it should run; absent if disabled or unexpected. */
  readonly expected?: string;
  /** The image of the live object. */
  readonly live?: string;
  /** Ready pods on the expected image, or on the live one while it is held; `wanted` is the number of replicas. */
  readonly ready: number;
  readonly wanted: number;
  /** Of its pods, all together; absent when there were none. */
  readonly restarts?: number;
  /** Why it is not settled, or held. */
  readonly reason?: string;
  /** Since when a pod of a lagging one is not ready, ISO 8601; absent when all are. */
  readonly since?: string;
}

/** The desired and live state of a namespace. */
export interface StatusInput {
  readonly group: NamespaceGroup | undefined;
  readonly desired: DesiredNamespace | undefined;
  readonly cluster: string;
  readonly namespace: string;
  /** Workloads, replica sets, jobs and pods. */
  readonly live: readonly KubeObject[];
  readonly callers: CallerNames;
  /** Whether an undeclared workload is declared for an upstream that is not shown. */
  readonly isAnothers?: (object: KubeObject) => boolean;
  /** Objects declared in this namespace under another name of its cluster. */
  readonly declaredToo?: ReadonlySet<string>;
  /** Why a rollout holds a workload of this namespace. */
  readonly heldBecause?: (workload: Pick<ShardStatus, 'kind' | 'name'>) => string | undefined;
}

/** The status of every shard, and of own workloads that are not declared. Pure. */
export function statusOf(input: StatusInput): ShardStatus[] {
  const { group, desired, cluster, namespace, live, callers, declaredToo, isAnothers } = input;
  const { shards, others } = matchShards(group, desired?.objects ?? [], liveWorkloads(live));
  const undeclared = others().filter(
    ({ object }) =>
      declaredToo?.has(objectKey(object)) !== true &&
      ownerOf(object, callers) === 'ours' &&
      isAnothers?.(object) !== true,
  );
  const own = shards.map((shard) => shardStatus(shard, input.heldBecause?.(shard)));
  return [...own, ...undeclared.map(unexpected)]
    .map((status) => ({ cluster, namespace, ...status }))
    .toSorted((a, b) => byText(a.name, b.name));
}

/** The declared shards of a namespace that could not be observed. Pure. */
export function unknownShards(
  { group, desired, cluster, namespace }: Pick<StatusInput, 'group' | 'desired' | 'cluster' | 'namespace'>,
  reason: string,
): ShardStatus[] {
  const { shards } = matchShards(group, desired?.objects ?? [], new Map());
  return shards
    .map(({ integration, shard, kind, name, desired: object }) => ({
      ...{ cluster, namespace, kind, name, integration, shard: shard.name, state: 'unknown' as const, ready: 0 },
      wanted: object === undefined ? 0 : replicasOf(object),
      ...textOf('expected', object === undefined ? undefined : firstImage(object)),
      reason,
    }))
    .toSorted((a, b) => byText(a.name, b.name));
}

type OwnStatus = Omit<ShardStatus, 'cluster' | 'namespace'>;
type Named = Pick<OwnStatus, 'integration' | 'shard' | 'kind' | 'name'>;

function shardStatus(objects: ShardObjects, heldBecause: string | undefined): OwnStatus {
  const { integration, shard, kind, name, desired, live } = objects;
  const own = { integration, shard: shard.name, kind, name };
  if (shard.settings.disabled || desired === undefined) return withoutDesired(own, shard, live);
  const expected = firstImage(desired);
  if (live === undefined) {
    return {
      ...own,
      state: heldBecause === undefined ? 'missing' : 'held',
      ready: 0,
      wanted: replicasOf(desired),
      reason: heldBecause ?? 'it does not exist',
      ...textOf('expected', expected),
    };
  }
  const current = heldBecause === undefined ? expected : firstImage(live.object);
  const lag = lagReason(desired, live, current);
  const pinned = shard.settings.imageFrom === 'override';
  const settled = heldBecause !== undefined ? 'held' : pinned ? 'pinned' : 'converged';
  return {
    ...own,
    state: lag === undefined ? settled : 'lagging',
    ready: live.pods.filter(({ ready, images }) => ready && images.some((image) => imageMatches(current, image)))
      .length,
    wanted: live.wanted,
    ...restartsOf(live),
    ...textOf('expected', expected),
    ...textOf('live', firstImage(live.object)),
    ...textOf('reason', lag ?? heldBecause),
    ...unreadySince(live, lag),
  };
}

/** The first of its pods that is not ready; one that does not lag may have spare ones that are not. */
function unreadySince({ pods }: LiveWorkload, lag: string | undefined): Pick<ShardStatus, 'since'> {
  const times = lag === undefined ? [] : pods.flatMap((pod) => pod.unreadySince ?? []);
  return textOf('since', times.sort(byText)[0]);
}

function restartsOf({ pods }: LiveWorkload): Pick<ShardStatus, 'restarts'> {
  const restarts = pods.reduce((sum, pod) => sum + pod.restarts, 0);
  return restarts === 0 ? {} : { restarts };
}

/** A disabled shard keeps an object with zero replicas; the state of a shard that could not be rendered is unknown. */
function withoutDesired(own: Named, shard: Shard, live: LiveWorkload | undefined): OwnStatus {
  const image = live === undefined ? undefined : firstImage(live.object);
  const base = { ...own, ready: 0, wanted: live?.wanted ?? 0, ...textOf('live', image) };
  if (!shard.settings.disabled) return { ...base, state: 'lagging', reason: 'it could not be rendered' };
  const runs = live !== undefined && (live.wanted > 0 || live.pods.length > 0 || isScheduled(live.object));
  return runs
    ? { ...base, state: 'unexpected', reason: 'it is disabled, but still running' }
    : { ...base, state: 'disabled' };
}

function isScheduled({ kind, spec }: KubeObject): boolean {
  return kind === 'CronJob' && isJson(spec) && spec['suspend'] !== true;
}

function unexpected({ object, wanted }: LiveWorkload): OwnStatus {
  return {
    kind: object.kind,
    name: object.metadata.name,
    state: 'unexpected',
    ready: 0,
    wanted,
    ...textOf('live', firstImage(object)),
    reason: 'no integration declares it',
  };
}

/** Why a workload has not converged to an image yet; undefined if it has. */
function lagReason(desired: KubeObject, live: LiveWorkload, expected: string | undefined): string | undefined {
  const holder = replicasHolder(live.object, desired);
  if (holder !== undefined) return `conflict: it is set to ${live.wanted} replicas (${holder})`;
  const image = firstImage(live.object);
  if (!imageMatches(expected, { image: image ?? '' })) return `it is set to another image`;
  if (desired.kind === 'CronJob') return undefined;
  const { metadata, status } = live.object as { metadata: Json; status?: Json };
  if (Number(status?.['observedGeneration'] ?? 0) < Number(metadata['generation'] ?? 0))
    return 'the cluster has not observed its last change yet';
  if (states(desired, 'replicas') && replicasOf(desired) !== live.wanted) return `it is set to ${live.wanted} replicas`;
  const old = live.pods.filter(({ images }) => !images.some((one) => imageMatches(expected, one)));
  if (old.length > 0) return `${old.length} of its pods run another image`;
  const ready = live.pods.filter((pod) => pod.ready).length;
  if (ready >= live.wanted) return undefined;
  return (
    live.pods.find((pod) => !pod.ready)?.waiting ?? conditionOf(status) ?? `${ready} of ${live.wanted} pods are ready`
  );
}

/** Why no pod could be created at all. */
function conditionOf(status: Json | undefined): string | undefined {
  const conditions = Array.isArray(status?.['conditions']) ? status['conditions'].filter(isJson) : [];
  const failure = conditions.find(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True');
  return typeof failure?.['message'] === 'string' ? failure['message'] : undefined;
}

function states(object: KubeObject, field: string): boolean {
  return isJson(object['spec']) && typeof object['spec'][field] === 'number';
}

function replicasOf(object: KubeObject): number {
  const spec = isJson(object['spec']) ? object['spec'] : {};
  return object.kind === 'CronJob' ? 0 : Number(spec['replicas'] ?? 1);
}

function textOf<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: string });
}

/** States that need no further waiting. */
export function isSettled({ state }: Pick<ShardStatus, 'state'>): boolean {
  return state === 'converged' || state === 'pinned' || state === 'held' || state === 'disabled';
}
