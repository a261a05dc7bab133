import { rowOf, type SoakPace, soakCountsFrom } from '../../gates/index.ts';
import type { Decision } from '../engine/decide.ts';
import type { OrgFacts, ServedCluster } from '../engine/facts.ts';
import type { Candidate, Explanation } from '../engine/plan.ts';
import type { UpgradeGates } from '../engine/upgrade-gate.ts';
import { isVersion } from '../engine/versions.ts';
import { offeredChannel } from '../engine/y-stream.ts';

/** How many clusters earn soak for a version under a workload, here and where histories are inherited from. */
export function paceOf(facts: readonly OrgFacts[]): SoakPace['soaking'] {
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

/** A decision, and the pace from there on. */
interface Prospect extends SoakPace {
  readonly facts: OrgFacts;
  readonly decision: Decision;
}

/**
 * The earliest time at which a cluster can get something new, if no upgrade ends before: when every closed gate of a
 * candidate can be open; or when soak counts again. `now` when that may be at any time.
 */
export function nextOpening(prospect: Prospect): number {
  const { facts, decision, now } = prospect;
  const clusters = new Map(facts.clusters.map((cluster) => [cluster.id, cluster]));
  const counts = soakCountsFrom(prospect.soak, now);
  let earliest = counts > now ? counts : Number.POSITIVE_INFINITY;
  for (const explanation of decision.verdicts) {
    const cluster = clusters.get(explanation.clusterId);
    if (cluster === undefined || explanation.item?.action === 'upgrade') continue;
    if (mayStillSwitch(explanation, cluster, decision.gates)) return now;
    for (const candidate of explanation.candidates)
      earliest = Math.min(earliest, candidateOpens(candidate, cluster, prospect));
  }
  return earliest;
}

/** Within its window it waits for room or an agreement; after the window it switches its channel. */
function mayStillSwitch({ waitsFor, item }: Explanation, cluster: ServedCluster, gates: UpgradeGates): boolean {
  if (item !== undefined) return true;
  const stage = waitsFor === undefined ? undefined : gates.get(waitsFor)?.stage;
  return (stage === 'room' || stage === 'consent') && offeredChannel(cluster) !== undefined;
}

function candidateOpens({ verdicts, version }: Candidate, cluster: ServedCluster, prospect: Prospect): number {
  let opens: number = prospect.now;
  for (const verdict of verdicts) {
    if (verdict.ok) continue;
    const { forecastOpening } = rowOf(prospect.decision.gates, verdict);
    const isKnown = forecastOpening !== undefined && isVersion(version);
    const own = isKnown ? forecastOpening({ cluster, version }, prospect) : verdict.until;
    opens = Math.max(opens, own ?? Number.POSITIVE_INFINITY);
  }
  return opens;
}
