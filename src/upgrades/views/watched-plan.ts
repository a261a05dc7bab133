import { count, defined } from '../../base/index.ts';
import {
  type Instant,
  later,
  MICROS,
  parseInstant,
  scheduleFault,
  timeText,
  windowAt,
  withRelativeTimes,
} from '../../gates/index.ts';
import type { Awaited, AwaitedCause, WatchedView } from '../../watch/index.ts';
import { UPGRADE_GATES } from '../engine/decide.ts';
import type { ClusterPlan, UpgradePlan } from './plan.ts';
import { clusterChanges, planObstacles, upgradePlanSummary, upgradePlanTable } from './plan-text.ts';

/** Actions of clusters that a later plan decides differently without anybody fixing something. */
const SETTLED: ReadonlySet<ClusterPlan['action']> = new Set(['none', 'hold']);

/** What `upgrades plan --watch` shows of a plan. */
export function watchedPlan(plan: UpgradePlan, which: 'usual' | 'wide', now: Instant): WatchedView {
  const { actions, keys, ...table } = upgradePlanTable(plan, which, steadyStart);
  const name = table.titles.indexOf('CLUSTER');
  const obstacles = planObstacles(plan).map((obstacle) =>
    obstacle.kind === 'fault'
      ? `error: ${obstacle.subject}: ${obstacle.fault.message} [${obstacle.fault.code}]`
      : `${obstacle.kind}: ${obstacle.subject}: ${obstacle.reason}`,
  );
  const fault = planObstacles(plan).find(({ kind }) => kind === 'fault');
  const isBlind = fault?.kind === 'fault' && plan.organizations.every(({ clusters }) => clusters.length === 0);
  return {
    ...defined({ awaited: awaitedClusters(plan, now) }),
    ...(isBlind ? { blind: `${fault.subject}: ${fault.fault.message} [${fault.fault.code}]` } : {}),
    table,
    rows: keys.map((key, row) => ({
      ...{ key, name: table.rows[row]?.[name] ?? '' },
      isAwaited: !SETTLED.has(actions[row] ?? 'none'),
    })),
    notes: [upgradePlanSummary(plan), ...obstacles],
  };
}

/** The same in every observation until something else changes: a window that stays open has no start before the upgrade is scheduled. */
function steadyStart({ schedule, startsAt = '' }: ClusterPlan): string {
  const start = parseInstant(startsAt);
  const isRolling = schedule !== undefined && start !== undefined && isRollingStart(schedule, start);
  return isRolling ? 'after the next pass' : startsAt;
}

/** Clusters that are due or wait, by gate; undefined when none is. */
export function awaitedClusters(plan: UpgradePlan, now: Instant): Awaited | undefined {
  const all = plan.organizations.flatMap(({ clusters }) => clusters);
  const open = all.filter(({ action }) => !SETTLED.has(action));
  if (open.length === 0) return undefined;
  const due = new Set(clusterChanges(plan));
  const waiting = Map.groupBy(
    open.filter((cluster) => !due.has(cluster)),
    ({ gate = '' }) => gate,
  );
  const causes = [...waiting].map(([gate, clusters]) => gateCause(gate, clusters, now));
  return {
    what: `${open.length} of ${count(all.length, 'cluster')}`,
    causes: [...(due.size === 0 ? [] : [dueCause(due.size)]), ...causes.toSorted((a, b) => b.number - a.number)],
  };
}

function dueCause(number: number): AwaitedCause {
  return { number, text: 'due', detail: 'the next pass of the scheduler makes these changes' };
}

function gateCause(gate: string, clusters: readonly ClusterPlan[], now: Instant): AwaitedCause {
  const text = UPGRADE_GATES.get(gate)?.awaited ?? (gate === '' ? 'for a version' : `for the gate ${gate}`);
  return { number: clusters.length, text, detail: gateDetail(clusters, now) };
}

/** When the first of them can go on, where that is known; else why one of them cannot. */
function gateDetail(clusters: readonly ClusterPlan[], now: Instant): string {
  const times = clusters.flatMap(({ until }) => (until === undefined ? [] : [until])).sort();
  const at = times[0] === undefined ? undefined : parseInstant(times[0]);
  if (at !== undefined) return `${clusters.length === 1 ? '' : 'the first '}not before ${timeText(at, now)}`;
  const [first] = clusters;
  return first === undefined ? '' : `${first.name}: ${withRelativeTimes(first.reason, now)}`;
}

/** The most time between two slots of a window that is as good as open all the time. */
const CLOSE = 15 * MICROS.minute;
const AT_ONCE = { lead: 0, window: CLOSE };

/**
 * Whether a start is one of many slots close together, as in `* * * * *` or within `* 8-16 * * *`: each pass that does not
 * schedule the upgrade moves it to the next slot, and nothing else has changed.
 */
export function isRollingStart(schedule: string, start: Instant): boolean {
  const dialect = scheduleFault(schedule, 'five-fields') === undefined ? 'five-fields' : 'croniter';
  const slotAfter = (time: Instant): Instant | undefined => {
    const due = windowAt(schedule, time, { dialect, timing: AT_ONCE });
    return 'slot' in due ? due.slot : undefined;
  };
  const before = slotAfter(later(start, -CLOSE - MICROS.second));
  const after = slotAfter(start);
  return before !== undefined && before < start && after !== undefined && after - start <= CLOSE;
}
