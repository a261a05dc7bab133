import { defined } from '../../base/index.ts';
import { type Instant, later } from '../../gates/index.ts';
import type { ClusterState, ScheduledUpgrade } from '../engine/facts.ts';
import { isVersion, type Version } from '../engine/versions.ts';
import type { Durations } from './assumptions.ts';

/** An upgrade on the virtual clock. */
export interface UpgradeRun {
  /** In the order in which they were scheduled. */
  readonly number: number;
  /** Its state changes. */
  policy: ScheduledUpgrade;
  /** When the cluster has the version; undefined when that cannot be forecast. */
  readonly endsAt: Instant | undefined;
  readonly goneAt: Instant | undefined;
}

const OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** An upgrade that is scheduled at a time. */
export function runOf(
  policy: ScheduledUpgrade,
  { state: stateOfCluster }: ClusterState,
  { now, number, durations }: { readonly now: Instant; readonly number: number; readonly durations: Durations },
): UpgradeRun {
  const { state, nextRun, version, kind } = policy;
  if (OVER.has(state)) return { number, policy, endsAt: undefined, goneAt: later(now, durations.lingering) };
  const canEnd = stateOfCluster === 'ready' && isVersion(version);
  if (nextRun === undefined || !canEnd) return { number, policy, endsAt: undefined, goneAt: undefined };
  const endsAt = Math.max(later(nextRun, durations[kind]), now) as Instant;
  return { number, policy, endsAt, goneAt: later(endsAt, durations.lingering) };
}

/** An upgrade in a forecast. */
export interface ForecastUpgrade {
  readonly clusterId: ClusterState['id'];
  readonly nodePool?: string;
  readonly from: Version;
  readonly version: Version;
  /** Absent for one that is scheduled already. */
  readonly decidedAt?: Instant;
  readonly startsAt: Instant;
  readonly endsAt: Instant;
}

/** Undefined for one whose start, end or cluster is unknown. */
export function forecastUpgrade(
  { policy, endsAt }: UpgradeRun,
  cluster: ClusterState,
  decidedAt: Instant | undefined,
): ForecastUpgrade | undefined {
  const { clusterId, nodePool, version, nextRun, state } = policy;
  const from = nodePool === undefined ? cluster.version : poolVersion(cluster, nodePool);
  if (endsAt === undefined || nextRun === undefined || from === undefined || !isVersion(version)) return undefined;
  if (state === 'completed') return undefined;
  // Each form is written out, so that an object is as small as its fields: a forecast has a hundred thousand.
  const startsAt = nextRun;
  if (decidedAt === undefined) return { clusterId, from, version, startsAt, endsAt, ...defined({ nodePool }) };
  if (nodePool === undefined) return { clusterId, from, version, startsAt, endsAt, decidedAt };
  return { clusterId, from, version, startsAt, endsAt, nodePool, decidedAt };
}

function poolVersion({ nodePools }: ClusterState, nodePool: string): Version | undefined {
  return nodePools.find(({ id }) => id === nodePool)?.version;
}
