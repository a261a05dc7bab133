import type { Instant } from '../gates/index.ts';
import type {
  AgedProblem,
  ConsoleState,
  FleetProblem,
  Observed,
  ShardsData,
  ShardsView,
  UpgradesData,
  UpgradesView,
} from './state.ts';
import { clusterChoices, clusterRows, forecastKey } from './views/clusters.ts';
import { integrationSizes, shardStates, soonestUpgrades, upgradesSummary } from './views/overview.ts';
import { pinProblems, rolloutProblems, shardProblems, upgradeProblems } from './views/problem-sources.ts';
import { sheetChoicesIn, sheetRowsOf } from './views/report.ts';
import { shardChoices } from './views/shards.ts';
import { firstChange, versionNumbers } from './views/timeline.ts';

/** Everything that pages derive from an observation of OCM. */
export function upgradesView(data: UpgradesData): UpgradesView {
  const forecasts = new Map(data.forecast.clusters.map((each) => [forecastKey(each), each]));
  const rows = clusterRows({ ...data, forecasts });
  const sheetRows = sheetRowsOf(data.report);
  return {
    ...data,
    forecasts,
    rows,
    choices: clusterChoices(rows),
    summary: upgradesSummary(rows),
    soonest: soonestUpgrades(data.forecast),
    versionNumbers: versionNumbers(data),
    firstChange: firstChange(data),
    sheetRows,
    sheetChoices: sheetChoicesIn(data.report, sheetRows),
    problems: upgradeProblems(data),
  };
}

/** Everything that pages derive from an observation of integrations. */
export function shardsView(data: ShardsData): ShardsView {
  return {
    ...data,
    choices: shardChoices(data.shards),
    states: shardStates(data),
    integrations: integrationSizes(data),
    problems: shardProblems(data),
  };
}

/** Everything that needs a human with its age. What lasts keeps the time it was first seen, what is over is forgotten. */
export function agedProblems(
  state: Pick<ConsoleState, 'upgrades' | 'shards'>,
  before: readonly AgedProblem[],
  now: Instant,
): AgedProblem[] {
  const seen = new Map(before.map(({ id, firstSeen }) => [id, firstSeen]));
  return problemsOf(state).map((problem) => {
    const firstSeen = seen.get(problem.id) ?? now;
    return { ...problem, since: problem.since ?? firstSeen, isFirstSeen: problem.since === undefined, firstSeen };
  });
}

/** Everything that needs a human: errors first, and in the order in which they stop others. */
export function problemsOf({ upgrades, shards }: Pick<ConsoleState, 'upgrades' | 'shards'>): FleetProblem[] {
  const all = [
    ...unobserved('clusters', upgrades),
    ...unobserved('shards', shards),
    ...(shards.kind === 'known' ? [...rolloutProblems(shards.data), ...shards.data.problems] : []),
    ...(upgrades.kind === 'known' ? upgrades.data.problems : []),
    ...(shards.kind === 'known' ? pinProblems(shards.data, shards.asOf) : []),
  ];
  return all.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
}

/** A half whose last observation failed. */
function unobserved(half: string, known: Observed<unknown>): FleetProblem[] {
  if ((known.kind !== 'known' && known.kind !== 'failed') || known.error === undefined) return [];
  const { message, hint } = known.error;
  return [
    { id: `unobserved ${half}`, where: half, message: `observation failed: ${message}`, hint, severity: 'error' },
  ];
}
