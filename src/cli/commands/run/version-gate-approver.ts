import { hostIntegration, type IntegrationRunner, type OpenIntegration } from '../../../runtime/index.ts';
import { GATE_APPROVER, openApproverPass, requestMetrics } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { upgradesPorts } from '../upgrades/ports.ts';
import { type RunUpgradesFlags, upgradesLease, withConfig } from './advanced-upgrade-scheduler.ts';

export interface RunApproverFlags extends RunUpgradesFlags {
  /** AWS STS roles are maintained elsewhere. */
  readonly stsRolesKept?: boolean;
}

/** Agrees to approved version gates until it is interrupted. */
export function runApprover(io: Io, flags: RunApproverFlags): Promise<number> {
  return hostIntegration(io, GATE_APPROVER, flags, (runner) => openApprover(runner, flags));
}

async function openApprover(runner: IntegrationRunner<Io>, given: RunApproverFlags): Promise<OpenIntegration> {
  const { io, dryRun, permit, logger, metrics } = runner;
  const flags = withConfig(runner, given);
  const { stsRolesKept = false } = flags;
  const lease = dryRun ? undefined : await upgradesLease(io, flags, GATE_APPROVER);
  const ports = upgradesPorts(io, flags, { readOnly: dryRun, permit, onCall: requestMetrics(metrics) });
  const pass = await openApproverPass(flags, ports, { dryRun, logger, metrics, stsRolesKept });
  return { pass, lease, close: () => undefined };
}
