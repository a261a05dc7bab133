import { createHash } from 'node:crypto';
import { systemClock } from '../../../runtime/index.ts';
import { createScheduler } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { type ClusterFlags, openClusters } from '../manager/clusters.ts';
import { INTEGRATION, openSources, type SourceFlags } from '../upgrades/sources.ts';
import { kubeLease, leasePlace } from './lease.ts';
import { type Integration, type RunFlags, type Runner, runIntegration } from './run-integration.ts';
import { upgradeMetrics } from './upgrade-metrics.ts';
import { upgradePass } from './upgrade-pass.ts';

export interface RunUpgradesFlags extends SourceFlags, RunFlags, Pick<ClusterFlags, 'context' | 'inCluster'> {}

/** Schedules cluster upgrades until it is told to end. */
export function runUpgrades(io: Io, flags: RunUpgradesFlags): Promise<number> {
  return runIntegration(io, INTEGRATION, flags, (runner) => openUpgradesLoop(runner, flags));
}

async function openUpgradesLoop(runner: Runner, given: RunUpgradesFlags): Promise<Integration> {
  const { io, contract, dryRun, logger, metrics } = runner;
  const config = given.config ?? contract.config;
  const flags = config === undefined ? given : { ...given, config };
  const own = upgradeMetrics(metrics, INTEGRATION);
  const { concurrency } = flags;
  const sources = await openSources(io, flags, {
    readOnly: dryRun,
    onCall: own.called,
    ...(concurrency === undefined ? {} : { concurrency }),
  });
  const { store, rules, ignoreSts } = sources;
  const scheduler = createScheduler({
    ...{ integration: INTEGRATION, store, rules, ignoreSts, clock: systemClock },
    ...(flags.resync === undefined ? {} : { resyncSeconds: flags.resync }),
  });
  return {
    pass: upgradePass({ sources, scheduler, dryRun, logger, metrics: own }),
    lease: async () => {
      const place = await leasePlace(io, flags.lease, leaseName(io, flags));
      if (place === undefined) return undefined;
      return kubeLease(io, place, await openClusters(io, flags, [], { readOnly: false }));
    },
    close: () => undefined,
  };
}

const HASH_LENGTH = 10;

/** Pods that serve other organizations have a lease of their own. Ids of organizations are no names of Kubernetes. */
function leaseName(
  { env }: Io,
  { ocmEnv = env['AUS_OCM_ENV'] ?? '', orgId = [], excludeOrgId = [] }: SourceFlags,
): string {
  if (ocmEnv === '' && orgId.length + excludeOrgId.length === 0) return INTEGRATION;
  const scope = JSON.stringify([ocmEnv, orgId.toSorted(), excludeOrgId.toSorted()]);
  return `${INTEGRATION}-${createHash('sha256').update(scope).digest('hex').slice(0, HASH_LENGTH)}`;
}
