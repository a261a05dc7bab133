import { memoize } from '../../base/index.ts';
import {
  broken,
  type CronDialect,
  type Due,
  type Freeze,
  freezeBetween,
  freezeText,
  type Instant,
  MICROS,
  parseFreeze,
  pass,
  secondText,
  type Timing,
  type Verdict,
  wait,
  windowAt,
  windowUntil,
} from '../../gates/index.ts';
import type { UpgradePolicy } from '../policies/org-spec.ts';
import type { Context, PassContext } from './context.ts';
import type { Member, ServedCluster } from './facts.ts';
import { type ClusterGate, poolsBySchedule, type UpgradeVerdict } from './gate.ts';
import type { Obstacle } from './mutexes.ts';

const IDLE = pass('busy', 'the cluster has no upgrade policy');

/** A cluster that has an upgrade policy, of any kind and state, gets no second one. */
export function busyGate({ id, name }: ServedCluster, { policies }: Context): UpgradeVerdict {
  const [policy, ...more] = policies.get(id) ?? [];
  if (policy === undefined) return IDLE;
  if (more.length > 0) return broken('busy', 'cluster', `${name} has ${more.length + 1} upgrade policies`);
  return wait('busy', `an upgrade to ${policy.version} is ${policy.state}`, { waitsOn: policy.version });
}

export const busyRow: ClusterGate = {
  name: 'busy',
  awaited: 'for an upgrade to end',
  stage: 'idle',
  influences: [],
  concerns: poolsBySchedule,
  judge: ({ cluster }, context) => busyGate(cluster, context),
  opens: ({ fault, waitsOn }) =>
    fault === undefined ? `its upgrade to ${waitsOn} is over` : 'it has only one upgrade policy',
};

const HEALTHY = pass('health', 'no enforced health check fails');
const HEALTH_IGNORED = pass('health', 'health does not stop upgrades');

/** A cluster that fails an enforced health check is not upgraded. */
export function healthGate({ healthFault }: ServedCluster, { rules }: Context): UpgradeVerdict {
  if (healthFault === undefined) return HEALTHY;
  return rules.healthGate ? wait('health', healthFault) : HEALTH_IGNORED;
}

export const healthRow: ClusterGate = {
  name: 'health',
  awaited: 'for health',
  stage: 'fit',
  influences: [],
  judge: ({ cluster }, context) => healthGate(cluster, context),
  opens: () => 'its health check passes again',
};

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

/** OCM refuses a cluster upgrade that starts in less than five minutes. */
export const CLUSTER_TIMING: Timing = { lead: 6 * MICROS.minute, window: 2 * MICROS.hour };
export const ADDON_TIMING: Timing = { lead: MICROS.minute, window: 10 * MICROS.minute };

/** Whether a schedule is due for an upgrade now. */
export function dueAt(text: string, now: Instant, options: { dialect: CronDialect; timing?: Timing }): Due {
  return windowAt(text, now, { timing: CLUSTER_TIMING, ...options });
}

/** The earliest time at which a schedule can become due, or stop being due. */
function dueUntil(text: string, now: Instant, { dialect }: { readonly dialect: CronDialect }): number {
  return windowUntil(text, now, { timing: CLUSTER_TIMING, dialect });
}

const NO_FREEZE = pass('freeze', 'no freeze');
const FREEZES_IGNORED = pass('freeze', 'freezes are ignored');

/** In a freeze of the organization or of the cluster no upgrade is scheduled, nor one that would start in it. */
export function freezeGate(
  { freezes, schedule }: Pick<UpgradePolicy, 'freezes' | 'schedule'>,
  context: PassContext,
): UpgradeVerdict {
  if ((freezes ?? []).length + context.facts.freezes.length === 0) return NO_FREEZE;
  if (!context.rules.freezes) return FREEZES_IGNORED;
  const { now, dialect } = context;
  const due = dueAt(schedule, now, { dialect });
  return frozen(freezes, { start: now, end: due.due ? due.slot : now }, context) ?? NO_FREEZE;
}

