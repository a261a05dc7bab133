import { gatePass, versionGateMetrics } from '../gate-approver/pass.ts';
import type { UpgradeLogPort, UpgradeMetricsPort } from '../metrics/catalogue.ts';
import { upgradeMetrics } from '../metrics/scheduler-metrics.ts';
import { GATE_APPROVER, type SourcePurpose } from '../settings/policy-purpose.ts';
import type { UpgradesPorts } from '../settings/ports.ts';
import type { UpgradesSettings } from '../settings/settings.ts';
import { openSources } from '../settings/sources.ts';
import { type LoopPass, upgradePass } from './pass.ts';
import { openUpgrades } from './service.ts';

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
