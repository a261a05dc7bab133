import { defined, markdownTable, type Table, textTable } from '../../../base/index.ts';
import {
  type AppliedPlan,
  applyQuestion,
  applySummary,
  applySummaryText,
  type ClusterAction,
  clusterChanges,
  type MadePlan,
  openUpgrades,
  type PlanCalls,
  planDocument,
  planObstacles,
  resultDocument,
  serviceLogCount,
  serviceLogTable,
  type UpgradePlan,
  type UpgradePlanTable,
  upgradePlanSummary,
  upgradePlanTable,
  watchedPlan,
} from '../../../upgrades/index.ts';
import { consent } from '../../consent.ts';
import { EXIT, type Io } from '../../io.ts';
import {
  API_VERSION,
  document,
  documentWriters,
  errorLine,
  type Format,
  isDocument,
  type Writer,
  type Writers,
  writeObstacle,
  writerFor,
} from '../../output/formats.ts';
import { type Colour, fitting, line, type Paint, paintFor, progressOn } from '../../output/terminal.ts';
import { type WatchFlags, watching } from '../../watch.ts';
import { type SourceFlags, timed, upgradesPorts } from './ports.ts';
import type { PlanClock } from './simulated-clock.ts';

export interface UpgradesPlanFlags extends SourceFlags, WatchFlags {
  readonly detailedExitcode?: boolean;
}

/** Shows what an apply would do, and what every other cluster waits for; with `--watch` until none does. Writes nothing. */
export async function plan(given: Io, flags: UpgradesPlanFlags, clock?: PlanClock): Promise<number> {
  const io = timed(given, clock);
  const watched = watching(io, flags);
  const which = flags.output === 'wide' ? 'wide' : 'usual';
  const service = await openReadOnly(watched.io, flags, clock);
  const { seen: made, finish } = await watched.until({
    observe: () => shownWhile(watched.io, (calls) => service.plan(calls)),
    viewOf: (seen: MadePlan, now) => watchedPlan(seen.plan, which, now),
  });
  await printPlan(io, made.plan, flags.output, paintFor(io.stdout, io.env, flags.color));
  const failed = reportObstacles(io, made.plan, paintFor(io.stderr, io.env, flags.color));
  const changes = clusterChanges(made.plan).length + serviceLogCount(made.plan);
  return finish(failed ? EXIT.failed : flags.detailedExitcode === true && changes > 0 ? EXIT.changes : EXIT.ok);
}

/** The service, with a transport that refuses every write. */
export function openReadOnly(io: Io, flags: SourceFlags, clock: PlanClock | undefined) {
  return openUpgrades(flags, upgradesPorts(io, flags, { readOnly: true, ...defined({ clock }) }));
}

/** Shows progress and notes during planning, and warnings afterwards. */
export async function shownWhile<T extends MadePlan | { readonly made: MadePlan }>(
  io: Io,
  ask: (calls: PlanCalls) => Promise<T>,
): Promise<T> {
  const progress = progressOn(io);
  try {
    const answer = await ask({
      signal: io.signal,
      onNote: (note) => io.stderr.write(line(`warning: ${note}`)),
      onStep: progress.step,
    });
    progress.end();
    const { noneServed, newHistories } = 'made' in answer ? answer.made : answer;
    if (noneServed !== undefined) io.stderr.write(line(noneServed));
    if (newHistories !== undefined) io.stderr.write(line(`note: ${newHistories}`));
    return answer;
  } finally {
    progress.end();
  }
}

const COLOURS: Readonly<Partial<Record<ClusterAction, Colour>>> = {
  upgrade: 'green',
  'upgrade-node-pool': 'green',
  'switch-channel': 'green',
  cancel: 'red',
  'agree-gates': 'yellow',
  hold: 'yellow',
};

/** Prints a plan: every cluster with its action and reason, then a summary. */
async function printPlan(io: Io, plan: UpgradePlan, format: Format, paint: Paint): Promise<void> {
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

export interface UpgradesApplyFlags extends UpgradesPlanFlags {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Plans, asks for confirmation, and applies exactly what was shown. Also stores the observation, which needs no confirmation. */
export async function apply(given: Io, flags: UpgradesApplyFlags, clock?: PlanClock): Promise<number> {
  const io = timed(given, clock);
  const readOnly = flags.dryRun === true;
  const service = await openUpgrades(flags, upgradesPorts(io, flags, { readOnly, ...defined({ clock }) }));
  const made = await shownWhile(io, (calls) => service.plan(calls));
  const { plan } = made;
  if (readOnly || !isDocument(flags.output))
    await printPlan(io, plan, flags.output, paintFor(io.stdout, io.env, flags.color));
  const failed = reportObstacles(io, plan, paintFor(io.stderr, io.env, flags.color));
  if (readOnly) {
    io.stderr.write('this is a dry run: nothing was changed\n');
    return failed ? EXIT.failed : EXIT.ok;
  }
  const changes = clusterChanges(plan).length;
  if (!(await agreed(io, flags, changes, serviceLogCount(plan)))) return EXIT.failed;
  const progress = progressOn(io);
  let done = 0;
  const report = await service
    .apply(made, {
      signal: io.signal,
      onResult: ({ item }) => {
        done += 1;
        progress.step(`${done}/${changes} ${item.action} ${item.clusterId}`);
      },
    })
    .finally(() => progress.end());
  const wrong = await show(io, flags, report);
  if (io.signal.aborted) return EXIT.interrupted;
  return failed || wrong ? EXIT.failed : EXIT.ok;
}

async function agreed(io: Io, { yes }: UpgradesApplyFlags, changes: number, logs: number): Promise<boolean> {
  if (changes + logs === 0) return true;
  const question = applyQuestion(changes, logs);
  return consent(io, {
    question,
    yes,
    unattended: {
      message: `${question.charAt(0).toLowerCase()}${question.slice(1)}: no terminal to ask for confirmation`,
      hint: 'pass --yes, or check it first with: echelon upgrades plan',
    },
  });
}

/** Reports what was applied and what was not; returns whether anything failed. */
async function show(io: Io, flags: UpgradesApplyFlags, report: AppliedPlan): Promise<boolean> {
  const paint = paintFor(io.stderr, io.env, flags.color);
  const summary = applySummary(report);
  const { undone, faults } = summary;
  for (const { outcome, subject, reason } of undone) {
    io.stderr.write(line(`${paint('red', `${outcome}:`)} ${subject}: ${reason}`));
  }
  for (const { subject, fault } of faults) writeObstacle(io, fault, paint, `${subject}: ${fault.message}`);
  if (isDocument(flags.output)) {
    const head = { apiVersion: API_VERSION, kind: 'UpgradeResult' };
    io.stdout.write(await document(flags.output, { ...head, ...resultDocument(report) }));
  } else {
    io.stdout.write(`${applySummaryText(summary)}\n`);
  }
  return undone.length > 0 || faults.length > 0;
}
