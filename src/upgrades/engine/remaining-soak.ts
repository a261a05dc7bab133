import { MICROS, soakOf } from '../../gates/index.ts';
import type { ClusterUuid } from '../policies/cluster-key.ts';
import { findBlock } from '../policies/patterns.ts';
import type { Context } from './context.ts';
import type { ScheduledUpgrade, ServedCluster } from './facts.ts';
import { versionsAhead } from './node-pools.ts';

/** Days, or one of these. */
const SOAK_STATE = { scheduled: -1, started: -2, late: -3, blocked: -4 } as const;
/** A started upgrade that takes longer is late. */
const LATE_AFTER = 6 * MICROS.hour;

export type RemainingSoak = ReadonlyMap<ClusterUuid, ReadonlyMap<string, number>>;

/** Days that versions still have to soak for each cluster, as metrics and reports show them. */
export function remainingSoak(context: Context): RemainingSoak {
  const remaining = new Map<ClusterUuid, ReadonlyMap<string, number>>();
  for (const cluster of context.facts.clusters) {
    const shown = withoutSurpassed(remainingOf(cluster, context));
    if (shown.size > 0) remaining.set(cluster.uuid, shown);
  }
  return remaining;
}

type Entry = readonly [version: string, remaining: number];

function remainingOf(cluster: ServedCluster, context: Context): Entry[] {
  const policy = context.policies.get(cluster.id)?.at(-1);
  return versionsAhead(cluster).map((version) => {
    const days = Math.max(cluster.policy.soakDays - soakedDays(cluster, version, context), 0);
    if (policy?.version === version) return [version, stateOf(policy, context) ?? days];
    return [version, isBlocked(cluster, version, context) ? SOAK_STATE.blocked : days];
  });
}

function soakedDays({ policy }: ServedCluster, version: string, { soak }: Context): number {
  return Math.min(...policy.workloads.map((workload) => roundTo2(soakOf(soak, version, workload) / MICROS.day)));
}

function stateOf({ state, nextRun }: ScheduledUpgrade, { now }: Context): number | undefined {
  if (state === 'scheduled') return SOAK_STATE.scheduled;
  if (state !== 'started' && state !== 'delayed') return undefined;
  return nextRun !== undefined && now - nextRun >= LATE_AFTER ? SOAK_STATE.late : SOAK_STATE.started;
}

function isBlocked({ policy }: ServedCluster, version: string, { facts }: Context): boolean {
  return (
    findBlock(facts.blockedVersions, version) !== undefined ||
    findBlock(policy.blockedVersions ?? [], version) !== undefined
  );
}

/** A version is obsolete when a later one in the list is ready or in progress. */
function withoutSurpassed(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const shown: Entry[] = [];
  let surpassed = false;
  for (const entry of entries.toReversed()) {
    const [, remaining] = entry;
    if (remaining < 0 || !surpassed) shown.push(entry);
    if (remaining <= 0 && remaining !== SOAK_STATE.blocked) surpassed = true;
  }
  return new Map(shown.reverse());
}

/** Two decimals; a tie, which only an odd number of eighths can be, goes to the even digit. */
export function roundTo2(value: number): number {
  if (Number.isInteger(value)) return value;
  const eighths = value * 8;
  if (!Number.isInteger(eighths) || eighths % 2 === 0) return Number(value.toFixed(2));
  const below = Math.floor(value * 100);
  return (below % 2 === 0 ? below : below + 1) / 100;
}
