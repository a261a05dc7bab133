import { broken, type Instant, pass, secondText, wait } from '../../../gates/index.ts';
import type { Context } from '../context.ts';
import type { ServedCluster } from '../facts.ts';
import { dueAt, dueUntil } from '../schedule.ts';
import { type ClusterGate, poolsBySchedule, type UpgradeVerdict } from '../upgrade-gate.ts';

/** The verdict, and the start time where it is open. */
interface Scheduled {
  readonly verdict: UpgradeVerdict;
  readonly slot?: Instant;
}

/** An upgrade is scheduled only when the cluster's next slot is within the window, and far enough ahead for OCM. */
export function scheduleGate(schedule: string, { now, dialect }: Context): Scheduled {
  const due = dueAt(schedule, now, { dialect });
  if ('fault' in due) return { verdict: broken('schedule', 'cluster', due.fault) };
  const next = secondText(due.slot);
  if (due.due) return { verdict: pass('schedule', `it can start at ${next}`), slot: due.slot };
  return { verdict: wait('schedule', `the next slot is ${next}`, { until: due.opens }), slot: due.slot };
}

/** The next start that OCM would accept; none for a schedule without a future date. */
export function nextStart({ policy }: ServedCluster, { now, dialect }: Context): Instant | undefined {
  const due = dueAt(policy.schedule, now, { dialect });
  return 'slot' in due ? due.slot : undefined;
}

export const scheduleRow: ClusterGate = {
  name: 'schedule',
  awaited: 'for their window',
  stage: 'window',
  influences: ['window'],
  concerns: poolsBySchedule,
  evidence: true,
  steadyUntil: ({ cluster: { policy } }, { now, dialect }) => dueUntil(policy.schedule, now, { dialect }),
  judge: ({ cluster }, context) => scheduleGate(cluster.policy.schedule, context).verdict,
  opens: () => 'its schedule is fixed',
};
