import { byText, type Table } from '../../base/index.ts';
import type { SimulatedTimeline, SimulatedUpgrade } from './timeline.ts';

const DAY_MS = 24 * 3_600_000;

export interface TimelineTables {
  readonly upgraded: Table;
  readonly waiting: Table;
  readonly notices: Table;
}

/** What happened in a simulation: summed up, or with every cluster. */
export function timelineTables(timeline: SimulatedTimeline, wide: boolean): TimelineTables {
  const { upgraded, waiting, told, from } = timeline;
  return {
    upgraded: wide ? eachUpgrade(upgraded) : byDay(upgraded, from),
    waiting: waitingClusters(waiting, wide),
    notices: noticeTable(told),
  };
}

/** One line per day and upgrade, with the number of clusters. */
function byDay(upgraded: readonly SimulatedUpgrade[], start: string): Table {
  const groups = Map.groupBy(upgraded, ({ at, organization, from, to }) =>
    [at.slice(0, 10), organization, from, to].join('\t'),
  );
  const rows = [...groups].map(([key, own]) => {
    const [date = '', organization = '', from, to] = key.split('\t');
    const day = Math.round((Date.parse(date) - Date.parse(start.slice(0, 10))) / DAY_MS);
    const names = own.map(({ cluster }) => cluster).sort(byText);
    return [String(day), date, organization, `${from} → ${to}`, short(names)];
  });
  return { titles: ['DAY', 'DATE', 'ORGANIZATION', 'UPGRADE', 'CLUSTERS'], rows };
}

const NAMED = 3;

function short(names: readonly string[]): string {
  const more = names.length - NAMED;
  return more > 0 ? `${names.slice(0, NAMED).join(', ')} and ${more} more` : names.join(', ');
}

function eachUpgrade(upgraded: readonly SimulatedUpgrade[]): Table {
  const rows = upgraded.map(({ at, environment, organization, cluster, from, to }) => [
    at.slice(0, 16).replace('T', ' '),
    environment,
    organization,
    cluster,
    `${from} → ${to}`,
  ]);
  return { titles: ['SEEN', 'ENVIRONMENT', 'ORGANIZATION', 'CLUSTER', 'UPGRADE'], rows };
}

/** The reasons, each with one cluster as an example; all clusters with `-o wide`. */
function waitingClusters(waiting: SimulatedTimeline['waiting'], wide: boolean): Table {
  const cells = ({
    organization,
    name,
    version,
    action,
    gate,
    reason,
  }: SimulatedTimeline['waiting'][number]): string[] => [gate ?? action, organization, name, version, reason];
  if (wide) return { titles: ['GATE', 'ORGANIZATION', 'CLUSTER', 'VERSION', 'WHY'], rows: waiting.map(cells) };
  const groups = Map.groupBy(waiting, ({ organization, action, gate }) => `${gate ?? action}\t${organization}`);
  const rows = [...groups.values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [[...cells(first).slice(0, 2), String(own.length), first.name, first.reason]];
  });
  return { titles: ['GATE', 'ORGANIZATION', 'CLUSTERS', 'EXAMPLE', 'WHY'], rows };
}

function noticeTable(told: SimulatedTimeline['told']): Table {
  const rows = [...Map.groupBy(told, ({ problem }) => problem)].map(([problem, own]) => [
    short([...new Set(own.map(({ cluster }) => cluster))].sort(byText)),
    problem,
  ]);
  return { titles: ['CLUSTERS', 'PROBLEM'], rows };
}
