import { count, defined, markdownTable, type Table, textTable } from '../../base/index.ts';
import { type Instant, secondText } from '../../gates/index.ts';
import type { Forecast } from './forecast.ts';
import type { ForecastChange, Move } from './request.ts';

/** A forecast for a terminal; tables fit its width, where one is given. */
export function forecastText(
  { forecast, moves }: ForecastChange,
  paint: (colour: 'bold' | 'dim', text: string) => string,
  fit: { readonly width?: number; readonly cell?: (text: string) => string },
): string {
  const { cell = (line: string) => line } = fit;
  const { from, to, clusters, assumptions } = forecast;
  const [upgrades, waiting] = [upgradeTable(forecast), waitingTable(forecast)];
  const text = ({ titles, rows }: Table): string => textTable(titles, rows, paint, fit);
  const moved = moves === undefined || moves.length === 0 ? 'nothing\n' : text(moveTable(moves));
  return [
    `${paint('bold', cell(`${secondText(from)} to ${secondText(to)}: ${count(clusters.length, 'cluster')}, ${count(upgrades.rows.length, 'upgrade')}`))}\n`,
    upgrades.rows.length === 0 ? '' : `\n${text(upgrades)}`,
    waiting.rows.length === 0 ? '' : `\n${paint('bold', 'Waiting at the end:')}\n${text(waiting)}`,
    moves === undefined ? '' : `\n${paint('bold', 'Changes by the what-if:')}\n${moved}`,
    `\n${paint('bold', 'Assumptions:')}\n${assumptions.map((each) => `- ${cell(each)}\n`).join('')}`,
  ].join('');
}

export function forecastMarkdown({ forecast, moves }: ForecastChange): string {
  const { from, to, assumptions } = forecast;
  const text = ({ titles, rows }: Table): string => markdownTable(titles, rows);
  return [
    `## Upgrades from ${secondText(from)} to ${secondText(to)}\n\n${text(upgradeTable(forecast))}`,
    `### Waiting at the end\n\n${text(waitingTable(forecast))}`,
    ...(moves === undefined ? [] : [`### Changes by the what-if\n\n${text(moveTable(moves))}`]),
    `### Assumptions\n\n${assumptions.map((each) => `- ${each}\n`).join('')}`,
  ].join('\n');
}

const UPGRADES = ['STARTS', 'ORGANIZATION', 'CLUSTER', 'FROM', 'TO', 'NODE POOL', 'DECIDED'];
const WAITING = ['ORGANIZATION', 'CLUSTER', 'VERSION', 'GATE', 'WHY'];
const MOVES = ['ORGANIZATION', 'CLUSTER', 'VERSION', 'NODE POOL', 'BEFORE', 'AFTER'];

/** Upgrades in order of time. */
function upgradeTable({ clusters }: Forecast): Table {
  const upgrades = clusters.flatMap((cluster) => cluster.upgrades.map((upgrade) => ({ cluster, upgrade })));
  const rows = upgrades
    .sort((a, b) => a.upgrade.startsAt - b.upgrade.startsAt)
    .map(({ cluster, upgrade: { from, version, nodePool, startsAt, decidedAt } }) => [
      secondText(startsAt),
      cluster.organization,
      cluster.name,
      from,
      version,
      nodePool ?? '-',
      timeText(decidedAt, 'already'),
    ]);
  return { titles: UPGRADES, rows };
}

/** Clusters that still wait for something when the forecast ends. */
function waitingTable({ clusters }: Forecast): Table {
  const rows = clusters.flatMap(({ organization, name, version, upgrades, waiting }) => {
    const last = waiting.at(-1);
    if (last === undefined || last.action === 'none' || last.action === 'upgrade') return [];
    const reached = upgrades.filter(({ nodePool }) => nodePool === undefined).at(-1)?.version ?? version;
    return [[organization, name, reached, last.gate ?? last.action, last.reason]];
  });
  return { titles: WAITING, rows };
}

function moveTable(moves: readonly Move[]): Table {
  const rows = moves.map(({ organization, cluster, version, nodePool = '-', before, after }) => [
    ...[organization, cluster, version, nodePool],
    ...[timeText(before, 'not'), timeText(after, 'not')],
  ]);
  return { titles: MOVES, rows };
}

function timeText(instant: Instant | undefined, otherwise: string): string {
  return instant === undefined ? otherwise : secondText(instant);
}

/** For programs; times are ISO 8601. */
export function forecastDocument({ forecast, moves }: ForecastChange): object {
  const { from, to, assumptions, clusters } = forecast;
  return {
    ...{ from: secondText(from), to: secondText(to), assumptions },
    clusters: clusters.map(({ upgrades, waiting, ...cluster }) => ({
      ...cluster,
      upgrades: upgrades.map(({ clusterId: _, decidedAt, startsAt, endsAt, ...upgrade }) => ({
        ...upgrade,
        ...times({ decidedAt, startsAt, endsAt }),
      })),
      waiting: waiting.map(({ since, ...entry }) => ({ since: secondText(since), ...entry })),
    })),
    ...defined({ moves: moves?.map(({ before, after, ...move }) => ({ ...move, ...times({ before, after }) })) }),
  };
}

function times(instants: Readonly<Record<string, Instant | undefined>>): object {
  return Object.fromEntries(
    Object.entries(instants).flatMap(([name, instant]) => (instant === undefined ? [] : [[name, secondText(instant)]])),
  );
}
