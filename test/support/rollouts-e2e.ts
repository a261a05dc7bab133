import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type FaultProxy, type ProxiedRequest, WRITES } from './fault-proxy.ts';
import { type Account, type Fleet, type ManagerWorld, pathOf, type RESOURCES, type Running } from './manager-e2e.ts';
import type { AuditEvent } from './real-kube.ts';
import { until } from './until.ts';

/** A write to a shard that the server accepted. */
export interface ShardWrite {
  readonly shard: string;
  readonly tag: string;
}

/** A manager of its own, whose requests go through a proxy of its own. */
export interface RolloutManager {
  readonly account: Account;
  readonly proxy: FaultProxy;
  /** Starts a loop that polls every second, without a lease unless told otherwise. */
  start(args?: readonly string[]): Running;
  /** Writes to shards, in their order. */
  moves(): ShardWrite[];
  /** Returns when there are so many. */
  moved(count: number): Promise<unknown>;
  /** `PUT echelon-rollouts`: everything that was written but leases. */
  writes(): string[];
  /** Returns when it has observed the shards so many more times. */
  passes(count: number): Promise<void>;
  /** Returns when it has observed the shards so many times in a row and written nothing. */
  quiet(passes: number): Promise<unknown>;
}

/** A fleet of one integration with the shards `0`, `1` and so on, which run v1, and a track for all of them. */
export interface RolloutFleet {
  readonly fleet: Fleet;
  readonly record: readonly string[];
  /** Writes `rollouts.yml`: fields of the track, and other sections. */
  declare(track?: object, sections?: object): void;
  /** Declares another image for all shards. */
  promote(tag: string): void;
  manager(name: string): Promise<RolloutManager>;
  /** Tags by shard. */
  images(): Promise<Record<string, string>>;
  /** Does something to the workload of a shard by hand: `kubectl(['scale'], '0', ['--replicas=0'])`. */
  kubectl(verb: readonly string[], shard: string, args?: readonly string[]): Promise<void>;
  /** Requests to the shards that were answered, with their times. */
  audit(): AuditEvent[];
}

const NAME = 'qontract-reconcile-a';
const HEALTH = ['--metrics-port', '0', '--metrics-host', '127.0.0.1'];
const WORKLOADS = /\/(?:deployments|statefulsets|cronjobs)(?:\/|$)/;
const ENVIRONMENT = {
  ...{ $schema: '/app-sre/environment-1.yml', name: 'e2e', product: { $ref: '/product.yml' }, servicePhase: 'prod' },
};

export const SOAK_SECONDS = 4;
const SOAK = `${SOAK_SECONDS}s`;
const TRACK = {
  ...{ name: 'all', match: {}, onFailure: 'rollback' },
  waves: [
    { name: 'canary', shards: ['0'], soak: SOAK },
    { name: 'early', percent: 40, soak: SOAK },
    { name: 'rest', soak: '1s' },
  ],
  health: { progressDeadline: '3s', queries: [] },
};

/** How the shards run; as five Deployments unless told otherwise. */
export interface ShardsOptions {
  readonly kind?: keyof typeof RESOURCES;
  readonly shards?: number;
  /** Of the integration. */
  readonly spec?: object;
}

