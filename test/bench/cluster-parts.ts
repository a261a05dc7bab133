import { join } from 'node:path';
import { defined } from '../../src/base/index.ts';
import { openChart } from '../../src/cli/commands/manager/open.ts';
import { type KubeClient, type KubeClientOptions, kubeClient, tokenConnection } from '../../src/clients/kube/index.ts';
import { type InstanceSource, openInstance, readInstance, revisionKey } from '../../src/instance/index.ts';
import {
  type Manager,
  managerSettings,
  memoryCache,
  openManager,
  type RenderCache,
  type RolloutPass,
  type RolloutPorts,
} from '../../src/manager/index.ts';
import { silentLogger } from '../../src/runtime/logs.ts';
import { testHelm } from '../support/render-chart.ts';

export const CLUSTER = 'bench';
export const NAMESPACE = 'bench';
/** Requests at once, of Echelon and of what it is compared with. */
export const CONCURRENCY = 10;

export interface Server {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

export function clientOf({ server, ca, token }: Server, options: KubeClientOptions = {}): KubeClient {
  const connection = tokenConnection({ name: CLUSTER, server, ca, token: async () => token });
  return kubeClient(connection, { concurrency: CONCURRENCY, ...options });
}

/** An instance that reports its revision without being read, as a data server does. */
async function known(source: InstanceSource): Promise<InstanceSource> {
  const snapshot = await source.load();
  return {
    origin: source.origin,
    load: async () => snapshot,
    currentRevision: async () => revisionKey(snapshot.revision),
  };
}

export interface Counted {
  /** Lists everything unless told otherwise. */
  readonly pass: (again?: boolean) => ReturnType<Manager['pass']>;
  /** Requests that write, so far. */
  writes(): number;
}

interface ManagerParts {
  readonly rollouts?: RolloutPorts;
  /** One of its own when absent. */
  readonly cache?: RenderCache;
}

interface PassParts extends ManagerParts {
  readonly onRollouts?: (pass: RolloutPass | undefined) => void;
}

/** The manager of an instance in a folder, as the loop opens it, on clusters that are connected already. */
export async function benchManager(
  folder: string,
  connect: (cluster: string) => KubeClient,
  { rollouts, cache = memoryCache() }: ManagerParts = {},
): Promise<Manager> {
  const output = { write: () => undefined, isTTY: false };
  const parts = {
    workingTree: { describe: async () => undefined },
    server: () => {
      throw new Error('not a server');
    },
  };
  const io = {
    stdout: output,
    stderr: output,
    env: { HELM_BIN: await testHelm(), XDG_CACHE_HOME: join(folder, '.cache') },
    cwd: folder,
    signal: new AbortController().signal,
  };
  const source = await known(openInstance(folder, parts));
  return openManager(managerSettings({ concurrency: CONCURRENCY }, io.env), {
    instance: {
      read: async (options) => readInstance(await source.load(options)),
      currentRevision: source.currentRevision,
    },
    chart: () => openChart(io, {}),
    cache,
    resolveRef: async (_, ref) => ref,
    clusters: async () => ({ connect: async (cluster) => connect(cluster), close: () => undefined }),
    sleep: async () => undefined,
    signal: io.signal,
    ...defined({ rollouts }),
  });
}

/** Renders the shards of an instance into a cache, for which no cluster is needed. */
export async function renderInto(cache: RenderCache, folder: string): Promise<void> {
  const connect = (): never => {
    throw new Error('no cluster is connected yet');
  };
  const manager = await benchManager(folder, connect, { cache });
  await manager.desired();
}

/** A pass of the loop, as `echelon run integrations-manager` makes it; `again` lists everything, as a resync does. */
export function loopPass(
  manager: Manager,
  onRollouts: (pass: RolloutPass | undefined) => void = () => undefined,
  again = true,
): ReturnType<Manager['pass']> {
  const metrics = { planned: () => undefined, applied: () => undefined, rollouts: onRollouts };
  const { signal } = new AbortController();
  return manager.pass({ signal, again, mayWrite: () => true, dryRun: false, log: silentLogger, metrics });
}

/** Passes that count what they write. */
export async function benchPass(
  folder: string,
  client: KubeClient,
  { onRollouts, ...parts }: PassParts = {},
): Promise<Counted> {
  let writes = 0;
  const counted: KubeClient = {
    ...client,
    apply: (object, options) => {
      writes += 1;
      return client.apply(object, options);
    },
    remove: (id, options) => {
      writes += 1;
      return client.remove(id, options);
    },
    patch: (id, operations) => {
      writes += 1;
      return client.patch(id, operations);
    },
  };
  const manager = await benchManager(folder, () => counted, parts);
  return { pass: (again) => loopPass(manager, onRollouts, again), writes: () => writes };
}
