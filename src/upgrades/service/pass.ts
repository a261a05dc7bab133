import { changedOnly } from '../../base/index.ts';
import { secondText } from '../../gates/index.ts';
import { clockDoubt } from '../engine/clock-doubt.ts';
import type { PlanItem } from '../engine/plan.ts';
import type { OrganizationReport } from '../scheduler/apply-organization.ts';
import type { ItemResult } from '../scheduler/execute.ts';
import { environmentFaults } from '../scheduler/fleet-view.ts';
import { hasFailed } from '../scheduler/metric-series.ts';
import type { Notice } from '../scheduler/notify-users.ts';
import { isSkipped } from '../scheduler/plan-organization.ts';
import type { UpgradeLogPort } from '../scheduler/report-ports.ts';
import type { FleetReport } from '../scheduler/scheduler.ts';
import type { PolicySource } from '../settings/instance-sites.ts';
import type { UpgradesService } from './service.ts';
import type { UpgradeMetrics } from './upgrade-metrics.ts';

interface UpgradePassParts {
  readonly service: Pick<UpgradesService, 'pass'>;
  readonly dryRun: boolean;
  readonly logger: UpgradeLogPort;
  readonly metrics: Pick<UpgradeMetrics, 'passed'>;
  /** Where policies are declared. */
  readonly policies: PolicySource;
}

/** One pass of a loop: whether it failed, and whether anything outside was changed. */
export type LoopPass = (
  context: { readonly signal: AbortSignal },
  mayWrite: () => boolean,
) => Promise<{ readonly code: number; readonly changed: boolean }>;

/** A pass over the whole fleet. It fails when the service does; invalid user configuration never makes it fail. */
export function upgradePass({ service, dryRun, logger, metrics, policies }: UpgradePassParts): LoopPass {
  const faults = changedOnly();
  const hints = changedOnly();
  return async ({ signal }, mayWrite) => {
    const { report, notes } = await service.pass(signal, { dryRun, mayWrite });
    metrics.passed(report);
    logItems(logger, report, dryRun);
    hints(
      [
        ...notes.map((note) => ({ message: 'configuration warning', note })),
        ...problemsIn(report, policies),
        ...delaysIn(report),
      ],
      ({ message, ...fields }) => logger.warn(message, fields),
    );
    faults(faultsIn(report), ({ message, ...fields }) => logger.error(message, fields));
    const changed = report.organizations.some(({ results }) => results.some(({ outcome }) => outcome === 'done'));
    return { code: failed(report) ? 1 : 0, changed };
  };
}

function failed({ environments, organizations }: FleetReport): boolean {
  return environments.some((each) => environmentFaults(each).length > 0) || organizations.some(hasFailed);
}

const APPLIED: Readonly<Record<PlanItem['action'], string>> = {
  upgrade: 'upgrade scheduled',
  'switch-channel': 'channel switched',
  cancel: 'upgrade cancelled',
};
const WOULD_APPLY: Readonly<Record<PlanItem['action'], string>> = {
  upgrade: 'upgrade would be scheduled (dry run)',
  'switch-channel': 'channel would be switched (dry run)',
  cancel: 'upgrade would be cancelled (dry run)',
};

/** One event per change that was made, or would be. */
function logItems(logger: UpgradeLogPort, { organizations }: FleetReport, dryRun: boolean): void {
  for (const report of organizations) {
    const { environment, orgId, name: organization } = report.outcome;
    for (const { message, ...fields } of dryRun ? wouldApply(report) : applied(report)) {
      logger.info(message, { environment, orgId, organization, ...fields });
    }
  }
}

function wouldApply({ outcome }: OrganizationReport): LogEvent[] {
  if (isSkipped(outcome)) return [];
  return [
    ...outcome.decision.plan.map((item) => ({ message: WOULD_APPLY[item.action], ...shown(item) })),
    ...outcome.notices.map((notice) => ({ message: 'service log would be sent (dry run)', ...about(notice) })),
  ];
}

function applied({ results, notices }: OrganizationReport): LogEvent[] {
  const done = results.filter(({ outcome }) => outcome === 'done');
  return [
    ...done.map(({ item }) => ({ message: APPLIED[item.action], ...shown(item) })),
    ...notices.map((notice) => ({ message: 'service log sent', ...about(notice) })),
  ];
}

function about({ cluster, summary, reason }: Notice): object {
  return { cluster: cluster.name, summary, reason };
}

function shown(item: ItemResult['item']): object {
  return 'nextRun' in item ? { ...item, nextRun: secondText(item.nextRun) } : item;
}

interface LogEvent {
  readonly message: string;
}

function faultsIn({ environments, organizations }: FleetReport): LogEvent[] {
  return [
    ...environments.flatMap(({ name, fault, unread = [] }) => [
      ...(fault === undefined
        ? []
        : [{ ...faultFields(fault), message: 'environment observation failed', environment: name }]),
      ...unread.map((each) => ({
        ...faultFields(each),
        message: 'environment observed with errors',
        environment: name,
      })),
    ]),
    ...organizations.flatMap(organizationFaults),
  ];
}

function organizationFaults({ outcome, results, faults }: OrganizationReport): LogEvent[] {
  const { environment, orgId } = outcome;
  const where = { environment, orgId };
  return [
    ...(isSkipped(outcome) ? outcome.skipped : []).map((fault) => ({
      ...{ ...faultFields(fault), message: 'organization observation failed', ...where },
    })),
    ...[...(isSkipped(outcome) ? [] : outcome.faults), ...faults].map((fault) => ({
      ...{ ...faultFields(fault), message: 'organization processed with errors', ...where },
    })),
    ...results
      .filter(({ outcome: came }) => came !== 'done' && came !== 'skipped')
      .map((result) => ({ message: 'apply failed', ...where, ...why(result) })),
  ];
}

function why(result: ItemResult): object {
  const reason = 'reason' in result ? { reason: result.reason } : 'fault' in result ? faultFields(result.fault) : {};
  return { ...shown(result.item), outcome: result.outcome, ...reason };
}

function faultFields({ code, message, hint }: { code: string; message: string; hint: string }): object {
  return { code, error: message, hint };
}

/** Without times that change from pass to pass, so that each is logged once. */
function delaysIn({ organizations }: FleetReport): LogEvent[] {
  return organizations.flatMap(({ outcome }) => {
    const doubt = isSkipped(outcome) ? undefined : clockDoubt(outcome.decision.ledger, outcome.decidedAt);
    if (doubt === undefined) return [];
    const { environment, orgId } = outcome;
    const reason = 'the last observation is in the future: that clock was ahead, or this one is behind';
    const ends = 'soak counts again after the clock was observed to run for a day';
    return [{ message: 'soak not counted', environment, orgId, checkIn: secondText(doubt.checkIn), reason, ends }];
  });
}

/** Invalid user configuration. With labels, users are also notified by service logs; operators see it here. */
function problemsIn({ organizations }: FleetReport, policies: PolicySource): LogEvent[] {
  const message = policies === 'labels' ? 'invalid label' : 'invalid organization file';
  return organizations.flatMap(({ outcome }) => {
    if (isSkipped(outcome)) return [];
    const { environment, orgId } = outcome;
    return outcome.spec.problems
      .filter(({ severity }) => severity === 'error')
      .map(({ scope, key, message: problem }) => ({
        ...{ message, environment, orgId, key, problem },
        ...(scope.kind === 'cluster' ? { cluster: scope.cluster.name } : {}),
      }));
  });
}