/** The verdict on what would begin between two times; undefined when no freeze touches them. */
export function frozen(
  ofCluster: readonly string[] = [],
  { start, end }: { readonly start: Instant; readonly end: Instant },
  { facts }: { readonly facts: Pick<PassContext['facts'], 'freezes'> },
): UpgradeVerdict | undefined {
  const freezes: Freeze[] = [];
  for (const [owner, texts] of [['organization', facts.freezes] as const, ['cluster', ofCluster] as const]) {
    for (const text of texts) {
      const freeze = freezeOf(text);
      if ('fault' in freeze) return broken('freeze', owner, `${JSON.stringify(text)} is not a freeze: ${freeze.fault}`);
      freezes.push(freeze);
    }
  }
  const found = freezeBetween(freezes, start, end);
  if (found === undefined) return undefined;
  const { freeze, until } = found;
  const what = start < freeze.from ? 'a freeze begins before it would start' : 'a freeze';
  return wait('freeze', `${what}: ${freezeText(freeze, until)}`, { until });
}

const freezeOf = memoize(1_000, parseFreeze);

/** A freeze matters only from a window before it on; from then on every slot does. */
function freezesSteadyUntil(
  { freezes = [], schedule }: Pick<UpgradePolicy, 'freezes' | 'schedule'>,
  { facts, rules, now, dialect }: PassContext,
): number {
  const coming = [...facts.freezes, ...freezes].map(freezeOf).filter((each) => 'fault' in each || each.until > now);
  if (!rules.freezes || coming.length === 0) return Number.POSITIVE_INFINITY;
  const from = Math.min(...coming.map((each) => ('fault' in each ? now : each.from)));
  const near = from - CLUSTER_TIMING.window;
  if (near > now) return near;
  const due = dueAt(schedule, now, { dialect });
  const slot = 'fault' in due ? [] : [due.due ? due.slot - CLUSTER_TIMING.lead : due.opens];
  const ends = coming.flatMap((each) => ('fault' in each ? [] : [each.from, each.until]));
  return Math.min(...[...slot, ...ends].filter((at) => at > now));
}

export const freezeRow: ClusterGate = {
  name: 'freeze',
  awaited: 'for the end of a freeze',
  stage: 'window',
  influences: ['window'],
  steadyUntil: ({ cluster: { policy } }, context) => freezesSteadyUntil(policy, context),
  judge: ({ cluster }, context) => freezeGate(cluster.policy, context),
  opens: () => 'that freeze is fixed',
};

const FREE = pass('mutex', 'no other upgrade holds its mutexes');

/** Never more upgrades at once under a mutex, or under a mutex of a sector, than declared. */
export function mutexGate(member: Member, { occupancy }: Context): UpgradeVerdict {
  const obstacle = occupancy.obstacle(member);
  if (obstacle === undefined) return FREE;
  obstacle.verdict ??= verdictOf(obstacle);
  return obstacle.verdict;
}

function verdictOf({ fault, reason, of }: Obstacle): Verdict<'organization'> {
  if (fault) return broken('mutex', 'organization', reason);
  return wait('mutex', reason, of === undefined ? {} : { waitsOn: of });
}

export const mutexRow: ClusterGate = {
  name: 'mutex',
  awaited: 'for a mutex',
  stage: 'room',
  influences: ['room'],
  isSound: ({ occupancy }) => occupancy.isSound,
  judge: ({ member }, context) => mutexGate(member, context),
  opens: ({ fault, waitsOn }) => {
    if (fault !== undefined) return 'the limit of its sector is fixed';
    return waitsOn === undefined ? 'its own upgrade is over' : `${upgradesOf(waitsOn)} is over`;
  },
};

function upgradesOf(names: string): string {
  return names.includes(', ') ? `one of the upgrades of ${names}` : `the upgrade of ${names}`;
}
