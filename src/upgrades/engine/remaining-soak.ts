import { MICROS, soakOf } from '../../gates/index.ts';
import { findBlock } from '../policies/fields.ts';
import type { ClusterUuid } from '../policies/org-spec.ts';
import type { Context, FullContext } from './context.ts';
import { type ScheduledUpgrade, type ServedCluster, versionsAhead } from './facts.ts';

/** Days, or one of these. */
const SOAK_STATE = { scheduled: -1, started: -2, late: -3, blocked: -4 } as const;
/** A started upgrade that takes longer is late. */
const LATE_AFTER = 6 * MICROS.hour;

export type RemainingSoak = ReadonlyMap<ClusterUuid, ReadonlyMap<string, number>>;

/** Days that versions still have to soak for each cluster, as metrics and reports show them. */
export function remainingSoak(context: FullContext): RemainingSoak {
  const remaining = new Map<ClusterUuid, ReadonlyMap<string, number>>();
  for (const cluster of context.facts.clusters) {
    const shown = remainingOf(cluster, context);
    if (shown.size > 0) remaining.set(cluster.uuid, shown);
  }
  return remaining;
}

/** A version is obsolete when a later one in the list is ready or in progress. */
function remainingOf(cluster: ServedCluster, context: Context): ReadonlyMap<string, number> {
  const policy = context.policies.get(cluster.id)?.at(-1);
  const versions = versionsAhead(cluster);
  const remaining = versions.map((version) => remainingFor(cluster, version, policy, context));
  const surpassing = remaining.findLastIndex((each) => each <= 0 && each !== SOAK_STATE.blocked);
  const shown = new Map<string, number>();
  let index = 0;
  for (const version of versions) {
    const days = remaining[index] ?? 0;
    if (days < 0 || index >= surpassing) shown.set(version, days);
    index += 1;
  }
  return shown;
}

function remainingFor(
  cluster: ServedCluster,
  version: string,
  policy: ScheduledUpgrade | undefined,
  context: Context,
): number {
  const state = policy?.version === version ? stateOf(policy, context) : undefined;
  if (state !== undefined) return state;
  if (policy?.version !== version && isBlocked(cluster, version, context)) return SOAK_STATE.blocked;
  return Math.max(cluster.policy.soakDays - soakedDays(cluster, version, context), 0);
}

function soakedDays({ policy }: ServedCluster, version: string, { soak }: Context): number {
  let least = Number.POSITIVE_INFINITY;
  for (const workload of policy.workloads) least = Math.min(least, soakOf(soak, version, workload));
  return roundTo2(least / MICROS.day);
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

/** Two decimals; a tie, which only an odd number of eighths can be, goes to the even digit. */
export function roundTo2(value: number): number {
  if (Number.isInteger(value)) return value;
  const eighths = value * 8;
  if (!Number.isInteger(eighths) || eighths % 2 === 0) return Number(value.toFixed(2));
  const below = Math.floor(value * 100);
  return (below % 2 === 0 ? below : below + 1) / 100;
}
