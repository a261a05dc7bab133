import { defined } from '../../../base/index.ts';
import type { KubeClient } from '../../../clients/kube/index.ts';
import type { InstanceSource } from '../../../instance/index.ts';
import {
  managerMetrics,
  memoryCache,
  placesInLease,
  removalsInLease,
  removalsInProcess,
  watchedLists,
} from '../../../manager/index.ts';
import {
  hostIntegration,
  type IntegrationRunner,
  type LeaseApi,
  type OpenIntegration,
  type RunFlags,
  systemClock,
} from '../../../runtime/index.ts';
import { instanceSource } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { kubeLease, type LeasePlace, leaseClient, leaseClusters, leasePlace } from '../manager/lease.ts';
import { managerFor } from '../manager/open.ts';
import { rolloutPorts } from '../manager/rollout-ports.ts';

export interface RunManagerFlags extends FleetFlags, RunFlags {
  readonly shadowJobs?: boolean;
}

const NAME = 'integrations-manager';

/** Keeps the fleet converged until it is interrupted. */
export function runManager(io: Io, flags: RunManagerFlags): Promise<number> {
  return hostIntegration(io, NAME, flags, (runner) => openManagerLoop(runner, flags));
}

async function openManagerLoop(runner: IntegrationRunner<Io>, given: RunManagerFlags): Promise<OpenIntegration> {
  const { io, contract, dryRun, permit, logger, metrics } = runner;
  const config = given.config ?? contract.config;
  const flags = config === undefined ? given : { ...given, config };
  const source = await instanceSource(io, flags);
  const own = managerMetrics(metrics);
  const lists = watchedLists(metrics, logger);
  const lease = dryRun ? undefined : await openLease(runner, flags, source);
  const now = (): number => systemClock.now().getTime();
  const rollouts = rolloutPorts(io, flags, { mayMove: () => true, periodSeconds: flags.poll ?? contract.sleepSeconds });
  const options = {
    instance: source,
    cache: memoryCache(),
    readOnly: dryRun,
    permit,
    onCall: own.called,
    onList: flags.runOnce || contract.runOnce ? undefined : lists.report,
    removals: lease === undefined ? removalsInProcess(now) : removalsInLease(lease.client, lease.location, now),
    ...defined({ places: lease && placesInLease(lease.client, lease.location) }),
    shadowJobs: flags.shadowJobs,
    rollouts: { ...rollouts, records: own.counted(rollouts.records) },
  };
  const { lease: _, ...fleet } = flags;
  const manager = managerFor(io, fleet, options);
  return {
    pass: ({ signal, full: again }, mayWrite) =>
      manager.pass({ signal, again, mayWrite, dryRun, log: logger, metrics: own }),
    unchanged: async () => (lists.takeChanges() ? undefined : source.glimpse()),
    lease: lease?.api,
    close: manager.close,
  };
}

interface OpenLease {
  readonly api: LeaseApi;
  readonly location: LeasePlace;
  /** For what the manager stores in annotations of the lease; may write only while this replica leads. */
  readonly client: KubeClient;
}

async function openLease(
  { io, contract, permit }: IntegrationRunner<Io>,
  flags: RunManagerFlags,
  source: InstanceSource,
): Promise<OpenLease | undefined> {
  const name = [NAME, contract.environment].filter(Boolean).join('-');
  const location = await leasePlace(io, flags.lease, name);
  if (location === undefined) return undefined;
  const clusters = await leaseClusters(io, flags, source, location);
  const client = await leaseClient(io, location, clusters, permit);
  return { api: await kubeLease(io, location, clusters), location, client };
}
