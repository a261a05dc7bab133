import { defined } from '../../../base/index.ts';
import type { PlanClock } from '../../../clients/ocm/index.ts';
import {
  type AppliedPlan,
  applyQuestion,
  applySummary,
  applySummaryText,
  clusterChanges,
  openUpgrades,
  resultDocument,
  serviceLogCount,
} from '../../../upgrades/index.ts';
import { consent } from '../../consent.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { API_VERSION, document, isDocument } from '../../output/format.ts';
import { writeObstacle } from '../../output/obstacle.ts';
import { progressOn } from '../../output/progress.ts';
import { line } from '../../output/terminal.ts';
import { shownWhile, type UpgradesPlanFlags } from './plan.ts';
import { printPlan, reportObstacles } from './plan-output.ts';
import { timed, upgradesPorts } from './ports.ts';

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
