import { createHash } from 'node:crypto';
import { defined } from '../../../base/index.ts';
import { type LeaseApi, systemClock } from '../../../runtime/index.ts';
import { createScheduler } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { type ClusterFlags, openClusters } from '../manager/clusters.ts';
import { INTEGRATION, openSources, type SourceFlags, type SourcePurpose } from '../upgrades/sources.ts';
import { kubeLease, leasePlace } from './lease.ts';
import { type Integration, type RunFlags, type Runner, runIntegration } from './run-integration.ts';
import { upgradeMetrics } from './upgrade-metrics.ts';
import { upgradePass } from './upgrade-pass.ts';

export interface RunUpgradesFlags extends SourceFlags, RunFlags, Pick<ClusterFlags, 'context' | 'inCluster'> {}

/** Schedules cluster upgrades until it is told to end. */
export function runUpgrades(io: Io, flags: RunUpgradesFlags): Promise<number> {
  const purpose = { integration: INTEGRATION, policies: 'labels' } as const;
  return runIntegration(io, INTEGRATION, flags, (runner) => openUpgradesLoop(runner, flags, purpose));
}

/** The scheduler, whichever source its policies are from. */
export async function openUpgradesLoop(
  runner: Runner,
  given: RunUpgradesFlags,
  purpose: SourcePurpose,
): Promise<Integration> {
  const { integration } = purpose;
  const { io, contract, dryRun, logger, metrics } = runner;
  const config = given.config ?? contract.config;
  const flags = config === undefined ? given : { ...given, config };
  const own = upgradeMetrics(metrics, integration);
  const { concurrency } = flags;
  const connection = { readOnly: dryRun, onCall: own.called, ...defined({ concurrency }) };
  const sources = await openSources(io, flags, connection, purpose);
  const { store, rules, ignoreSts } = sources;
  const scheduler = createScheduler({
    ...{ integration, store, rules, ignoreSts, clock: systemClock },
    ...defined({ resyncSeconds: flags.resync }),
  });
  return {
    pass: upgradePass({ sources, scheduler, dryRun, logger, metrics: own, policies: purpose.policies }),
    lease: () => upgradesLease(io, flags, integration),
    close: () => undefined,
  };
}

/** Where replicas agree on one that acts, if anywhere. */
export async function upgradesLease(
  io: Io,
  flags: RunUpgradesFlags,
  integration: string,
): Promise<LeaseApi | undefined> {
  const place = await leasePlace(io, flags.lease, leaseName(io, flags, integration));
  if (place === undefined) return undefined;
  return kubeLease(io, place, await openClusters(io, flags, [], { readOnly: false }));
}

const HASH_LENGTH = 10;

/** Pods that serve other organizations have a lease of their own. Ids of organizations are no names of Kubernetes. */
function leaseName(
  { env }: Io,
  { ocmEnv = env['AUS_OCM_ENV'] ?? '', orgId = [], excludeOrgId = [] }: SourceFlags,
  integration: string,
): string {
  if (ocmEnv === '' && orgId.length + excludeOrgId.length === 0) return integration;
  const scope = JSON.stringify([ocmEnv, orgId.toSorted(), excludeOrgId.toSorted()]);
  return `${integration}-${createHash('sha256').update(scope).digest('hex').slice(0, HASH_LENGTH)}`;
}
