import { type Instant, secondText } from '../../../gates/index.ts';
import type { Context } from '../context.ts';
import { dueAt } from '../schedule.ts';
import { broken, pass, type Verdict, wait } from '../verdict.ts';

/** The verdict, and the start that goes with an open one. */
export interface Scheduled {
  readonly verdict: Verdict;
  readonly slot?: Instant;
}

/** An upgrade is scheduled only when a slot of the cluster comes within the window, and far enough ahead for OCM. */
export function scheduleGate(schedule: string, { now, dialect }: Context): Scheduled {
  const due = dueAt(schedule, now, { dialect });
  if ('fault' in due) return { verdict: broken('schedule', 'cluster', due.fault) };
  const next = secondText(due.slot);
  if (due.due) return { verdict: pass('schedule', `it can start at ${next}`), slot: due.slot };
  return { verdict: wait('schedule', `the next slot is ${next}`, { until: due.opens }), slot: due.slot };
}
