import type { Table } from '../../base/index.ts';
import { type Instant, secondText } from '../../gates/index.ts';
import type { Move } from './compare.ts';
import type { Forecast } from './forecast.ts';

const UPGRADES = ['STARTS', 'ORGANIZATION', 'CLUSTER', 'FROM', 'TO', 'NODE POOL', 'DECIDED'];
const WAITING = ['ORGANIZATION', 'CLUSTER', 'VERSION', 'GATE', 'WHY'];
const MOVES = ['ORGANIZATION', 'CLUSTER', 'VERSION', 'NODE POOL', 'BEFORE', 'AFTER'];

/** Upgrades in order of time. */
export function upgradeTable({ clusters }: Forecast): Table {
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
export function waitingTable({ clusters }: Forecast): Table {
  const rows = clusters.flatMap(({ organization, name, version, upgrades, waiting }) => {
    const last = waiting.at(-1);
    if (last === undefined || last.action === 'none' || last.action === 'upgrade') return [];
    const reached = upgrades.filter(({ nodePool }) => nodePool === undefined).at(-1)?.version ?? version;
    return [[organization, name, reached, last.gate ?? last.action, last.reason]];
  });
  return { titles: WAITING, rows };
}

export function moveTable(moves: readonly Move[]): Table {
  const rows = moves.map(({ organization, cluster, version, nodePool = '-', before, after }) => [
    ...[organization, cluster, version, nodePool],
    ...[timeText(before, 'not'), timeText(after, 'not')],
  ]);
  return { titles: MOVES, rows };
}

function timeText(instant: Instant | undefined, otherwise: string): string {
  return instant === undefined ? otherwise : secondText(instant);
}