/** Returns when every shard runs v1 and has a ready pod. What it starts ends with the test. */
export async function rolloutFleet(
  world: ManagerWorld,
  name: string,
  atEnd: (end: () => void) => void,
  { kind = 'Deployment', shards = 5, spec = {} }: ShardsOptions = {},
): Promise<RolloutFleet> {
  const fleet = await world.fleet(name);
  const record = ['--rollout-record', `configmap:${name}/echelon-rollouts`];
  fleet.integration('a', { spec, sharding: { strategy: 'static', shards } });
  const workloads = async () => (await world.kube.harness('GET', pathOf(kind, name))).body.items ?? [];
  const own: RolloutFleet = {
    ...{ fleet, record },
    declare: (track = {}, sections = {}) => {
      const folder = join(fleet.root, 'resources/echelon');
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        join(folder, 'rollouts.yml'),
        JSON.stringify({ tracks: [{ ...TRACK, ...track }], ...sections }, undefined, 1),
      );
    },
    promote: (tag) => fleet.write('environment.yml', { ...ENVIRONMENT, parameters: { IMAGE_TAG: tag } }),
    manager: async (manager) => {
      const account = await world.proxiedAccount(`${name}-${manager}`);
      return rolloutManager(own, account, atEnd);
    },
    images: async () =>
      Object.fromEntries(
        (await workloads()).map(({ metadata, spec }) => [shardOf(metadata?.name), tagIn(JSON.stringify(spec))]),
      ),
    kubectl: async (verb, shard, args = []) => {
      const { kubectl } = world.kube.binaries;
      if (kubectl === undefined) throw new Error('there is no kubectl');
      const object = [kind.toLowerCase(), `${NAME}-${shard}`, '-n', name];
      const env = { KUBECONFIG: world.account.kubeconfig, HOME: world.folder };
      await promisify(execFile)(kubectl, [...verb, ...object, ...args], { env });
    },
    audit: () =>
      world.kube.audit().filter(({ resource, namespace }) => resource === 'deployments' && namespace === name),
  };
  const applied = await fleet.run('manager apply', ['--yes', ...record]);
  if (applied.code !== 0) throw new Error(applied.stderr);
  const areReady = async (): Promise<boolean> =>
    (await workloads()).every(({ status }) => (status as { readyReplicas?: number })?.readyReplicas === 1);
  if (kind !== 'CronJob') await until(areReady, { timeoutSeconds: 60, what: 'every shard has a ready pod' });
  own.declare();
  return own;
}

function rolloutManager(
  { fleet, record }: RolloutFleet,
  account: Account & { readonly proxy: FaultProxy },
  atEnd: (end: () => void) => void,
): RolloutManager {
  const { proxy } = account;
  const isAccepted = ({ method, path, status = 0 }: ProxiedRequest): boolean =>
    WRITES.includes(method) && !/\/leases(?:\/|$)/.test(path) && status >= 200 && status < 300;
  const started: Running[] = [];
  /** By the log: a pass that a watch reported nothing to makes no request. */
  const ended = (): number =>
    started.reduce((sum, running) => sum + running.stdout().split(/"msg":"pass (?:completed|failed)"/).length - 1, 0);
  const accepted = (): number => proxy.requests.filter(isAccepted).length;
  const moves = (): ShardWrite[] =>
    proxy.requests
      .filter((request) => isAccepted(request) && WORKLOADS.test(request.path))
      .map(({ path, body }) => ({ shard: shardOf(path.split('/').at(-1)), tag: tagIn(String(body)) }));
  return {
    ...{ account, proxy, moves },
    start: (args = ['--no-lease']) => {
      const flags = ['--poll', '1s', ...HEALTH, ...record, ...args];
      const running = fleet.start('run integrations-manager', flags, { as: account });
      atEnd(() => running.kill('SIGKILL'));
      started.push(running);
      return running;
    },
    moved: (count) => until(() => moves().length >= count, { timeoutSeconds: 120, what: `${count} writes to shards` }),
    writes: () => proxy.requests.filter(isAccepted).map(({ method, path }) => `${method} ${path.split('/').at(-1)}`),
    passes: async (count) => {
      const before = ended();
      // One that is under way now does not count.
      await until(() => ended() > before + count, { timeoutSeconds: 60, what: `${count} passes` });
    },
    quiet: async (passes) => {
      let [writes, from] = [accepted(), ended()];
      const isQuiet = (): boolean => {
        if (accepted() !== writes) [writes, from] = [accepted(), ended()];
        return ended() > from + passes;
      };
      await until(isQuiet, { timeoutSeconds: 60, what: `${passes} passes without a write` });
    },
  };
}

/** `0` of `qontract-reconcile-a-0`. */
export function shardOf(name = ''): string {
  return name.slice(NAME.length + 1);
}

function tagIn(text: string): string {
  return text.match(/reconcile:([\w-]+)/)?.[1] ?? '';
}
