import { count, defined } from '../../../base/index.ts';
import {
  type FleetReport,
  type ItemResult,
  isSkipped,
  type OrganizationOutcome,
  type PlanItem,
} from '../../../upgrades/index.ts';
import { consent } from '../../consent.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../output/colour.ts';
import { API_VERSION, document, isDocument } from '../../output/format.ts';
import { progressOn } from '../../output/progress.ts';
import { makePlan, type PlanClock, type UpgradesPlanFlags } from './plan.ts';
import { changesIn, printPlan, reportObstacles, writeFault } from './plan-output.ts';

export interface UpgradesApplyFlags extends UpgradesPlanFlags {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Plans, asks, and does exactly what was shown. Also writes down what was observed, which needs no consent. */
export async function apply(io: Io, flags: UpgradesApplyFlags, clock?: PlanClock): Promise<number> {
  const readOnly = flags.dryRun === true;
  const { plan, planned } = await makePlan(io, flags, { readOnly, ...defined({ clock }) });
  if (readOnly || !isDocument(flags.output))
    await printPlan(io, plan, flags.output, paintFor(io.stdout, io.env, flags.color));
  const failed = reportObstacles(io, plan, paintFor(io.stderr, io.env, flags.color));
  if (readOnly) {
    io.stderr.write('this is a dry run: nothing was changed\n');
    return failed ? EXIT.failed : EXIT.ok;
  }
  const changes = changesIn(plan).length;
  if (!(await agreed(io, flags, changes))) return EXIT.failed;
  const progress = progressOn(io);
  let done = 0;
  const report = await planned
    .apply({
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

async function agreed(io: Io, { yes }: UpgradesApplyFlags, changes: number): Promise<boolean> {
  if (changes === 0) return true;
  return consent(io, {
    question: `Make ${count(changes, 'change')}`,
    yes,
    unattended: {
      message: `${count(changes, 'change')} would be made, and nobody is here to ask`,
      hint: 'use --yes, or look at it first with echelon upgrades plan',
    },
  });
}

/** What was done and what was not; whether anything was not. */
async function show(io: Io, flags: UpgradesApplyFlags, report: FleetReport): Promise<boolean> {
  const paint = paintFor(io.stderr, io.env, flags.color);
  const results = report.organizations.flatMap(({ outcome, results: own }) =>
    own.map((result) => ({ outcome, result })),
  );
  const undone = results.filter(({ result }) => result.outcome !== 'done');
  for (const { outcome, result } of undone) io.stderr.write(undoneText(outcome, result, paint));
  for (const { outcome, faults } of report.organizations) {
    for (const fault of faults) writeFault(io, `${outcome.environment}/${outcome.name}`, fault, paint);
  }
  if (isDocument(flags.output)) {
    io.stdout.write(await document(flags.output, resultDocument(report)));
  } else {
    const told = report.organizations.reduce((sum, { told: own }) => sum + own.length, 0);
    io.stdout.write(doneText(results.length - undone.length, undone.length, told));
  }
  return undone.length > 0 || report.organizations.some(({ faults }) => faults.length > 0);
}

function doneText(done: number, undone: number, told: number): string {
  const rest = [
    ...(undone === 0 ? [] : [`${undone} not`]),
    ...(told === 0 ? [] : [`${count(told, 'service log')} written`]),
  ];
  return `${[`Done: ${count(done, 'change')} made`, ...rest].join(', ')}.\n`;
}

function undoneText(outcome: OrganizationOutcome, result: ItemResult, paint: Paint): string {
  const { item } = result;
  const what = `${outcome.name}/${clusterName(outcome, item)}: ${item.action} ${targetOf(item)}`;
  const why = 'fault' in result ? result.fault.message : 'reason' in result ? result.reason : '';
  return `${paint('red', `${result.outcome}:`)} ${what}: ${why}\n`;
}

function clusterName(outcome: OrganizationOutcome, { clusterId }: PlanItem): string {
  const found = isSkipped(outcome) ? undefined : outcome.clusters.find(({ id }) => id === clusterId);
  return found?.name ?? clusterId;
}

function targetOf(item: PlanItem): string {
  return item.action === 'switch-channel' ? item.to : item.version;
}

function resultDocument({ environments, organizations }: FleetReport): object {
  return {
    apiVersion: API_VERSION,
    kind: 'UpgradeResult',
    environments,
    organizations: organizations.map(({ outcome, results, told, faults }) => ({
      environment: outcome.environment,
      orgId: outcome.orgId,
      name: outcome.name,
      results: results.map((result) => ({
        cluster: clusterName(outcome, result.item),
        clusterId: result.item.clusterId,
        action: result.item.action,
        to: targetOf(result.item),
        outcome: result.outcome,
        ...('policyId' in result && result.policyId !== undefined ? { policyId: result.policyId } : {}),
        ...('reason' in result ? { reason: result.reason } : {}),
        ...('fault' in result ? { reason: result.fault.message, code: result.fault.code } : {}),
      })),
      serviceLogs: told.map(({ cluster, summary }) => ({ cluster: cluster.name, summary })),
      faults: [...(isSkipped(outcome) ? outcome.skipped : outcome.faults), ...faults],
    })),
  };
}
