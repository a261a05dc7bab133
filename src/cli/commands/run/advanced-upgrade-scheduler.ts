import { defined } from '../../../base/index.ts';
import {
  hostIntegration,
  type IntegrationRunner,
  type LeaseApi,
  type OpenIntegration,
  type RunFlags,
} from '../../../runtime/index.ts';
import {
  LABEL_SCHEDULER,
  openSchedulerPass,
  requestMetrics,
  type SourcePurpose,
  upgradesLeaseName,
} from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { type ClusterFlags, openClusters } from '../manager/clusters.ts';
import { kubeLease, leasePlace } from '../manager/lease.ts';
import { type SourceFlags, upgradesPorts } from '../upgrades/ports.ts';

export interface RunUpgradesFlags extends SourceFlags, RunFlags, Pick<ClusterFlags, 'context' | 'inCluster'> {}

/** Schedules cluster upgrades until it is interrupted. */
export function runUpgrades(io: Io, flags: RunUpgradesFlags): Promise<number> {
  const purpose = { integration: LABEL_SCHEDULER, policies: 'labels' } as const;
  return hostIntegration(io, LABEL_SCHEDULER, flags, (runner) => openScheduler(runner, flags, purpose));
}

/** The scheduler, for either source of policies. */
export async function openScheduler(
  runner: IntegrationRunner<Io>,
  given: RunUpgradesFlags,
  purpose: SourcePurpose,
): Promise<OpenIntegration> {
  const { io, dryRun, permit, logger, metrics } = runner;
  const flags = withConfig(runner, given);
  const lease = dryRun ? undefined : await upgradesLease(io, flags, purpose.integration);
  const ports = upgradesPorts(io, flags, {
    ...{ readOnly: dryRun, permit, onCall: requestMetrics(metrics) },
  });
  const pass = await openSchedulerPass(flags, ports, {
    ...{ dryRun, logger, metrics, purpose },
    ...defined({ resyncSeconds: flags.resync }),
  });
  return { pass, lease, close: () => undefined };
}

/** The flag wins over the pod's configuration. */
export function withConfig<Flags extends RunUpgradesFlags>({ contract }: IntegrationRunner<Io>, flags: Flags): Flags {
  return { ...flags, ...defined({ config: flags.config ?? contract.config }) };
}

/** Where replicas elect a leader, if anywhere. */
export async function upgradesLease(
  io: Io,
  flags: RunUpgradesFlags,
  integration: string,
): Promise<LeaseApi | undefined> {
  const place = await leasePlace(io, flags.lease, upgradesLeaseName(flags, io.env, integration));
  if (place === undefined) return undefined;
  return kubeLease(io, place, await openClusters(io, flags, [], { readOnly: false }));
}
