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
  readPodContract,
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
import type { Context } from '../../context.ts';
import { instanceSource } from '../../instance.ts';
import { kubeLease, type LeaseRef, leaseClient, leaseClusters, leaseRef, openClusters } from '../manager/clusters.ts';
import { managerFor } from '../manager/open.ts';
import { rolloutPorts } from '../manager/rollout-record.ts';
import { upgradesPorts } from '../upgrades/ports.ts';
import type { RunApproverFlags, RunManagerFlags, RunUpgradesFlags } from './commands.ts';

const NAME = 'integrations-manager';

/** Keeps the fleet converged until it is interrupted. */
export function runManager(ctx: Context, flags: RunManagerFlags): Promise<number> {
  return hostIntegration(ctx, NAME, flags, (runner) => openManagerLoop(runner, flags));
}

async function openManagerLoop(runner: IntegrationRunner<Context>, given: RunManagerFlags): Promise<OpenIntegration> {
  const { io: ctx, contract, dryRun, permit, logger, metrics } = runner;
  const config = given.config ?? contract.config;
  const flags = config === undefined ? given : { ...given, config };
  const source = await instanceSource(ctx, flags);
  const own = managerMetrics(metrics);
  const lists = watchedLists(metrics, logger);
  const lease = dryRun ? undefined : await openLease(runner, flags, source);
  const now = (): number => ctx.clock.now().getTime();
  const rollouts = rolloutPorts(ctx, flags, {
    mayMove: () => true,
    periodSeconds: flags.poll ?? contract.sleepSeconds,
  });
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
  const manager = managerFor(ctx, fleet, options);
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
  readonly location: LeaseRef;
  /** For what the manager stores in annotations of the lease; may write only while this replica leads. */
  readonly client: KubeClient;
}

async function openLease(
  { io: ctx, contract, permit }: IntegrationRunner<Context>,
  flags: RunManagerFlags,
  source: InstanceSource,
): Promise<OpenLease | undefined> {
  const name = [NAME, contract.environment].filter(Boolean).join('-');
  const location = await leaseRef(ctx, flags.lease, name);
  if (location === undefined) return undefined;
  const clusters = await leaseClusters(ctx, flags, source, location);
  const client = await leaseClient(ctx, location, clusters, permit);
  return { api: await kubeLease(ctx, location, clusters), location, client };
}

/** Schedules cluster upgrades until it is interrupted. */
export function runUpgrades(ctx: Context, flags: RunUpgradesFlags): Promise<number> {
  const purpose = { integration: LABEL_SCHEDULER, policies: 'labels' } as const;
  return hostIntegration(ctx, LABEL_SCHEDULER, flags, (runner) => openScheduler(runner, flags, purpose));
}

/** The scheduler, for either source of policies. */
async function openScheduler(
  runner: IntegrationRunner<Context>,
  given: RunUpgradesFlags,
  purpose: SourcePurpose,
): Promise<OpenIntegration> {
  const { io: ctx, dryRun, permit, logger, metrics } = runner;
  const flags = withConfig(runner, given);
  const lease = dryRun ? undefined : await upgradesLease(ctx, flags, purpose.integration);
  const ports = upgradesPorts(ctx, flags, {
    ...{ readOnly: dryRun, permit, onCall: requestMetrics(metrics) },
  });
  const pass = await openSchedulerPass(flags, ports, {
    ...{ dryRun, logger, metrics, purpose },
    ...defined({ resyncSeconds: flags.resync }),
  });
  return { pass, lease, close: () => undefined };
}

/** The flag wins over the pod's configuration. */
function withConfig<Flags extends RunUpgradesFlags>({ contract }: IntegrationRunner<Context>, flags: Flags): Flags {
  return { ...flags, ...defined({ config: flags.config ?? contract.config }) };
}

/** The lease by which replicas elect a leader, if they do. */
async function upgradesLease(
  ctx: Context,
  flags: RunUpgradesFlags,
  integration: string,
): Promise<LeaseApi | undefined> {
  const place = await leaseRef(ctx, flags.lease, upgradesLeaseName(flags, ctx.env, integration));
  if (place === undefined) return undefined;
  return kubeLease(ctx, place, await openClusters(ctx, flags, [], { readOnly: false }));
}

/** Schedules upgrades of the clusters that organization files name, until it is interrupted. */
export async function runOrgUpgrades(ctx: Context, flags: RunUpgradesFlags): Promise<number> {
  requireInstance(flags.configFile, ORG_SCHEDULER);
  const purpose = { integration: ORG_SCHEDULER, policies: 'files' } as const;
  return hostIntegration(ctx, ORG_SCHEDULER, flags, (runner) => openScheduler(runner, flags, purpose));
}

/** Agrees to approved version gates until it is interrupted. */
export function runApprover(ctx: Context, flags: RunApproverFlags): Promise<number> {
  return hostIntegration(ctx, GATE_APPROVER, flags, (runner) => openApprover(runner, flags));
}

async function openApprover(runner: IntegrationRunner<Context>, given: RunApproverFlags): Promise<OpenIntegration> {
  const { io: ctx, dryRun, permit, logger, metrics } = runner;
  const flags = withConfig(runner, given);
  const { stsRolesKept = false } = flags;
  const lease = dryRun ? undefined : await upgradesLease(ctx, flags, GATE_APPROVER);
  const ports = upgradesPorts(ctx, flags, { readOnly: dryRun, permit, onCall: requestMetrics(metrics) });
  const pass = await openApproverPass(flags, ports, { dryRun, logger, metrics, stsRolesKept });
  return { pass, lease, close: () => undefined };
}

/** The command line equivalent of a pod's environment variables. */
export function podArguments(env: Readonly<Record<string, string | undefined>>): string[] {
  const { integration, extraArgs } = readPodContract(env);
  return [integration, ...extraArgs];
}
