import { markdownTable, textTable } from '../../../base/index.ts';
import {
  type FleetPlan,
  fleetObstacles,
  fleetPlanDocument,
  isNoteworthy,
  PLAN_TITLES,
  type PlanItem,
  type PlannedFleet,
  planRow,
  planSummaryText,
  takeOverNotice,
} from '../../../manager/index.ts';
import type { Io } from '../../io.ts';
import type { Colour, Paint } from '../../output/colour.ts';
import { fitting } from '../../output/fitting.ts';
import { API_VERSION, type Format } from '../../output/format.ts';
import { errorLine, writeObstacle } from '../../output/obstacle.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../../output/writers.ts';

const COLOURS: Readonly<Partial<Record<PlanItem['action'], Colour>>> = {
  create: 'green',
  update: 'yellow',
  adopt: 'yellow',
  recreate: 'red',
  delete: 'red',
  hold: 'cyan',
  withhold: 'red',
  conflict: 'red',
};

/** Prints a plan: the actions with their reasons, then a summary. */
export async function printPlan(io: Io, plan: FleetPlan, format: Format, paint: Paint): Promise<void> {
  await writerFor(WRITERS, format, 'manager plan')(io, plan, paint);
}

type TableOf = (io: Io, rows: string[][], items: readonly PlanItem[], paint: Paint) => string;

/** The colour only repeats what the words say. */
const forTerminal =
  (format: 'table' | 'wide'): TableOf =>
  (io, rows, items, paint) =>
    textTable(PLAN_TITLES, rows, paint, {
      ...fitting(io, format),
      colour: (row, column) => (column === 0 ? COLOURS[items[row]?.action ?? 'keep'] : undefined),
    });

const WRITERS: Writers<FleetPlan> = {
  table: inTable(isNoteworthy, forTerminal('table')),
  wide: inTable(() => true, forTerminal('wide')),
  ...documentWriters((plan: FleetPlan) => ({ apiVersion: API_VERSION, kind: 'Plan', ...fleetPlanDocument(plan) })),
  name: (io, { items }) => {
    for (const { kind, name } of items.filter(isNoteworthy)) io.stdout.write(line(`${kind.toLowerCase()}/${name}`));
  },
  markdown: inTable(isNoteworthy, (_, rows) => `${markdownTable(PLAN_TITLES, rows)}\n`),
};

function inTable(isShown: (item: PlanItem) => boolean, tableOf: TableOf): Writer<FleetPlan> {
  return (io, plan, paint) => {
    const items = plan.items.filter(isShown);
    if (plan.takeOver !== undefined) io.stdout.write(takeOverNotice(plan.takeOver).map(line).join(''));
    const rows = items.map(planRow);
    if (rows.length > 0) io.stdout.write(tableOf(io, rows, items, paint));
    io.stdout.write(`${paint('bold', planSummaryText(plan))}\n`);
  };
}

/** Reports what prevents the plan from being applied completely on standard error; returns whether there is any. */
export function reportObstacles(io: Io, { plan, rollout }: PlannedFleet, paint: Paint): boolean {
  const { failures, breaches, consentHints, conflictHints, notes, any } = fleetObstacles(plan, rollout);
  for (const failure of failures) writeObstacle(io, failure, paint);
  for (const { message, code } of breaches)
    io.stderr.write(errorLine(io, `${paint('red', 'error:')} ${message} [${code}]`));
  for (const hint of consentHints) io.stderr.write(line(`    ${hint}`));
  for (const hint of conflictHints) io.stderr.write(line(`${paint('dim', 'hint:')} ${hint}`));
  for (const note of notes) io.stderr.write(errorLine(io, `note: ${note}`));
  return any;
}
