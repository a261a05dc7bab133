import { type Instant, MICROS } from '../../gates/index.ts';
import type { ClusterForecast, PastUpgrade } from '../../upgrades/index.ts';
import { type ClusterRow, forecastOf } from '../clusters/rows.ts';
import { oncePer } from '../once.ts';
import { inOrder, pastOf } from '../past.ts';
import type { ConsoleState, Sighted, UpgradesData } from '../state.ts';

/** The period in which a cluster has a version. */
export interface Stretch {
  readonly version: string;
  readonly from: Instant;
  readonly to: Instant;
  /** Observed by this console, or forecast. */
  readonly kind: 'seen' | 'foreseen';
}

export interface TimelineRow {
  readonly row: ClusterRow;
  readonly forecast: ClusterForecast | undefined;
  readonly stretches: readonly Stretch[];
  readonly sighted: readonly Sighted[];
  /** Oldest first. */
  readonly scheduled: readonly PastUpgrade[];
  /** In the history, without dates. */
  readonly recorded: readonly string[];
}

export interface Axis {
  readonly from: Instant;
  readonly to: Instant;
  /** The time of the data. */
  readonly now: Instant;
}

/** At least this share of the axis is the past, so that the line at the current time is visible. */
const LEAST_PAST = 1 / 12;
const LONGEST_PAST_DAYS = 30;

const firstKept = oncePer((kept: UpgradesData['past']): number =>
  [...kept.values()].reduce((from, { versions }) => Math.min(from, versions[0]?.since ?? from), Infinity),
);

/** From the first observation of a scheduler or of this console, at most a month back, to the end of the forecast. */
export function axisOf({ forecast, past: kept }: UpgradesData, { startedAt }: ConsoleState): Axis {
  const now = forecast.from;
  const least = (forecast.to - now) * LEAST_PAST;
  const first = Math.min(startedAt, firstKept(kept));
  const past = Math.min(Math.max(now - first, least), LONGEST_PAST_DAYS * MICROS.day);
  return { from: (now - past) as Instant, to: forecast.to, now };
}

export function timelineRows(rows: readonly ClusterRow[], data: UpgradesData, state: ConsoleState): TimelineRow[] {
  const axis = axisOf(data, state);
  return rows.map((row) => {
    const { id, version } = row.cluster;
    const forecast = forecastOf(data, row.cluster);
    const sighted = pastOf(data, state, id);
    const dated = new Set(sighted.map((each) => each.version));
    return {
      row,
      forecast,
      sighted,
      scheduled: data.past.get(id)?.scheduled ?? [],
      recorded: (data.recorded.get(id) ?? []).filter((each) => each !== version && !dated.has(each)),
      stretches: [...seen(sighted, axis), ...foreseen(version, forecast, axis)],
    };
  });
}

function seen(sighted: readonly Sighted[], { from, now }: Axis): Stretch[] {
  return sighted.flatMap(({ version, since }, index) => {
    const end = sighted[index + 1]?.since ?? now;
    const start = Math.max(since, from) as Instant;
    return end <= start ? [] : [{ version, from: start, to: end, kind: 'seen' as const }];
  });
}

/** A cluster without a forecast, such as while it is computed, has no future periods. */
function foreseen(version: string, forecast: ClusterForecast | undefined, { now, to }: Axis): Stretch[] {
  if (forecast === undefined) return [];
  const own = forecast.upgrades.filter(({ nodePool, endsAt }) => nodePool === undefined && endsAt <= to);
  const starts = [
    { version, from: now },
    ...own.map((each) => ({ version: each.version as string, from: each.endsAt })),
  ];
  return starts.map((each, index) => ({ ...each, to: starts[index + 1]?.from ?? to, kind: 'foreseen' }));
}

/** Numbers of colours; a version has the same one on every page. */
export const versionNumbers = oncePer(({ clusters, forecast, recorded }: UpgradesData): ReadonlyMap<string, number> => {
  const versions = new Set<string>([
    ...clusters.map(({ version }) => version),
    ...forecast.clusters.flatMap(({ version, upgrades }) => [version, ...upgrades.map((each) => each.version)]),
    ...[...recorded.values()].flat(),
  ]);
  return new Map([...versions].sort(inOrder).map((version, index) => [version, index]));
});
