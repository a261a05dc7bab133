import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { defined, Secrets } from '../base/index.ts';
import { systemClock, systemRandom } from './clock.ts';
import { createHealth, type LoopHealth, silenceLimitSeconds, startHealthServer } from './health.ts';
import { runAsLeader, type WritePermits, writePermits } from './leader-election/leader.ts';
import { leaderLease, leaseMetrics, type OnLeaseAccess } from './leader-election/lease.ts';
import type { Leadership, LeaseApi } from './leader-election/term.ts';
import { createLogger, type Logger, type RootLogger } from './logs.ts';
import { type LoopEnd, type LoopParts, type PassContext, type PassResult, runLoop } from './loop.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { type PodContract, podConfig, readPodContract } from './pod-contract.ts';

/** The process of an integration: environment, output, signals. */
export interface IntegrationHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): void };
  /** Aborted on shutdown. */
  readonly signal: AbortSignal;
  /** Ends the process when something does not stop in time. */
  readonly exitNow?: (code: number) => void;
  /** Called with every secret that is read. */
  readonly onSecret?: (secret: string) => void;
}

/** The flags of every integration; they override the variables of the pod. */
export interface RunFlags {
  readonly dryRun?: boolean;
  readonly runOnce?: boolean;
  readonly poll?: number;
  readonly resync?: number;
  /** How long a pass may take, in seconds. */
  readonly timeout?: number;
  /** How long a pass may take to end after it was asked to, in seconds. */
  readonly grace?: number;
  readonly metricsPort?: number;
  readonly metricsHost?: string;
  /** Options that were given and have no effect. */
  readonly ignored?: readonly string[];
  /** The location of the lease, or false for none. */
  readonly lease?: string | boolean;
}

