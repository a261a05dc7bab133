import { hostname } from 'node:os';
import {
  createHealth,
  createLogger,
  createMetrics,
  type Leadership,
  type LoopParts,
  leaderLease,
  readPodContract,
  runAsLeader,
  runLoop,
  silenceLimitSeconds,
  startHealthServer,
  systemClock,
  systemRandom,
} from '../../../runtime/index.ts';
import { instanceSource } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { type Clusters, openClusters } from '../manager/clusters.ts';
import type { FleetFlags } from '../manager/fleet.ts';
import { kubeLease, leasePlace } from './lease.ts';
import { managerMetrics } from './manager-metrics.ts';
import { managerPass } from './manager-pass.ts';

export interface RunFlags {
  readonly dryRun?: boolean;
  readonly runOnce?: boolean;
  readonly poll?: number;
  readonly resync?: number;
  readonly metricsPort?: number;
  readonly metricsHost?: string;
  /** A place, or false for none. */
  readonly lease?: string | boolean;
}

export interface RunManagerFlags extends FleetFlags, RunFlags {}

/** Keeps the fleet converged until it is told to end. */
export async function runManager(io: Io, flags: RunManagerFlags): Promise<number> {
  const contract = readPodContract(io.env, 'integrations-manager');
  const dryRun = flags.dryRun ?? contract.dryRun ?? false;
  const logger = await createLogger({
    level: contract.logLevel,
    format: contract.logFormat,
    dryRun,
    ...(contract.logFile === undefined ? {} : { file: contract.logFile }),
    prefixLevel: contract.prefixLogLevel,
    stdout: io.stdout,
  });
  const metrics = await createMetrics(contract);
  const own = managerMetrics(metrics);
  const pollSeconds = flags.poll ?? contract.sleepSeconds ?? DEFAULT_POLL_SECONDS;
  const health = createHealth(systemClock, silenceLimitSeconds(pollSeconds));
  const port = flags.metricsPort ?? contract.prometheusPort;
  const server = await startHealthServer({ port, ...hostOf(flags), metrics, health });
  const opened = new Map<string, Promise<Clusters>>();
  const settings =
    contract.config === undefined || flags.config !== undefined ? flags : { ...flags, config: contract.config };
  const clusters = (access: Parameters<typeof openClusters>[2], vault: boolean | undefined): Promise<Clusters> => {
    const key = JSON.stringify([access, vault]);
    const known =
      opened.get(key) ??
      reopened(opened, () =>
        openClusters(io, settings, access, {
          readOnly: dryRun,
          onCall: own.called,
          ...(vault === undefined ? {} : { vault }),
        }),
      );
    opened.set(key, known);
    return known;
  };
  try {
    const source = await instanceSource(io, settings);
    const pass = managerPass({ io, flags: settings, source, clusters, dryRun, logger, metrics: own });
    const loop = (leadership: Pick<Leadership, 'mayWrite'>, signal: AbortSignal): LoopParts => ({
      pass: (context) => pass(context, leadership.mayWrite),
      unchanged: () => source.glimpse(),
      clock: systemClock,
      random: systemRandom,
      metrics,
      logger,
      health,
      signal,
      options: {
        pollSeconds,
        runOnce: flags.runOnce === true || contract.runOnce,
        ...(flags.resync === undefined ? {} : { resyncSeconds: flags.resync }),
        ...(contract.sleepOnErrorSeconds === undefined ? {} : { errorSeconds: contract.sleepOnErrorSeconds }),
      },
    });
    logger.info('started', { integration: 'integrations-manager', metricsPort: server.port, pollSeconds, dryRun });
    const name = ['integrations-manager', contract.environment].filter(Boolean).join('-');
    // A dry run writes nothing, so it needs no lease; and a lease is something written.
    const place = dryRun ? undefined : await leasePlace(io, flags.lease, name);
    if (place === undefined) return (await runLoop(loop({ mayWrite: () => true }, io.signal))).code;
    const api = await kubeLease(io, place, await openClusters(io, settings, [], { readOnly: false }));
    const lease = leaderLease({ api, holder: hostname(), clock: systemClock, random: systemRandom, logger });
    const run = (leadership: Leadership, signal: AbortSignal) => runLoop(loop(leadership, signal));
    const runOnce = flags.runOnce === true || contract.runOnce;
    return (await runAsLeader({ lease, signal: io.signal, health, logger, runOnce, run })).code;
  } finally {
    for (const one of opened.values()) one.then((open) => open.close()).catch(() => undefined);
    await server.close();
    logger.close();
  }
}

const DEFAULT_POLL_SECONDS = 60;

function hostOf({ metricsHost }: RunFlags): { host?: string } {
  return metricsHost === undefined ? {} : { host: metricsHost };
}

/** Clusters that are no longer declared are closed; the others keep their connections. */
function reopened(opened: Map<string, Promise<Clusters>>, open: () => Promise<Clusters>): Promise<Clusters> {
  for (const [key, old] of opened) {
    old.then((clusters) => clusters.close()).catch(() => undefined);
    opened.delete(key);
  }
  return open();
}
