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
  readPodContract,
  systemClock,
} from '../../../runtime/index.ts';
import {
  GATE_APPROVER,
  LABEL_SCHEDULER,
  ORG_SCHEDULER,
  openApproverPass,
  openSchedulerPass,
  requestMetrics,
  requireInstance,
  type SourcePurpose,
  upgradesLeaseName,
} from '../../../upgrades/index.ts';
import { instanceSource } from '../../instance.ts';
import type { Io } from '../../io.ts';
import {
  type ClusterFlags,
  kubeLease,
  type LeasePlace,
  leaseClient,
  leaseClusters,
  leasePlace,
  openClusters,
} from '../manager/clusters.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { managerFor } from '../manager/open.ts';
import { rolloutPorts } from '../manager/rollout-record.ts';
import { type SourceFlags, upgradesPorts } from '../upgrades/ports.ts';

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
    unchanged: async () => (lists.takeChanges() ? undefined : source.currentRevision()),
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

export interface RunUpgradesFlags extends SourceFlags, RunFlags, Pick<ClusterFlags, 'context' | 'inCluster'> {}

/** Schedules cluster upgrades until it is interrupted. */
export function runUpgrades(io: Io, flags: RunUpgradesFlags): Promise<number> {
  const purpose = { integration: LABEL_SCHEDULER, policies: 'labels' } as const;
  return hostIntegration(io, LABEL_SCHEDULER, flags, (runner) => openScheduler(runner, flags, purpose));
}

/** The scheduler, for either source of policies. */
async function openScheduler(
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
function withConfig<Flags extends RunUpgradesFlags>({ contract }: IntegrationRunner<Io>, flags: Flags): Flags {
  return { ...flags, ...defined({ config: flags.config ?? contract.config }) };
}

/** Where replicas elect a leader, if anywhere. */
async function upgradesLease(io: Io, flags: RunUpgradesFlags, integration: string): Promise<LeaseApi | undefined> {
  const place = await leasePlace(io, flags.lease, upgradesLeaseName(flags, io.env, integration));
  if (place === undefined) return undefined;
  return kubeLease(io, place, await openClusters(io, flags, [], { readOnly: false }));
}

/** Schedules upgrades of the clusters that organization files name, until it is interrupted. */
export async function runOrgUpgrades(io: Io, flags: RunUpgradesFlags): Promise<number> {
  requireInstance(flags.configFile, ORG_SCHEDULER);
  const purpose = { integration: ORG_SCHEDULER, policies: 'files' } as const;
  return hostIntegration(io, ORG_SCHEDULER, flags, (runner) => openScheduler(runner, flags, purpose));
}

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

/** The command line equivalent of a pod's environment variables. */
export function podArguments(env: Readonly<Record<string, string | undefined>>): string[] {
  const { integration, extraArgs } = readPodContract(env);
  return [integration, ...extraArgs];
}
