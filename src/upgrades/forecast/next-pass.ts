import { type Instant, later, MICROS } from '../../gates/index.ts';
import type { Decision } from '../engine/decide.ts';
import type { OrgFacts, ServedCluster } from '../engine/facts.ts';
import { type Ledger, soakOf } from '../engine/ledger.ts';
import type { Candidate, Explanation } from '../engine/plan.ts';
import { offeredChannel } from '../engine/y-stream.ts';

/** How many clusters earn soak for a version under a workload, here and where histories are inherited from. */
export type Pace = (version: string, workload: string) => number;

export function paceOf(facts: readonly OrgFacts[]): Pace {
  const counts = new Map<string, number>();
  for (const { clusters } of facts) {
    for (const { version, policy, healthFault } of clusters) {
      if (healthFault !== undefined) continue;
      for (const workload of policy.workloads) {
        const key = JSON.stringify([version, workload]);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
  }
  return (version, workload) => counts.get(JSON.stringify([version, workload])) ?? 0;
}

export interface Outlook {
  readonly facts: OrgFacts;
  readonly decision: Decision;
  /** With what is inherited. */
  readonly soak: Ledger;
  readonly pace: Pace;
  readonly now: Instant;
}

/**
 * The earliest time at which a cluster can get something that it did not get now, if no upgrade ends before: when every
 * closed gate of a candidate can be open. `now` when that may be at any time.
 */
export function nextOpening(outlook: Outlook): number {
  const { facts, decision, now } = outlook;
  const clusters = new Map(facts.clusters.map((cluster) => [cluster.id, cluster]));
  let earliest = Number.POSITIVE_INFINITY;
  for (const explanation of decision.verdicts) {
    const cluster = clusters.get(explanation.clusterId);
    if (cluster === undefined || explanation.item?.action === 'upgrade') continue;
    if (mayStillSwitch(explanation, cluster)) return now;
    for (const candidate of explanation.candidates)
      earliest = Math.min(earliest, candidateOpens(candidate, cluster, outlook));
  }
  return earliest;
}

/** Within its window it waits for a mutex or a gate; once the window is over it changes its channel. */
function mayStillSwitch({ waitsFor, item }: Explanation, cluster: ServedCluster): boolean {
  if (item !== undefined) return true;
  return (waitsFor === 'mutex' || waitsFor === 'version-gate') && offeredChannel(cluster) !== undefined;
}

function candidateOpens({ verdicts, version }: Candidate, cluster: ServedCluster, outlook: Outlook): number {
  let opens: number = outlook.now;
  for (const { gate, ok, until } of verdicts) {
    if (ok) continue;
    const own = gate === 'soak' ? soakOpens(version, cluster, outlook) : (until ?? Number.POSITIVE_INFINITY);
    opens = Math.max(opens, own);
  }
  return opens;
}

function soakOpens(version: string, { policy }: ServedCluster, { soak, pace, now }: Outlook): number {
  const required = policy.soakDays * MICROS.day;
  let longest = 0;
  for (const workload of policy.workloads) {
    const missing = required - soakOf(soak, version, workload);
    if (missing > 0) longest = Math.max(longest, Math.ceil(missing / pace(version, workload)));
  }
  return Number.isFinite(longest) ? later(now, longest) : Number.POSITIVE_INFINITY;
}
