import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { Context } from './context.ts';
import type { ServedCluster } from './facts.ts';
import { availableGate } from './gates/available.ts';
import { blockedGate } from './gates/blocked.ts';
import { busyGate } from './gates/busy.ts';
import { healthGate } from './gates/health.ts';
import { inheritedFloorGate } from './gates/inherited-floor.ts';
import { mutexGate } from './gates/mutex.ts';
import { scheduleGate } from './gates/schedule.ts';
import { sectorGate } from './gates/sector.ts';
import { soakGate } from './gates/soak.ts';
import { versionGateGate } from './gates/version-gate.ts';
import type { Member } from './members.ts';
import { laggingPool } from './node-pools.ts';
import type { Candidate } from './plan.ts';
import type { Verdict } from './verdict.ts';
import { compareVersions, isVersion } from './versions.ts';

/** What gates say about a cluster whatever the version. */
export interface ClusterVerdicts {
  readonly schedule: Verdict;
  readonly mutex: Verdict;
  readonly busy: Verdict;
  readonly health: Verdict;
  /** The next start that OCM would accept; absent when the schedule never comes. */
  readonly slot?: Instant;
}

/** Every verdict on a cluster, at its turn: mutexes are as the clusters before it left them. */
export interface Examined {
  readonly cluster: ServedCluster;
  readonly member: Member;
  readonly own: ClusterVerdicts;
  readonly pool?: Candidate & { readonly nodePool: string };
  /** From the highest version to the lowest; what is no version comes last. */
  readonly candidates: readonly Candidate[];
}

export function examine(cluster: ServedCluster, member: Member, context: Context): Examined {
  const { verdict: schedule, slot } = scheduleGate(cluster.policy.schedule, context);
  const own: ClusterVerdicts = {
    schedule,
    mutex: mutexGate(member, context),
    busy: busyGate(cluster, context),
    health: healthGate(cluster, context),
    ...defined({ slot }),
  };
  const pool = examinePool(cluster, own, context);
  const candidates = cluster.availableUpgrades
    .toSorted(descending)
    .map((version) => examineCandidate(cluster, version, own, context));
  return { cluster, member, own, candidates, ...defined({ pool }) };
}

function descending(a: string, b: string): number {
  if (isVersion(a) && isVersion(b)) return compareVersions(b, a);
  return Number(isVersion(b)) - Number(isVersion(a));
}

function examineCandidate(cluster: ServedCluster, version: string, own: ClusterVerdicts, context: Context): Candidate {
  const { policy } = cluster;
  const { schedule, mutex, busy, health } = own;
  const available = availableGate(version);
  const blocked = blockedGate(policy, version, context);
  if (!isVersion(version)) return { version, verdicts: [available, blocked, schedule, mutex, busy, health] };
  const verdicts = [
    available,
    blocked,
    inheritedFloorGate(policy, version, context),
    sectorGate(policy, version, context),
    soakGate(policy, version, context),
    versionGateGate(cluster, version, context),
    schedule,
    mutex,
    busy,
    health,
  ];
  return { version, verdicts };
}

/** A node pool follows its control plane, which has passed the gates for the version already. */
function examinePool(cluster: ServedCluster, own: ClusterVerdicts, context: Context): Examined['pool'] {
  const pool = laggingPool(cluster);
  if (pool === undefined) return undefined;
  const { version, policy } = cluster;
  const { schedule, mutex, busy, health } = own;
  const verdicts = context.rules.nodePoolsFollowSchedule
    ? [blockedGate(policy, version, context), schedule, mutex, busy, health]
    : [mutex];
  return { version, nodePool: pool.id, verdicts };
}
