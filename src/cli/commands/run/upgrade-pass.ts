import type { Logger, PassContext, PassResult } from '../../../runtime/index.ts';
import {
  type FleetReport,
  hasFailed,
  type ItemResult,
  isSkipped,
  type OrganizationReport,
  type Scheduler,
  secondText,
} from '../../../upgrades/index.ts';
import type { PolicySource } from '../upgrades/instance-sites.ts';
import type { UpgradeSources } from '../upgrades/sources.ts';
import { changedOnly } from './changed-only.ts';
import type { UpgradeMetrics } from './upgrade-metrics.ts';

export interface UpgradePassParts {
  readonly sources: Pick<UpgradeSources, 'load'>;
  readonly scheduler: Scheduler;
  readonly dryRun: boolean;
  readonly logger: Logger;
  readonly metrics: UpgradeMetrics;
  /** Where policies are declared. */
  readonly policies?: PolicySource;
}

/** A pass over the whole fleet. It fails when the service does; what users configured wrong never makes it fail. */
export function upgradePass(
  parts: UpgradePassParts,
): (context: PassContext, mayWrite: () => boolean) => Promise<PassResult> {
  const { sources, scheduler, dryRun, logger, metrics, policies = 'labels' } = parts;
  const faults = changedOnly();
  const hints = changedOnly();
  return async ({ signal }, mayWrite) => {
    const { notes, ...scope } = await sources.load(signal);
    const report = await scheduler.pass({ ...scope, signal }, { dryRun, mayWrite });
    metrics.passed(report);
    tell(logger, report, dryRun);
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
function tell(logger: Logger, { organizations }: FleetReport, dryRun: boolean): void {
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

interface Trouble {
  readonly message: string;
}

function faultsIn({ environments, organizations }: FleetReport): Trouble[] {
  return [
    ...environments.flatMap(({ name, fault }) =>
      fault === undefined ? [] : [{ ...told(fault), message: 'an environment cannot be looked at', environment: name }],
    ),
    ...organizations.flatMap(organizationFaults),
  ];
}

function organizationFaults({ outcome, results, faults }: OrganizationReport): Trouble[] {
  const { environment, orgId } = outcome;
  const where = { environment, orgId };
  return [
    ...(isSkipped(outcome) ? outcome.skipped : []).map((fault) => ({
      ...{ ...told(fault), message: 'an organization cannot be looked at', ...where },
    })),
    ...[...(isSkipped(outcome) ? [] : outcome.faults), ...faults].map((fault) => ({
      ...{ ...told(fault), message: 'something failed for an organization', ...where },
    })),
    ...results
      .filter(({ outcome: came }) => came !== 'done' && came !== 'skipped')
      .map((result) => ({ message: 'an item was not carried out', ...where, ...why(result) })),
  ];
}

function why(result: ItemResult): object {
  const reason = 'reason' in result ? { reason: result.reason } : 'fault' in result ? told(result.fault) : {};
  return { ...shown(result.item), outcome: result.outcome, ...reason };
}

function told({ code, message, hint }: { code: string; message: string; hint: string }): object {
  return { code, error: message, hint };
}

/** What users have to put right. Those with labels are told by service logs too; operators see it here. */
function problemsIn({ organizations }: FleetReport, policies: PolicySource): Trouble[] {
  const told =
    policies === 'labels' ? 'a user has to correct a label' : 'the file of an organization is to be corrected';
  return organizations.flatMap(({ outcome }) => {
    if (isSkipped(outcome)) return [];
    const { environment, orgId } = outcome;
    return outcome.spec.problems
      .filter(({ severity }) => severity === 'error')
      .map(({ scope, key, message }) => ({
        ...{ message: told, environment, orgId, key, problem: message },
        ...(scope.kind === 'cluster' ? { cluster: scope.cluster.name } : {}),
      }));
  });
}
