import { changedOnly } from '../../base/index.ts';
import { secondText } from '../../gates/index.ts';
import type { PlanItem } from '../engine/choose.ts';
import { clockDoubt } from '../engine/soak.ts';
import { gatePass, versionGateMetrics } from '../gate-approver/pass.ts';
import type { UpgradeLogPort, UpgradeMetricsPort } from '../metrics/catalogue.ts';
import { hasFailed, type UpgradeMetrics, upgradeMetrics } from '../metrics/scheduler-metrics.ts';
import type { PolicySource } from '../policies/org-spec.ts';
import type { ItemResult, OrganizationReport } from '../scheduler/apply.ts';
import type { EnvironmentOutcome } from '../scheduler/fleet-view.ts';
import { isSkipped, type OrganizationKey } from '../scheduler/plan-organization.ts';
import type { Notice } from '../scheduler/service-logs.ts';
import type { UpgradesPorts } from './ports.ts';
import { openUpgrades, type UpgradesService } from './service.ts';
import { GATE_APPROVER, openSources, type SourcePurpose, type UpgradesSettings } from './sources.ts';

interface UpgradePassParts {
  readonly service: Pick<UpgradesService, 'pass'>;
  readonly dryRun: boolean;
  readonly logger: UpgradeLogPort;
  readonly metrics: Pick<UpgradeMetrics, 'observed' | 'passed'>;
  /** Where policies are declared. */
  readonly policies: PolicySource;
}

/** One pass of a loop: whether it failed, and whether anything outside was changed. */
type LoopPass = (
  context: { readonly signal: AbortSignal },
  mayWrite: () => boolean,
) => Promise<{ readonly code: number; readonly changed: boolean }>;

/** A pass over the whole fleet. It fails when the service does; invalid user configuration never makes it fail. */
export function upgradePass({ service, dryRun, logger, metrics, policies }: UpgradePassParts): LoopPass {
  const faults = changedOnly();
  const hints = changedOnly();
  return async ({ signal }, mayWrite) => {
    const { environments, organizations, notes } = await service.pass(signal, { dryRun, mayWrite }, (report) => ({
      metrics: metrics.observed(report),
      events: dryRun ? wouldApply(report) : applied(report),
      hints: [...problemsIn(report, policies), ...delaysIn(report)],
      faults: organizationFaults(report),
      failed: hasFailed(report),
      changed: report.results.some(({ outcome }) => outcome === 'done'),
    }));
    metrics.passed({ environments, organizations: organizations.map((each) => each.metrics) });
    for (const { message, ...fields } of organizations.flatMap(({ events }) => events)) logger.info(message, fields);
    hints(
      [
        ...notes.map((note) => ({ message: 'configuration warning', note })),
        ...organizations.flatMap((each) => each.hints),
      ],
      ({ message, ...fields }) => logger.warn(message, fields),
    );
    faults(
      [...environmentEvents(environments), ...organizations.flatMap((each) => each.faults)],
      ({ message, ...fields }) => logger.error(message, fields),
    );
    const failed = environments.some(({ fault }) => fault !== undefined);
    return {
      code: failed || organizations.some((each) => each.failed) ? 1 : 0,
      changed: organizations.some((each) => each.changed),
    };
  };
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

/** One event per change that would be made. */
function wouldApply({ outcome }: OrganizationReport): LogEvent[] {
  if (isSkipped(outcome)) return [];
  const where = whereOf(outcome);
  return [
    ...outcome.decision.plan.map((item) => ({ message: WOULD_APPLY[item.action], ...where, ...shown(item) })),
    ...outcome.notices.map((notice) => ({
      ...{ message: 'service log would be sent (dry run)', ...where, ...about(notice) },
    })),
  ];
}

/** One event per change that was made. */
function applied({ outcome, results, notices }: OrganizationReport): LogEvent[] {
  const done = results.filter((each) => each.outcome === 'done');
  const where = whereOf(outcome);
  return [
    ...done.map(({ item }) => ({ message: APPLIED[item.action], ...where, ...shown(item) })),
    ...notices.map((notice) => ({ message: 'service log sent', ...where, ...about(notice) })),
  ];
}

function whereOf({ environment, orgId, name: organization }: OrganizationKey): object {
  return { environment, orgId, organization };
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

function environmentEvents(environments: readonly EnvironmentOutcome[]): LogEvent[] {
  return environments.flatMap(({ name, fault }) =>
    fault === undefined
      ? []
      : [{ ...faultFields(fault), message: 'environment observation failed', environment: name }],
  );
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
function delaysIn({ outcome }: OrganizationReport): LogEvent[] {
  const doubt = isSkipped(outcome) ? undefined : clockDoubt(outcome.decision.ledger, outcome.decidedAt);
  if (doubt === undefined) return [];
  const { environment, orgId } = outcome;
  const reason = 'the last observation is in the future: that clock was ahead, or this one is behind';
  const ends = 'soak counts again after the clock was observed to run for a day';
  const checkIn = secondText(doubt.checkIn);
  return [{ ...{ message: 'soak not counted', environment, orgId, checkIn, reason, ends } }];
}

/** Invalid user configuration. With labels, users are also notified by service logs; operators see it here. */
function problemsIn({ outcome }: OrganizationReport, policies: PolicySource): LogEvent[] {
  if (isSkipped(outcome)) return [];
  const message = policies === 'labels' ? 'invalid label' : 'invalid organization file';
  const { environment, orgId } = outcome;
  return outcome.spec.problems
    .filter(({ severity }) => severity === 'error')
    .map(({ scope, key, message: problem }) => ({
      ...{ message, environment, orgId, key, problem },
      ...(scope.kind === 'cluster' ? { cluster: scope.cluster.name } : {}),
    }));
}

interface LoopOptions {
  /** Nothing is written. */
  readonly dryRun: boolean;
  readonly logger: UpgradeLogPort;
  readonly metrics: UpgradeMetricsPort;
}

interface SchedulerLoopOptions extends LoopOptions {
  readonly purpose: SourcePurpose;
  readonly resyncSeconds?: number;
}

/** The pass of a scheduler loop, with logs and metrics. */
export async function openSchedulerPass(
  settings: UpgradesSettings,
  ports: UpgradesPorts,
  { dryRun, logger, metrics, ...options }: SchedulerLoopOptions,
): Promise<LoopPass> {
  const { integration, policies } = options.purpose;
  const own = upgradeMetrics(metrics, integration);
  const service = await openUpgrades(settings, ports, options);
  return upgradePass({ service, dryRun, logger, metrics: own, policies });
}

/** The same for the version gate approver. */
export async function openApproverPass(
  settings: UpgradesSettings,
  ports: UpgradesPorts,
  { dryRun, logger, metrics, stsRolesKept }: LoopOptions & { readonly stsRolesKept: boolean },
): Promise<LoopPass> {
  const sources = await openSources(settings, ports, { integration: GATE_APPROVER, policies: 'files' });
  return gatePass({
    ...{ load: sources.load, strict: sources.rules.strictPolicies, dryRun, stsRolesKept, logger },
    metrics: versionGateMetrics(metrics, GATE_APPROVER),
  });
}
