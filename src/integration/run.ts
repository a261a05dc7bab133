import {
  EchelonError,
  existingBucket,
  memoryStateStore,
  parseStateLocation,
  type StateStore,
  secretValues,
} from '../base/index.ts';
import { httpClient } from '../clients/http/index.ts';
import { currentCluster, kubeTransport } from '../clients/kube/index.ts';
import { openStore } from '../clients/state/index.ts';
import {
  hostIntegration,
  type IntegrationHost,
  type IntegrationRunner,
  type OpenIntegration,
} from '../runtime/index.ts';
import { isMember } from '../sharding/index.ts';
import {
  type ActingContext,
  actOf,
  type DefinedIntegration,
  decidingOf,
  type KubeReads,
  type KubeWrites,
  type OwnShard,
  type ReadingContext,
  type WriteState,
} from './definition.ts';
import { integrationPass } from './pass.ts';

/** Options that override the variables of the pod. Times are in seconds. */
export interface RunIntegrationOptions {
  readonly dryRun?: boolean;
  readonly runOnce?: boolean;
  /** Time between passes; SLEEP_DURATION_SECS, else 60. */
  readonly poll?: number;
  /** Time limit of one pass; RUN_TIMEOUT_SECS, else none. */
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
    state: { read: state.read },
    http: httpClient({ readOnly: true, env: io.env, signal }),
    kube: kube.reads(signal),
  });
  const acting = (signal: AbortSignal): ActingContext => ({
    ...shared(signal),
    state,
    http: httpClient({ env: io.env, signal }),
    kube: kube.writes(signal),
  });
  const pass = integrationPass({
    ...{ deciding, act: actOf(integration, dryRun), reading, acting, shard, args, logger, metrics },
    converged: jsonState(remembered, integration.name),
  });
  return { pass, close: kube.close };
}

/** The parts of a process that an integration uses. */
interface ProcessHost extends IntegrationHost {
  readonly stderr: { write(text: string): void };
  readonly cwd: string;
}

/** This process: ended by SIGINT and SIGTERM, and by a reader of its output that stops reading. */
function processHost(): ProcessHost {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(signal)));
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  return {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    cwd: process.cwd(),
    signal: stop.signal,
    exitNow: (code) => process.exit(code),
  };
}

interface StateHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onSecret?: (secret: string) => void;
}

/** ECHELON_STATE, else the bucket of a pod with `state`, else the memory of this process. */
function integrationStore(host: StateHost, cwd: string): StateStore {
  const given = host.env['ECHELON_STATE'];
  const location = given ? parseStateLocation(given, cwd) : existingBucket(host.env, host.onSecret);
  return location === undefined ? memoryStateStore() : openStore(host, location);
}

/** JSON values below a prefix, so that integrations share a store. */
function jsonState(store: StateStore, prefix: string): WriteState {
  return {
    read: async (key) => {
      const found = await store.read(`${prefix}/${key}`);
      if (found === undefined) return undefined;
      return { value: parsed(found.value, key, store.name), version: found.version };
    },
    write: (key, value, expected) =>
      store.write(`${prefix}/${key}`, new TextEncoder().encode(JSON.stringify(value ?? null)), expected),
  };
}

function parsed(bytes: Uint8Array, key: string, store: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new EchelonError({
      code: 'STATE_CORRUPT',
      message: `the state ${key} in ${store} is not JSON`,
      hint: 'delete it, or restore it from a backup',
      cause,
    });
  }
}

type KubeHost = Parameters<typeof currentCluster>[0];
type Send = (method: Method, path: string, more?: Sent) => Promise<unknown>;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** One API server, connected with its first use. The client that reads cannot write. */
interface KubeAccess {
  reads(signal: AbortSignal): KubeReads;
  writes(signal: AbortSignal): KubeWrites;
  close(): void;
}

function kubeAccess(host: KubeHost): KubeAccess {
  const opened: { close(): void }[] = [];
  const transport = async (readOnly: boolean) => {
    const open = kubeTransport(await currentCluster(host), { readOnly });
    opened.push(open);
    return open;
  };
  const [reading, writing] = [once(() => transport(true)), once(() => transport(false))];
  const sender =
    (open: typeof reading, signal: AbortSignal): Send =>
    async (method, path, more = {}) => {
      const request = { method, path, ...more, idempotent: method !== 'POST', signal };
      return (await (await open()).request(request)).body;
    };
  const reads = (signal: AbortSignal): KubeReads => ({ get: getter(sender(reading, signal)) });
  return {
    reads,
    writes: (signal) => {
      const send = sender(writing, signal);
      return {
        ...reads(signal),
        patch: (path, body) => send('PATCH', path, { body, contentType: 'application/merge-patch+json' }),
        post: (path, body) => send('POST', path, { body }),
        put: (path, body) => send('PUT', path, { body }),
        delete: (path) => unlessMissing(send('DELETE', path)),
      };
    },
    close: () => {
      for (const one of opened) one.close();
    },
  };
}

function getter(send: Send): KubeReads['get'] {
  return (path, query = {}) => unlessMissing(send('GET', path, { query }));
}

/** Opens with the first use, and again after a failure. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open();
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
}

const MISSING: ReadonlySet<string> = new Set(['KUBE_NOT_FOUND', 'KUBE_NO_NAMESPACE']);

async function unlessMissing(reply: Promise<unknown>): Promise<unknown> {
  try {
    return await reply;
  } catch (thrown) {
    if (thrown instanceof EchelonError && MISSING.has(thrown.code)) return undefined;
    throw thrown;
  }
}
