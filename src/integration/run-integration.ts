import { EchelonError, memoryStateStore, secretValues } from '../base/index.ts';
import { httpClient } from '../clients/http/index.ts';
import {
  hostIntegration,
  type IntegrationHost,
  type IntegrationRunner,
  type OpenIntegration,
} from '../runtime/index.ts';
import { isMember } from '../sharding/index.ts';
import type { ActingContext, OwnShard, ReadingContext } from './contexts.ts';
import { convergedMemory } from './converged-memory.ts';
import { actOf, type DefinedIntegration, decidingOf } from './define-integration.ts';
import { integrationMetrics } from './integration-metrics.ts';
import { integrationPass } from './integration-pass.ts';
import { integrationStore, jsonState, readingState } from './integration-state.ts';
import { kubeAccess } from './kube-access.ts';
import { type ProcessHost, processHost } from './process-host.ts';

/** What wins over the variables of the pod. Times are in seconds. */
export interface RunIntegrationOptions {
  readonly dryRun?: boolean;
  readonly runOnce?: boolean;
  /** Between passes; SLEEP_DURATION_SECS, else 60. */
  readonly poll?: number;
  /** Of one pass; RUN_TIMEOUT_SECS, else no limit. */
  readonly timeout?: number;
  /** PROMETHEUS_PORT, else 9090; 0 picks a free one. */
  readonly metricsPort?: number;
  readonly metricsHost?: string;
  /** This process when absent; replaced in tests. */
  readonly host?: ProcessHost;
}

/**
 * Runs an integration until SIGTERM, or once with RUN_ONCE, and returns the exit code of the process: loop, shards, dry run,
 * metrics, health, logs and state are those of a pod. An invalid environment is an error on standard error, and 1.
 */
export async function runIntegration(
  integration: DefinedIntegration,
  { host = processHost(), ...flags }: RunIntegrationOptions = {},
): Promise<number> {
  try {
    return await hostIntegration(host, integration.name, flags, async (runner) => open(integration, runner, host.cwd));
  } catch (thrown) {
    if (!(thrown instanceof EchelonError)) throw thrown;
    const { message, code, hint } = thrown;
    host.stderr.write(`error: ${message}\n code: ${code}\n hint: ${hint}\n`);
    return 1;
  }
}

function open(
  integration: DefinedIntegration,
  { io, contract, dryRun, logger, metrics }: IntegrationRunner<IntegrationHost>,
  cwd: string,
): OpenIntegration {
  for (const secret of secretValues(io.env)) io.onSecret?.(secret);
  const { shards, shardId: id, shardMembership: membership, shardKey: key, extraArgs: args } = contract;
  const shard: OwnShard = { id, shards, membership, key };
  const deciding = decidingOf(integration);
  const store = integrationStore(io, cwd);
  const state = jsonState(store, integration.name);
  // Without a version it is unknown whether other code decided.
  const remembered = deciding.version === undefined ? memoryStateStore() : store;
  const kube = kubeAccess(io);
  const shared = (signal: AbortSignal): Omit<ReadingContext, 'state' | 'http' | 'kube'> => ({
    ...{ dryRun, shard, args, env: io.env, signal, logger, metrics },
    isMine: (one) => isMember(one, shard, membership),
    secret: (value) => io.onSecret?.(value),
  });
  const reading = (signal: AbortSignal): ReadingContext => ({
    ...shared(signal),
    state: readingState(state),
    http: httpClient({ readOnly: true, signal }),
    kube: kube.reads(signal),
  });
  const acting = (signal: AbortSignal): ActingContext => ({
    ...shared(signal),
    state,
    http: httpClient({ signal }),
    kube: kube.writes(signal),
  });
  const pass = integrationPass({
    ...{ deciding, act: actOf(integration, dryRun), reading, acting, logger },
    memory: convergedMemory(jsonState(remembered, integration.name), { shard, args }, logger),
    metrics: integrationMetrics(metrics),
  });
  return { pass, close: kube.close };
}
