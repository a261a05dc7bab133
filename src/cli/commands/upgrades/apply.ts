import { markdownTable, type Table, textTable } from '../../../base/index.ts';
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

import type { Context } from '../../context.ts';
import { consent, EXIT } from '../../io.ts';
import { isDocument } from '../../options.ts';
import {
  document,
  documentWriters,
  headed,
  print,
  type Writer,
  type Writers,
  writeObstacle,
} from '../../output/formats.ts';
import { type Colour, progressOn } from '../../output/terminal.ts';
import { watching } from '../../watch.ts';
import type { UpgradesApplyFlags, UpgradesPlanFlags } from './commands.ts';
import { type SourceFlags, upgradesPorts } from './ports.ts';

/** Shows what an apply would do, and what every other cluster waits for; with `--watch` until none does. Writes nothing. */
export async function plan(ctx: Context, flags: UpgradesPlanFlags): Promise<number> {
  const watched = watching(ctx, flags);
  const which = flags.output === 'wide' ? 'wide' : 'usual';
  const service = await openReadOnly(watched.ctx, flags);
  const { seen: made, finish } = await watched.until({
    observe: () => shownWhile(watched.ctx, (calls) => service.plan(calls)),
    viewOf: (seen: MadePlan, now) => watchedPlan(seen.plan, which, now),
  });
  await print(ctx, WRITERS, flags.output, made.plan);
  const failed = reportObstacles(ctx, made.plan);
  const changes = clusterChanges(made.plan).length + serviceLogCount(made.plan);
  return finish(failed ? EXIT.failed : flags.detailedExitcode === true && changes > 0 ? EXIT.changes : EXIT.ok);
}

/** The service, with a transport that refuses every write. */
export function openReadOnly(ctx: Context, flags: SourceFlags) {
  return openUpgrades(flags, upgradesPorts(ctx, flags, { readOnly: true }));
}

/** Shows progress and notes during planning, and warnings afterwards. */
export async function shownWhile<T extends MadePlan | { readonly made: MadePlan }>(
  ctx: Context,
  ask: (calls: PlanCalls) => Promise<T>,
): Promise<T> {
  const progress = progressOn(ctx);
  try {
    const answer = await ask({
      signal: ctx.signal,
      onNote: (note) => ctx.err.line(`warning: ${note}`),
      onStep: progress.step,
    });
    progress.end();
    const { noneServed, newHistories } = 'made' in answer ? answer.made : answer;
    if (noneServed !== undefined) ctx.err.line(noneServed);
    if (newHistories !== undefined) ctx.err.line(`note: ${newHistories}`);
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

/** A plan: every cluster with its action and reason, then a summary. */
const WRITERS: Writers<UpgradePlan> = {
  table: inTable('usual', coloured),
  wide: inTable('wide', coloured),
  ...documentWriters('UpgradePlan', planDocument),
  name: ({ out }, plan) => {
    for (const { name } of clusterChanges(plan)) out.line(`cluster/${name}`);
  },
  markdown: inTable('usual', (_, { titles, rows }) => `${markdownTable(titles, rows)}\n`),
};

function inTable(
  which: 'usual' | 'wide',
  draw: (ctx: Context, table: Table & Partial<UpgradePlanTable>) => string,
): Writer<UpgradePlan> {
  return (ctx, plan) => {
    const table = upgradePlanTable(plan, which);
    if (table.rows.length > 0) ctx.out.write(draw(ctx, table));
    const logs = serviceLogTable(plan, which);
    if (logs.rows.length > 0) ctx.out.write(`\n${draw(ctx, logs)}\n`);
    ctx.out.write(`${ctx.out.paint('bold', upgradePlanSummary(plan))}\n`);
  };
}

function coloured({ out }: Context, { titles, rows, actions = [] }: Table & Partial<UpgradePlanTable>): string {
  const colour = (row: number, column: number): Colour | undefined => {
    const action = actions[row];
    return titles[column] === 'ACTION' && action !== undefined ? COLOURS[action] : undefined;
  };
  return textTable(titles, rows, out.paint, { ...out.style(), colour });
}

/** Reports on standard error what could not be observed, and what stops or delays an organization; whether the service failed. */
export function reportObstacles(ctx: Context, plan: UpgradePlan): boolean {
  const obstacles = planObstacles(plan);
  for (const { subject, ...obstacle } of obstacles) {
    if (obstacle.kind === 'fault') writeObstacle(ctx, obstacle.fault, `${subject}: ${obstacle.fault.message}`);
    else ctx.err.dated(`${ctx.err.paint('yellow', `${obstacle.kind}:`)} ${subject}: ${obstacle.reason}`);
  }
  return obstacles.some(({ kind }) => kind === 'fault');
}

/** Plans, asks for confirmation, and applies exactly what was shown. Also stores the observation, which needs no confirmation. */
export async function apply(ctx: Context, flags: UpgradesApplyFlags): Promise<number> {
  const readOnly = flags.dryRun === true;
  const service = await openUpgrades(flags, upgradesPorts(ctx, flags, { readOnly }));
  const made = await shownWhile(ctx, (calls) => service.plan(calls));
  const { plan } = made;
  if (readOnly || !isDocument(flags.output)) await print(ctx, WRITERS, flags.output, plan);
  const failed = reportObstacles(ctx, plan);
  if (readOnly) {
    ctx.err.write('this is a dry run: nothing was changed\n');
    return failed ? EXIT.failed : EXIT.ok;
  }
  const changes = clusterChanges(plan).length;
  if (!(await agreed(ctx, flags, changes, serviceLogCount(plan)))) return EXIT.failed;
  const progress = progressOn(ctx);
  let done = 0;
  const report = await service
    .apply(made, {
      signal: ctx.signal,
      onResult: ({ item }) => {
        done += 1;
        progress.step(`${done}/${changes} ${item.action} ${item.clusterId}`);
      },
    })
    .finally(() => progress.end());
  const wrong = await show(ctx, flags, report);
  if (ctx.signal.aborted) return EXIT.interrupted;
  return failed || wrong ? EXIT.failed : EXIT.ok;
}

async function agreed(ctx: Context, { yes }: UpgradesApplyFlags, changes: number, logs: number): Promise<boolean> {
  if (changes + logs === 0) return true;
  const question = applyQuestion(changes, logs);
  return consent(ctx, {
    question,
    yes,
    unattended: {
      message: `${question.charAt(0).toLowerCase()}${question.slice(1)}: no terminal to ask for confirmation`,
      hint: 'pass --yes, or check it first with: echelon upgrades plan',
    },
  });
}

/** Reports what was applied and what was not; returns whether anything failed. */
async function show(ctx: Context, flags: UpgradesApplyFlags, report: AppliedPlan): Promise<boolean> {
  const summary = applySummary(report);
  const { undone, faults } = summary;
  for (const { outcome, subject, reason } of undone) {
    ctx.err.line(`${ctx.err.paint('red', `${outcome}:`)} ${subject}: ${reason}`);
  }
  for (const { subject, fault } of faults) writeObstacle(ctx, fault, `${subject}: ${fault.message}`);
  if (isDocument(flags.output)) {
    ctx.out.write(await document(flags.output, headed('UpgradeResult', resultDocument(report))));
  } else {
    ctx.out.write(`${applySummaryText(summary)}\n`);
  }
  return undone.length > 0 || faults.length > 0;
}
