import { markdownTable, type Table, textTable } from '../../../base/index.ts';
import {
  type ClusterAction,
  clusterChanges,
  planDocument,
  planObstacles,
  serviceLogTable,
  type UpgradePlan,
  type UpgradePlanTable,
  upgradePlanSummary,
  upgradePlanTable,
} from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import type { Colour, Paint } from '../../output/colour.ts';
import { fitting } from '../../output/fitting.ts';
import { API_VERSION, type Format } from '../../output/format.ts';
import { errorLine, writeObstacle } from '../../output/obstacle.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../../output/writers.ts';

const COLOURS: Readonly<Partial<Record<ClusterAction, Colour>>> = {
  upgrade: 'green',
  'upgrade-node-pool': 'green',
  'switch-channel': 'green',
  cancel: 'red',
  'agree-gates': 'yellow',
  hold: 'yellow',
};

/** Prints a plan: every cluster with its action and reason, then a summary. */
export async function printPlan(io: Io, plan: UpgradePlan, format: Format, paint: Paint): Promise<void> {
  await writerFor(WRITERS, format, 'upgrades plan')(io, plan, paint);
}

const WRITERS: Writers<UpgradePlan> = {
  table: inTable('usual', (io, table, paint) => coloured(table, paint, fitting(io))),
  wide: inTable('wide', (_, table, paint) => coloured(table, paint)),
  ...documentWriters((plan: UpgradePlan) => ({ apiVersion: API_VERSION, kind: 'UpgradePlan', ...planDocument(plan) })),
  name: (io, plan) => {
    for (const { name } of clusterChanges(plan)) io.stdout.write(line(`cluster/${name}`));
  },
  markdown: inTable('usual', (_, { titles, rows }) => `${markdownTable(titles, rows)}\n`),
};

function inTable(
  which: 'usual' | 'wide',
  draw: (io: Io, table: Table & Partial<UpgradePlanTable>, paint: Paint) => string,
): Writer<UpgradePlan> {
  return (io, plan, paint) => {
    const table = upgradePlanTable(plan, which);
    if (table.rows.length > 0) io.stdout.write(draw(io, table, paint));
    const logs = serviceLogTable(plan, which);
    if (logs.rows.length > 0) io.stdout.write(`\n${draw(io, logs, paint)}\n`);
    io.stdout.write(`${paint('bold', upgradePlanSummary(plan))}\n`);
  };
}

function coloured(
  { titles, rows, actions = [] }: Table & Partial<UpgradePlanTable>,
  paint: Paint,
  fit: ReturnType<typeof fitting> = {},
): string {
  const colour = (row: number, column: number): Colour | undefined => {
    const action = actions[row];
    return titles[column] === 'ACTION' && action !== undefined ? COLOURS[action] : undefined;
  };
  return textTable(titles, rows, paint, { ...fit, colour });
}

/** Reports on standard error what could not be observed, and what stops or delays an organization; whether the service failed. */
export function reportObstacles(io: Io, plan: UpgradePlan, paint: Paint): boolean {
  const obstacles = planObstacles(plan);
  for (const { subject, ...obstacle } of obstacles) {
    if (obstacle.kind === 'fault') writeObstacle(io, obstacle.fault, paint, `${subject}: ${obstacle.fault.message}`);
    else io.stderr.write(errorLine(io, `${paint('yellow', `${obstacle.kind}:`)} ${subject}: ${obstacle.reason}`));
  }
  return obstacles.some(({ kind }) => kind === 'fault');
}
