import { changedOnly } from '../../base/index.ts';
import { secondText } from '../../gates/index.ts';
import type { OrganizationReport } from '../scheduler/apply-organization.ts';
import type { ItemResult } from '../scheduler/execute.ts';
import { hasFailed } from '../scheduler/metric-series.ts';
import { isSkipped } from '../scheduler/plan-organization.ts';
import type { UpgradeLogPort } from '../scheduler/report-ports.ts';
import type { FleetReport } from '../scheduler/scheduler.ts';
import type { PolicySource } from '../settings/instance-sites.ts';
import type { UpgradesService } from './service.ts';
import type { UpgradeMetrics } from './upgrade-metrics.ts';

export interface UpgradePassParts {
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

/** A pass over the whole fleet. It fails when the service does; what users configured wrong never makes it fail. */
export function upgradePass({ service, dryRun, logger, metrics, policies }: UpgradePassParts): LoopPass {
  const faults = changedOnly();
  const hints = changedOnly();
  return async ({ signal }, mayWrite) => {
    const { report, notes } = await service.pass(signal, { dryRun, mayWrite });
    metrics.passed(report);
    logItems(logger, report, dryRun);
    hints(
      [...notes.map((note) => ({ message: 'note', note })), ...problemsIn(report, policies)],
      ({ message, ...fields }) => logger.warn(message, fields),
    );
    faults(faultsIn(report), ({ message, ...fields }) => logger.error(message, fields));
    const changed = report.organizations.some(({ results }) => results.some(({ outcome }) => outcome === 'done'));
    return { code: failed(report) ? 1 : 0, changed };
  };
}

function failed({ environments, organizations }: FleetReport): boolean {
  return environments.some(({ fault }) => fault !== undefined) || organizations.some(hasFailed);
}

/** One event for each thing that was done, or would be. */
function logItems(logger: UpgradeLogPort, { organizations }: FleetReport, dryRun: boolean): void {
  for (const { outcome, results } of organizations) {
    const { environment, orgId, name: organization } = outcome;
    const where = { environment, orgId, organization };
    if (dryRun && !isSkipped(outcome)) {
      for (const item of outcome.decision.plan) logger.info('would be done', { ...where, ...shown(item) });
    }
    for (const { item, outcome: came } of results) {
      if (came === 'done') logger.info('done', { ...where, ...shown(item) });
    }
  }
}

function shown(item: ItemResult['item']): object {
  return 'nextRun' in item ? { ...item, nextRun: secondText(item.nextRun) } : item;
}

interface LogEvent {
  readonly message: string;
}

function faultsIn({ environments, organizations }: FleetReport): LogEvent[] {
  return [
    ...environments.flatMap(({ name, fault }) =>
      fault === undefined
        ? []
        : [{ ...faultFields(fault), message: 'an environment cannot be looked at', environment: name }],
    ),
    ...organizations.flatMap(organizationFaults),
  ];
}

function organizationFaults({ outcome, results, faults }: OrganizationReport): LogEvent[] {
  const { environment, orgId } = outcome;
  const where = { environment, orgId };
  return [
    ...(isSkipped(outcome) ? outcome.skipped : []).map((fault) => ({
      ...{ ...faultFields(fault), message: 'an organization cannot be looked at', ...where },
    })),
    ...[...(isSkipped(outcome) ? [] : outcome.faults), ...faults].map((fault) => ({
      ...{ ...faultFields(fault), message: 'something failed for an organization', ...where },
    })),
    ...results
      .filter(({ outcome: came }) => came !== 'done' && came !== 'skipped')
      .map((result) => ({ message: 'an item was not carried out', ...where, ...why(result) })),
  ];
}

function why(result: ItemResult): object {
  const reason = 'reason' in result ? { reason: result.reason } : 'fault' in result ? faultFields(result.fault) : {};
  return { ...shown(result.item), outcome: result.outcome, ...reason };
}

function faultFields({ code, message, hint }: { code: string; message: string; hint: string }): object {
  return { code, error: message, hint };
}

/** What users have to put right. Those with labels are told by service logs too; operators see it here. */
function problemsIn({ organizations }: FleetReport, policies: PolicySource): LogEvent[] {
  const message =
    policies === 'labels' ? 'a user has to correct a label' : 'the file of an organization is to be corrected';
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
