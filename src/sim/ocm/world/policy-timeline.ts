import type { Outcomes, Timing } from '../fleet/shape.ts';
import type { Range } from '../fleet/units.ts';
import { MINUTE } from '../instants.ts';
import type { Policy, PolicyKind, PolicyState, PolicyTimeline } from '../model.ts';
import type { RandomStream } from '../random.ts';

/** After this time without a new control plane a classic upgrade is delayed, and then failed. */
const DELAY_TRIGGER = 30 * MINUTE;
const TIME_OUT = 120 * MINUTE;
const LONGEST_EXTRA = 60 * MINUTE;

/** Draws how one upgrade will proceed. */
export function drawTimeline(
  random: RandomStream,
  kind: PolicyKind,
  timing: Timing,
  outcomes: Outcomes,
): PolicyTimeline {
  const draw = ({ low, high }: Range): number => Math.round(random.between(low, high));
  const duration = draw(
    { cluster: timing.classic, control_plane: timing.control_plane, node_pool: timing.node_pool }[kind],
  );
  const failed = random.chance(outcomes.failed);
  const delayed = kind === 'cluster' && (failed || random.chance(outcomes.delayed));
  const extra = random.between(0, LONGEST_EXTRA);
  const late = failed ? TIME_OUT : DELAY_TRIGGER + duration + Math.round(extra);
  return {
    scheduleAfter: draw(timing.schedule),
    startAfter: draw(timing.start),
    endAfter: delayed ? late : duration,
    outcome: failed ? 'failed' : 'completed',
    ...(delayed ? { delayAfter: DELAY_TRIGGER } : {}),
    visibleFor: draw(failed ? timing.failed_visible : timing.completed_visible),
  };
}

/** The timeline of an upgrade of a cluster that is not ready. */
export function stalled(timeline: PolicyTimeline): PolicyTimeline {
  return { ...timeline, delayAfter: DELAY_TRIGGER, endAfter: TIME_OUT, outcome: 'failed' };
}

/** `replanned`: an automatic policy plans its next version. */
type Step = PolicyState | 'replanned' | 'gone';

interface NextStep {
  readonly at: number;
  readonly to: Step;
}

/** The next step of a policy and its time. */
export function nextStep({ state, since, nextRun, version, scheduleType, timeline }: Policy): NextStep {
  switch (state) {
    case 'pending':
      return version === ''
        ? { at: nextRun, to: 'replanned' }
        : { at: since + timeline.scheduleAfter, to: 'scheduled' };
    case 'scheduled':
      return { at: nextRun + timeline.startAfter, to: 'started' };
    case 'started':
      return timeline.delayAfter === undefined
        ? { at: since + timeline.endAfter, to: timeline.outcome }
        : { at: since + timeline.delayAfter, to: 'delayed' };
    case 'delayed':
      return { at: since + timeline.endAfter - (timeline.delayAfter ?? 0), to: timeline.outcome };
    case 'completed':
    case 'failed':
      return { at: since + timeline.visibleFor, to: scheduleType === 'automatic' ? 'replanned' : 'gone' };
    case 'cancelled':
      return { at: since + timeline.visibleFor, to: 'gone' };
  }
}

/** The states that can be set through the API, as the operator inside a cluster does. */
const ALLOWED: Readonly<Record<PolicyState, readonly PolicyState[]>> = {
  pending: ['cancelled'],
  scheduled: ['started', 'cancelled'],
  started: ['delayed', 'completed', 'failed', 'cancelled'],
  delayed: ['delayed', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
};

export function mayBecome(from: PolicyState, to: PolicyState): boolean {
  return ALLOWED[from].includes(to);
}

/** In progress: it can be neither changed nor deleted. */
export function isRunning(state: PolicyState): boolean {
  return state === 'started' || state === 'delayed';
}

/** Finished: it does not prevent another policy. */
export function isOver(state: PolicyState): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

const DESCRIPTIONS: Readonly<Record<PolicyState, string>> = {
  pending: 'Upgrade policy defined, pending scheduling.',
  scheduled: 'Upgrade scheduled.',
  started: 'Cluster is currently being upgraded to version ',
  delayed: 'Cluster upgrade is taking longer than expected to version ',
  completed: 'Cluster has been successfully upgraded to version ',
  failed: 'Cluster upgrade failed to version ',
  cancelled: 'Upgrade cancelled.',
};

export function descriptionOf(state: PolicyState, version: string): string {
  const text = DESCRIPTIONS[state];
  return text.endsWith(' ') ? text + version : text;
}
