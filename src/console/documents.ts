import { defined } from '../base/index.ts';
import { type Instant, secondText } from '../gates/index.ts';
import type { BoardShard, BoardTrack } from '../rollouts/index.ts';
import type { ClusterDetail } from './clusters/cluster-page.ts';
import type { ClusterRow } from './clusters/rows.ts';
import { clusterRows } from './clusters/rows.ts';
import { shardStates, upgradesSummary } from './overview/overview.ts';
import { agedProblems } from './overview/problems.ts';
import { shardProblems } from './overview/shard-problems.ts';
import { upgradeProblems } from './overview/upgrade-problems.ts';
import type { ConsoleShard, ConsoleState, Half, UpgradesData } from './state.ts';
import type { TimelineRow } from './timeline/timeline.ts';

/** The same for all machine-readable documents. */
const API_VERSION = 'echelon/v1';

type Kind =
  | 'ConsoleOverview'
  | 'ConsoleClusterList'
  | 'ConsoleCluster'
  | 'ConsoleTimeline'
  | 'ConsoleShardList'
  | 'ConsoleShard'
  | 'ConsoleRolloutList'
  | 'ConsoleRolloutShard'
  | 'ConsoleVersionList'
  | 'UpgradeReport';

/** A machine-readable document; changes within a version are only additions. */
export function jsonDocument(kind: Kind, about: object): string {
  return `${JSON.stringify({ apiVersion: API_VERSION, kind, ...about })}\n`;
}

/** The time of the data, and its error if any. */
export function halfJson<Data>(half: Half<Data>): object {
  if (half.kind === 'known') {
    const failed = half.error === undefined ? {} : { error: half.error };
    return { state: half.kind, asOf: secondText(half.asOf), ...failed };
  }
  if (half.kind === 'failed') return { state: half.kind, at: secondText(half.at), error: half.error };
  if (half.kind === 'absent') return { state: half.kind, message: half.message, hint: half.hint };
  return { state: half.kind };
}

/** The same for the upgrades half, with the state of its forecast. */
export function upgradesJson(half: Half<UpgradesData>): object {
  if (half.kind !== 'known') return halfJson(half);
  const { outlook, forecast } = half.data;
  const asOf = forecast.clusters.length === 0 && outlook.kind !== 'ready' ? {} : { asOf: secondText(forecast.from) };
  const failed = outlook.kind === 'failed' ? { error: outlook.error } : {};
  return { ...halfJson(half), forecast: { state: outlook.kind, ...asOf, ...failed } };
}

export function overviewJson(state: ConsoleState): object {
  const { upgrades, shards } = state;
  const rows = upgrades.kind === 'known' ? clusterRows(upgrades.data) : [];
  return {
    problems: agedProblems(state).map(({ since, ...problem }) => ({ ...problem, since: secondText(since) })),
    upgrades: {
      ...upgradesJson(upgrades),
      ...(upgrades.kind === 'known' ? { ...upgradesSummary(rows), problems: upgradeProblems(upgrades.data) } : {}),
    },
    shards: {
      ...halfJson(shards),
      ...(shards.kind === 'known' ? { states: shardStates(shards.data), problems: shardProblems(shards.data) } : {}),
    },
  };
}

export function clusterJson({ cluster, gate, next }: ClusterRow): object {
  const { before: _, candidates: __, gate: ___, ...about } = cluster;
  const foreseen = next === undefined ? {} : { next: { version: next.version, startsAt: secondText(next.startsAt) } };
  return { ...about, ...(gate === '' ? {} : { gate }), ...foreseen };
}

export function clusterDetailJson(detail: ClusterDetail): object {
  const { row, forecast, recorded, sighted, scheduled, problems } = detail;
  return {
    cluster: row.cluster,
    problems: problems.map(({ scope: _, ...problem }) => problem),
    ...courseJson({ forecast, recorded, sighted, scheduled }),
  };
}

export function timelineJson({ row, ...course }: TimelineRow): object {
  const { environment, orgId, organization, id, uuid, name, version } = row.cluster;
  return { environment, orgId, organization, id, uuid, name, version, ...courseJson(course) };
}

function courseJson(course: Pick<TimelineRow, 'forecast' | 'recorded' | 'sighted' | 'scheduled'>): object {
  const { forecast, recorded, sighted, scheduled } = course;
  return {
    recorded,
    seen: sighted.map(({ version, since }) => ({ version, since: secondText(since) })),
    forecast: (forecast?.upgrades ?? []).map(({ from, version, nodePool, startsAt, endsAt }) => ({
      ...{ from, version, startsAt: secondText(startsAt), endsAt: secondText(endsAt) },
      ...defined({ nodePool }),
    })),
    scheduled: scheduled.map(({ version, nodePool, at, startsAt }) => ({
      ...{ version, at: secondText(at), startsAt: secondText(startsAt) },
      ...defined({ nodePool }),
    })),
  };
}

export function shardJson(shard: ConsoleShard): object {
  return shard;
}

export function boardTrackJson({ since, alerts, waves, stoppedBy, ...track }: BoardTrack): object {
  return {
    ...track,
    ...(stoppedBy === undefined
      ? {}
      : { stoppedBy: { reason: stoppedBy.reason, ...dated('at', stoppedBy.at), ...dated('until', stoppedBy.until) } }),
    ...dated('since', since),
    alerts: alerts.map(({ at, ...alert }) => ({ ...alert, ...dated('at', at) })),
    waves: waves.map((wave) => ({ ...wave, shards: wave.shards.map(boardShardJson) })),
  };
}

export function boardShardJson({ gates, shadow, ...shard }: BoardShard): object {
  return {
    ...shard,
    ...(shadow === undefined ? {} : { shadow: shadowJson(shadow) }),
    ...defined({ gates: gates?.map(({ until, ...gate }) => ({ ...gate, ...dated('until', until) })) }),
  };
}

function shadowJson({ at, triedAt, ...shadow }: NonNullable<BoardShard['shadow']>): object {
  return { ...shadow, ...dated('at', at), ...dated('triedAt', triedAt) };
}

function dated(name: string, at: Instant | undefined): object {
  return at === undefined ? {} : { [name]: secondText(at) };
}
