import { count } from '../../../base/index.ts';
import {
  type ClusterForecast,
  type Forecast,
  type Foreseen,
  type Instant,
  type Move,
  secondText,
} from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import type { Paint } from '../../output/colour.ts';
import { API_VERSION } from '../../output/format.ts';
import { markdownTable, textTable } from '../../output/table.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';
import { forecastCalendar } from './forecast-ics.ts';
import { forecastDrawing } from './forecast-svg.ts';

export type ForecastFormat = 'table' | 'json' | 'yaml' | 'markdown' | 'ics' | 'svg';

export interface ShownForecast {
  readonly forecast: Forecast;
  /** What a what-if moves. */
  readonly moves?: readonly Move[];
}

export async function printForecast(io: Io, shown: ShownForecast, format: ForecastFormat, paint: Paint): Promise<void> {
  await writerFor(WRITERS, format, 'upgrades forecast')(io, shown, paint);
}

const WRITERS: Writers<ShownForecast, ForecastFormat> = {
  table: (io, shown, paint) => io.stdout.write(plainText(shown, paint)),
  ...documentWriters(forecastDocument),
  markdown: (io, shown) => io.stdout.write(markdownText(shown)),
  ics: (io, { forecast }) => io.stdout.write(forecastCalendar(forecast)),
  svg: (io, { forecast }) => io.stdout.write(forecastDrawing(forecast)),
};

const UPGRADES = ['STARTS', 'ORGANIZATION', 'CLUSTER', 'FROM', 'TO', 'NODE POOL', 'DECIDED'] as const;
const WAITING = ['ORGANIZATION', 'CLUSTER', 'VERSION', 'GATE', 'WHY'] as const;
const MOVES = ['ORGANIZATION', 'CLUSTER', 'VERSION', 'NODE POOL', 'BEFORE', 'AFTER'] as const;

function plainText({ forecast, moves }: ShownForecast, paint: Paint): string {
  const { from, to, clusters, assumptions } = forecast;
  const upgrades = upgradeRows(forecast);
  const waiting = waitingRows(forecast);
  return [
    `${paint('bold', `${secondText(from)} to ${secondText(to)}: ${count(clusters.length, 'cluster')}, ${count(upgrades.length, 'upgrade')}`)}\n`,
    upgrades.length === 0 ? '' : `\n${textTable(UPGRADES, upgrades, paint)}`,
    waiting.length === 0 ? '' : `\n${paint('bold', 'Waiting at the end:')}\n${textTable(WAITING, waiting, paint)}`,
    moves === undefined ? '' : `\n${paint('bold', 'What the change moves:')}\n${movesText(moves, paint)}`,
    `\n${paint('bold', 'This holds if')}\n${assumptions.map((text) => `- ${text}\n`).join('')}`,
  ].join('');
}

function movesText(moves: readonly Move[], paint: Paint): string {
  return moves.length === 0 ? 'nothing\n' : textTable(MOVES, moveRows(moves), paint);
}

function markdownText({ forecast, moves }: ShownForecast): string {
  const { from, to, assumptions } = forecast;
  return [
    `## Upgrades from ${secondText(from)} to ${secondText(to)}\n\n${markdownTable(UPGRADES, upgradeRows(forecast))}`,
    `### Waiting at the end\n\n${markdownTable(WAITING, waitingRows(forecast))}`,
    ...(moves === undefined ? [] : [`### What the change moves\n\n${markdownTable(MOVES, moveRows(moves))}`]),
    `### This holds if\n\n${assumptions.map((text) => `- ${text}\n`).join('')}`,
  ].join('\n');
}

interface Row {
  readonly cluster: ClusterForecast;
  readonly upgrade: Foreseen;
}

/** In order of time. */
function upgradesIn({ clusters }: Forecast): Row[] {
  const rows = clusters.flatMap((cluster) => cluster.upgrades.map((upgrade) => ({ cluster, upgrade })));
  return rows.sort((a, b) => a.upgrade.startsAt - b.upgrade.startsAt);
}

function upgradeRows(forecast: Forecast): string[][] {
  return upgradesIn(forecast).map(({ cluster, upgrade: { from, version, nodePool, startsAt, decidedAt } }) => [
    secondText(startsAt),
    cluster.organization,
    cluster.name,
    from,
    version,
    nodePool ?? '-',
    timeText(decidedAt, 'already'),
  ]);
}

function waitingRows({ clusters }: Forecast): string[][] {
  return clusters.flatMap(({ organization, name, version, upgrades, waiting }) => {
    const last = waiting.at(-1);
    if (last === undefined || last.action === 'none' || last.action === 'upgrade') return [];
    const reached = upgrades.filter(({ nodePool }) => nodePool === undefined).at(-1)?.version ?? version;
    return [[organization, name, reached, last.gate ?? last.action, last.reason]];
  });
}

function moveRows(moves: readonly Move[]): string[][] {
  return moves.map(({ organization, cluster, version, nodePool = '-', before, after }) => [
    ...[organization, cluster, version, nodePool],
    ...[timeText(before, 'not'), timeText(after, 'not')],
  ]);
}

function timeText(instant: Instant | undefined, otherwise: string): string {
  return instant === undefined ? otherwise : secondText(instant);
}

function forecastDocument({ forecast, moves }: ShownForecast): object {
  const { from, to, assumptions, clusters } = forecast;
  return {
    ...{ apiVersion: API_VERSION, kind: 'UpgradeForecast', from: secondText(from), to: secondText(to), assumptions },
    clusters: clusters.map(({ upgrades, waiting, ...cluster }) => ({
      ...cluster,
      upgrades: upgrades.map(({ clusterId: _, decidedAt, startsAt, endsAt, ...upgrade }) => ({
        ...upgrade,
        ...(decidedAt === undefined ? {} : { decidedAt: secondText(decidedAt) }),
        startsAt: secondText(startsAt),
        endsAt: secondText(endsAt),
      })),
      waiting: waiting.map(({ since, ...entry }) => ({ since: secondText(since), ...entry })),
    })),
    ...(moves === undefined ? {} : { moves: moves.map(moveDocument) }),
  };
}

function moveDocument({ before, after, ...move }: Move): object {
  return {
    ...move,
    ...(before === undefined ? {} : { before: secondText(before) }),
    ...(after === undefined ? {} : { after: secondText(after) }),
  };
}
