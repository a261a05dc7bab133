import {
  managerMetrics,
  memoryCache,
  type PlaceMemory,
  placesInLease,
  type RemovalMemory,
  watchedLists,
} from '../../../manager/index.ts';
import {
  hostIntegration,
  type IntegrationRunner,
  type OpenIntegration,
  type RunFlags,
} from '../../../runtime/index.ts';
import { instanceSource } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { kubeLease, leaseClient, leaseClusters, leasePlace } from '../manager/lease.ts';
import { managerFor } from '../manager/open.ts';
import { rolloutPorts } from '../manager/rollout-ports.ts';
import { leaseRemovals, processRemovals } from './removal-memory.ts';

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
  let memory = processRemovals();
  const removals: RemovalMemory = {
    now: () => memory.now(),
    read: (signal) => memory.read(signal),
    write: (text) => memory.write(text),
  };
  let placed: PlaceMemory | undefined;
  const places: PlaceMemory = {
    read: async (signal) => placed?.read(signal),
    write: async (text) => placed?.write(text),
  };
  const rollouts = rolloutPorts(io, flags, { mayMove: () => true, periodSeconds: flags.poll ?? contract.sleepSeconds });
  const options = {
    instance: source,
    cache: memoryCache(),
    readOnly: dryRun,
    permit,
    onCall: own.called,
    onList: flags.runOnce || contract.runOnce ? undefined : lists.report,
    removals,
    places,
    shadowJobs: flags.shadowJobs,
    rollouts: { ...rollouts, records: own.counted(rollouts.records) },
  };
  const { lease: _, ...fleet } = flags;
  const manager = managerFor(io, fleet, options);
  return {
    pass: ({ signal, full: again }, mayWrite) =>
      manager.pass({ signal, again, mayWrite, dryRun, log: logger, metrics: own }),
    unchanged: async () => (lists.takeChanges() ? undefined : source.glimpse()),
    lease: async () => {
      const name = [NAME, contract.environment].filter(Boolean).join('-');
      const place = await leasePlace(io, flags.lease, name);
      if (place === undefined) return undefined;
      const clusters = await leaseClusters(io, flags, source, place);
      const client = await leaseClient(io, place, clusters, permit);
      memory = leaseRemovals(client, place);
      placed = placesInLease(client, place);
      return kubeLease(io, place, clusters);
    },
    close: manager.close,
  };
}