/** The parameters of an integration. */
export interface IntegrationRunner<Host extends IntegrationHost> {
  /** Secrets read through it are redacted from all output and logs. */
  readonly io: Host;
  readonly contract: PodContract;
  readonly dryRun: boolean;
  /** For clients that write: each write asks for the permit once, and each of its attempts needs that one. */
  readonly permit: WritePermits['current'];
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** One integration, ready to run. */
export interface OpenIntegration {
  /** Check `mayWrite` before every write. */
  pass(context: PassContext, mayWrite: () => boolean): Promise<PassResult>;
  /** The revision that a pass would act on, from a cheap request. */
  readonly unchanged?: () => Promise<string | undefined>;
  /** The lease of the leader election, if any; not used in a dry run. */
  readonly lease?: LeaseApi | undefined;
  close(): void;
}

const DEFAULT_POLL_SECONDS = 60;

/** Runs an integration until SIGTERM, or once: loop, metrics, health, logs and lease are the same for all. */
export async function hostIntegration<Host extends IntegrationHost>(
  given: Host,
  name: string,
  flags: RunFlags,
  open: (runner: IntegrationRunner<Host>) => Promise<OpenIntegration>,
): Promise<number> {
  const read = readPodContract(given.env, name);
  const contract = { ...read, config: podConfig(given.env, read, existsSync) };
  const dryRun = flags.dryRun ?? contract.dryRun ?? false;
  const secrets = new Secrets();
  const io = collecting(given, secrets);
  const logger = await loggerFor(io, contract, dryRun, secrets);
  if (flags.ignored !== undefined) logger.warn('options without effect', { options: flags.ignored.join(' ') });
  const metrics = await createMetrics(contract);
  const pollSeconds = flags.poll ?? contract.sleepSeconds ?? DEFAULT_POLL_SECONDS;
  const timeoutSeconds = flags.timeout ?? contract.timeoutSeconds;
  const health = createHealth(systemClock, silenceLimitSeconds(pollSeconds, timeoutSeconds));
  const server = await startHealthServer({
    port: flags.metricsPort ?? contract.prometheusPort,
    host: flags.metricsHost ?? contract.metricsHost,
    metrics,
    health,
  });
  try {
    const permits = writePermits();
    const integration = await open({ io, contract, dryRun, permit: permits.current, logger, metrics });
    try {
      logger.info('integration started', { integration: name, metricsPort: server.port, pollSeconds });
      const parts = { contract, flags, pollSeconds, timeoutSeconds, metrics, logger, health, dryRun, permits };
      const { code, abandoned } = await work(io, integration, parts);
      logger.info('integration stopped', { code });
      if (abandoned) io.exitNow?.(code);
      return code;
    } finally {
      integration.close();
    }
  } finally {
    await server.close();
    logger.close();
  }
}

interface WorkParts {
  readonly contract: PodContract;
  readonly flags: RunFlags;
  readonly pollSeconds: number;
  readonly timeoutSeconds: number | undefined;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly health: LoopHealth;
  readonly dryRun: boolean;
  readonly permits: WritePermits;
}

async function work(io: IntegrationHost, integration: OpenIntegration, parts: WorkParts): Promise<LoopEnd> {
  const { contract, flags, pollSeconds, metrics, logger, health } = parts;
  const runOnce = flags.runOnce === true || contract.runOnce;
  const loop = (mayWrite: () => boolean, signal: AbortSignal, secondAfterSeconds?: number): LoopParts => ({
    pass: (context) => integration.pass(context, mayWrite),
    unchanged: integration.unchanged,
    clock: systemClock,
    random: systemRandom,
    metrics,
    logger,
    health,
    signal,
    options: {
      pollSeconds,
      runOnce,
      resyncSeconds: flags.resync,
      errorSeconds: contract.sleepOnErrorSeconds,
      timeoutSeconds: parts.timeoutSeconds,
      graceSeconds: flags.grace,
      secondAfterSeconds,
    },
  });
  // A dry run writes nothing, not even a lease.
  const api = parts.dryRun ? undefined : integration.lease;
  if (api === undefined) {
    parts.permits.grant(undefined);
    return runLoop(loop(() => true, io.signal));
  }
  const access = leaseMetrics(metrics);
  let problem: string | undefined;
  const onAccess: OnLeaseAccess = (request, outcome, why) => {
    problem = why;
    access(request, outcome, why);
    health.setBlocked(why === undefined ? undefined : `cannot read or write lease: ${why}`);
  };
  const lease = leaderLease({ api, holder: hostname(), clock: systemClock, random: systemRandom, logger, onAccess });
  const timeout = acquireTimeout(runOnce, logger, () => problem);
  const run = (leadership: Leadership, signal: AbortSignal) => {
    timeout.end();
    parts.permits.grant(leadership);
    return runLoop(loop(() => leadership.mayWrite(), signal, LONGEST_WRITE_SECONDS));
  };
  try {
    const signal = AbortSignal.any([io.signal, timeout.signal]);
    return await runAsLeader({ lease, signal, health, logger, runOnce, run });
  } finally {
    timeout.end();
  }
}

/**
 * A write of the previous leader may take this long after its term, which is when an API server ends a request. What it may have
 * created late is found by a second full pass.
 */
const LONGEST_WRITE_SECONDS = 60;

const LONGEST_WAIT_MS = 120_000;

/** A single pass does not wait forever for the lease: its caller needs a result. */
function acquireTimeout(
  runOnce: boolean,
  logger: Logger,
  problem: () => string | undefined,
): { readonly signal: AbortSignal; end(): void } {
  const over = new AbortController();
  const give = (): void => {
    const reason = problem();
    const message = reason === undefined ? 'lease held by another replica' : 'cannot read or write lease';
    logger.error(message, { waitedSeconds: LONGEST_WAIT_MS / 1_000, ...defined({ reason }) });
    over.abort(new Error(message));
  };
  const timer = runOnce ? setTimeout(give, LONGEST_WAIT_MS) : undefined;
  return { signal: over.signal, end: () => clearTimeout(timer) };
}

function collecting<Host extends IntegrationHost>(io: Host, secrets: Secrets): Host {
  return {
    ...io,
    onSecret: (secret) => {
      secrets.add(secret);
      io.onSecret?.(secret);
    },
  };
}

function loggerFor(io: IntegrationHost, contract: PodContract, dryRun: boolean, secrets: Secrets): Promise<RootLogger> {
  return createLogger({
    level: contract.logLevel,
    format: contract.logFormat,
    dryRun,
    file: contract.logFile,
    prefixLevel: contract.prefixLogLevel,
    stdout: io.stdout,
    secrets,
  });
}
