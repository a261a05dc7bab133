import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { defined } from '../../src/base/index.ts';
import { loadYamlDocuments } from '../../src/instance/index.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type AuditEvent, type KubeBody, type RealKube, type RealKubeOptions, startRealKube } from './real-kube.ts';
import { testHelm } from './render-chart.ts';
import { type Ran, runCli } from './run-cli.ts';
import { REPO } from './shared.ts';
import { until } from './until.ts';

/** The cluster of an instance that the real server plays. */
export const CLUSTER = 'app-sre-prod-01';
export const UPSTREAM = 'https://github.com/app-sre/qontract-reconcile';

/** What the manager operates, by the name that the API has for it. */
export const RESOURCES = {
  CronJob: 'apis/batch/v1 cronjobs',
  Deployment: 'apis/apps/v1 deployments',
  Service: 'api/v1 services',
  StatefulSet: 'apis/apps/v1 statefulsets',
} as const;

type Json = Record<string, unknown>;
type Env = Readonly<Record<string, string>>;

/** Somebody whom the server knows, and the kubeconfig to be it. */
export interface Account {
  readonly user: string;
  readonly token: string;
  readonly kubeconfig: string;
}

export interface Context {
  readonly server: string;
  readonly token: string;
  readonly ca?: string;
}

/** A real process of `echelon`. */
export interface Running {
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Of its end: an exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export interface CommandOptions {
  readonly as?: Account;
  readonly env?: Env;
}

/** A server, the account that commands act as, and everything that they ever printed. */
export interface ManagerWorld {
  readonly kube: RealKube;
  readonly folder: string;
  readonly account: Account;
  /** A service account that may do everything. */
  newAccount(name: string): Promise<Account>;
  /** Such an account whose requests go through a proxy of its own. */
  proxiedAccount(name: string): Promise<Account & { readonly proxy: FaultProxy }>;
  /** A kubeconfig with these contexts; their tokens are secrets from then on. */
  kubeconfig(name: string, contexts: Readonly<Record<string, Context>>): string;
  run(args: readonly string[], options?: CommandOptions): Promise<Ran>;
  start(args: readonly string[], options?: CommandOptions): Running;
  /** A namespace that pods of integrations can run in. */
  createNamespace(name: string): Promise<void>;
  /** A small instance of its own, with a namespace of its own that exists. */
  fleet(name: string): Promise<Fleet>;
  mark(): number;
  /** What was written since then by the account, or that was tried; leases aside. */
  writes(mark: number, account?: Account): AuditEvent[];
  /** Every object of the kinds that a manager operates. */
  objects(namespace: string): Promise<KubeBody[]>;
  /** Something that no output may hold. */
  secret(text: string): void;
  /** Something else that must not hold a secret, such as a file. */
  keep(name: string, text: string): void;
  /** Which outputs hold a secret; and how many there were. */
  leaks(): { readonly outputs: number; readonly with: string[] };
  close(): Promise<void>;
}

/** A small instance that one test changes. */
export interface Fleet {
  readonly root: string;
  readonly namespace: string;
  readonly world: ManagerWorld;
  /** Writes a datafile. */
  write(file: string, content: object): void;
  remove(file: string): void;
  /** Adds a namespace to the instance; its cluster is the real one unless told otherwise. */
  declare(namespace: string, cluster?: string): void;
  /** Adds or replaces an integration; it runs in the namespace of the fleet unless told otherwise. */
  integration(name: string, entry?: IntegrationEntry): void;
  /** Declares an integration that runs nowhere. */
  unmanaged(name: string): void;
  drop(integration: string): void;
  run(command: string, args?: readonly string[], options?: CommandOptions): Promise<Ran>;
  start(command: string, args?: readonly string[], options?: CommandOptions): Running;
  objects(): Promise<KubeBody[]>;
  object(kind: keyof typeof RESOURCES, name: string): Promise<KubeBody>;
  /** What objects will be, as `manager diff` shows. */
  predicted(args?: readonly string[]): Promise<KubeBody[]>;
}

export interface IntegrationEntry {
  readonly namespace?: string;
  readonly spec?: object;
  readonly sharding?: object;
  readonly capabilities?: readonly string[];
}

/** A command that did what it was asked; on standard error there is progress at most. */
export const DONE = { code: 0, stderr: expect.not.stringMatching(/error|hint|note/) };

const ACCOUNTS = 'e2e-accounts';
const MUTATING = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const ENTRY = join(REPO, 'src/cli/entry.ts');

export async function startManagerWorld(options: RealKubeOptions = {}): Promise<ManagerWorld> {
  const [kube, helm] = await Promise.all([startRealKube(options), testHelm()]);
  const folder = mkdtempSync(join(tmpdir(), 'echelon-manager-'));
  const secrets = new Set([kube.adminToken]);
  const outputs: { readonly name: string; readonly text: () => string }[] = [];
  const children = new Set<ChildProcess>();
  const proxies: FaultProxy[] = [];
  const environment = (account: Account, env: Env = {}): Env => ({
    ...{ KUBECONFIG: account.kubeconfig, HELM_BIN: helm, ECHELON_CACHE: join(folder, 'cache'), LOG_LEVEL: 'debug' },
    ...{ PATH: process.env['PATH'] ?? '', HOME: folder },
    ...env,
  });

  function kubeconfig(name: string, contexts: Readonly<Record<string, Context>>): string {
    const file = join(folder, `${name}.kubeconfig`);
    const list = Object.entries(contexts);
    for (const [, { token }] of list) secrets.add(token);
    const authority = (ca = ''): object =>
      ca === '' ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': list[0]?.[0] },
      clusters: list.map(([context, { server, ca }]) => ({ name: context, cluster: { server, ...authority(ca) } })),
      users: list.map(([context, { token }]) => ({ name: context, user: { token } })),
      contexts: list.map(([context]) => ({ name: context, context: { cluster: context, user: context } })),
    };
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }

  async function newAccount(name: string): Promise<Account> {
    const token = await kube.serviceAccountToken(ACCOUNTS, name);
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    await kube.harness('POST', path, {
      metadata: { name: `e2e-${name}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace: ACCOUNTS, name }],
    });
    const mayAll = async (): Promise<boolean> =>
      (await kube.as(token)('GET', '/api/v1/secrets?limit=1')).status === 200;
    await until(mayAll, { timeoutSeconds: 30, what: `the account ${name} may do everything` });
    const file = kubeconfig(name, { [CLUSTER]: { server: kube.server, ca: kube.ca, token } });
    return { user: `system:serviceaccount:${ACCOUNTS}:${name}`, token, kubeconfig: file };
  }

  async function proxiedAccount(name: string): Promise<Account & { readonly proxy: FaultProxy }> {
    const [direct, proxy] = await Promise.all([newAccount(name), startFaultProxy(kube)]);
    proxies.push(proxy);
    const contexts = { [CLUSTER]: { server: proxy.server, ca: kube.ca, token: direct.token } };
    return { ...direct, kubeconfig: kubeconfig(`${name}-proxied`, contexts), proxy };
  }

  await kube.createNamespace(ACCOUNTS);
  const account = await newAccount('echelon');

  const world: ManagerWorld = {
    ...{ kube, folder, account, newAccount, proxiedAccount, kubeconfig, mark: kube.auditMark },
    run: async (args, { as = account, env } = {}) => {
      const ran = await runCli(args, { env: environment(as, env) });
      outputs.push({ name: args.join(' '), text: () => ran.stdout + ran.stderr });
      return ran;
    },
    start: (args, { as = account, env } = {}) => {
      const { child, running } = startProcess(args, environment(as, env));
      children.add(child);
      outputs.push({ name: args.join(' '), text: () => running.stdout() + running.stderr() });
      return running;
    },
    createNamespace: async (name) => {
      await kube.createNamespace(name);
      await kube.serviceAccountToken(name, 'qontract-reconcile');
    },
    fleet: async (name) => {
      await world.createNamespace(name);
      return openFleet(world, name);
    },
    writes: (mark, by = account) =>
      kube
        .auditSince(mark)
        .filter(({ user, verb, resource }) => user === by.user && MUTATING.has(verb) && resource !== 'leases'),
    objects: async (namespace) => {
      const lists = await Promise.all(
        Object.keys(RESOURCES).map(async (kind) => {
          const path = pathOf(kind as keyof typeof RESOURCES, namespace);
          const { items = [] } = (await kube.harness('GET', path)).body;
          return items.map((item) => ({ ...item, kind }));
        }),
      );
      return lists.flat();
    },
    secret: (text) => void secrets.add(text),
    keep: (name, text) => outputs.push({ name, text: () => text }),
    leaks: () => {
      const forms = [...secrets].flatMap(secretForms);
      const leaking = outputs.filter(({ text }) => forms.some((form) => text().includes(form)));
      return { outputs: outputs.length, with: leaking.map(({ name }) => name) };
    },
    close: async () => {
      await Promise.all([...children].map(endProcess));
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await kube.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** A token, what it becomes in a header or a Secret, and the part of it that no one else can produce. */
function secretForms(token: string): string[] {
  return [token, Buffer.from(token).toString('base64'), ...token.split('.').slice(2)];
}

export function pathOf(kind: keyof typeof RESOURCES, namespace: string, name?: string): string {
  const [root, plural] = RESOURCES[kind].split(' ');
  return `/${root}/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
}

function startProcess(args: readonly string[], env: Env): { child: ChildProcess; running: Running } {
  const child = spawn(process.execPath, [ENTRY, ...args], { cwd: REPO, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const kill = (signal: NodeJS.Signals): void => void child.kill(signal);
  return { child, running: { stdout: () => written.stdout, stderr: () => written.stderr, kill, ended } };
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const SETTINGS = { $schema: '/app-interface/app-interface-settings-1.yml', vault: false, hashLength: 7 };
export const RESOURCE_SPEC = { resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '128Mi' } } };

/** Its settings distinguish it from others on the same server, as with different data repositories. */
function openFleet(world: ManagerWorld, namespace: string): Fleet {
  const root = join(world.folder, 'fleets', namespace);
  const path = (file: string): string => join(root, 'data', file);
  const write = (file: string, content: object): void => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), JSON.stringify({ labels: {}, description: '', ...content }, undefined, 1));
  };
  const flags = ['--data', root];
  const fleet: Fleet = {
    ...{ root, namespace, world, write },
    remove: (file) => rmSync(path(file)),
    declare: (name, cluster = CLUSTER) =>
      write(`namespaces/${name}.yml`, {
        ...{ $schema: '/openshift/namespace-1.yml', name, cluster: { $ref: `/clusters/${cluster}.yml` } },
        environment: { $ref: '/environment.yml' },
      }),
    integration: (name, { namespace: where = namespace, spec = {}, sharding, capabilities } = {}) =>
      write(`integrations/${name}.yml`, {
        ...{ $schema: '/app-sre/integration-1.yml', name, upstream: UPSTREAM, schemas: [] },
        ...defined({ capabilities }),
        managed: [
          {
            namespace: { $ref: `/namespaces/${where}.yml` },
            spec: { ...RESOURCE_SPEC, ...spec },
            ...defined({ sharding }),
          },
        ],
      }),
    unmanaged: (name) =>
      write(`integrations/${name}.yml`, {
        ...{ $schema: '/app-sre/integration-1.yml', name, upstream: UPSTREAM, schemas: [] },
      }),
    drop: (integration) => rmSync(path(`integrations/${integration}.yml`)),
    run: (command, args = [], options = {}) => world.run([...command.split(' '), ...flags, ...args], options),
    start: (command, args = [], options = {}) => world.start([...command.split(' '), ...flags, ...args], options),
    objects: () => world.objects(namespace),
    object: async (kind, name) => {
      const { status, body } = await world.kube.harness('GET', pathOf(kind, namespace, name));
      if (status !== 200) throw new Error(`${kind} ${name}: ${status} ${body.message}`);
      return { ...body, kind };
    },
    predicted: (args = []) => predicted(fleet, args),
  };
  const repoUrl = `https://git.example.com/${namespace}`;
  write('settings.yml', { ...SETTINGS, name: namespace, repoUrl });
  write('environment.yml', {
    ...{ $schema: '/app-sre/environment-1.yml', name: 'e2e', product: { $ref: '/product.yml' }, servicePhase: 'prod' },
    parameters: { IMAGE_TAG: 'v1' },
  });
  write('product.yml', { $schema: '/app-sre/product-1.yml', name: 'e2e' });
  write(`clusters/${CLUSTER}.yml`, clusterFile(CLUSTER, world.kube.server));
  fleet.declare(namespace);
  return fleet;
}

/** The program that diff hands both sides to keeps the one of what will be. */
async function predicted(fleet: Fleet, args: readonly string[]): Promise<KubeBody[]> {
  const folder = mkdtempSync(join(fleet.world.folder, 'diff-'));
  const program = join(folder, 'keep');
  writeFileSync(program, `#!/bin/sh\ncp -r "$2" ${folder}/merged\nexit 1\n`, { mode: 0o755 });
  const { code, stderr } = await fleet.run('manager diff', args, { env: { KUBECTL_EXTERNAL_DIFF: program } });
  expect({ code, stderr }).toMatchObject({ ...DONE, code: 1 });
  const files = readdirSync(join(folder, 'merged', CLUSTER, fleet.namespace)).sort();
  return files.map((file) => {
    const text = readFileSync(join(folder, 'merged', CLUSTER, fleet.namespace, file), 'utf8');
    fleet.world.keep(file, text);
    return loadYamlDocuments(text)[0] as KubeBody;
  });
}

/** A cluster as the instance has it; its token is at the path of its name. */
export function clusterFile(name: string, serverUrl: string, more: Json = {}): object {
  const automationToken = { path: `clusters/${name}`, field: 'token' };
  return { $schema: '/openshift/cluster-1.yml', name, serverUrl, automationToken, ...more };
}

/** What objects say, by kind and name, without what the server and its controllers note on them. */
export function sayings(objects: readonly KubeBody[]): Record<string, { metadata: Json; spec: unknown }> {
  return Object.fromEntries(
    objects
      .map(({ kind, metadata = {}, spec }) => {
        const { ['deployment.kubernetes.io/revision']: _, ...annotations } = (metadata['annotations'] ?? {}) as Json;
        const said = { metadata: { labels: metadata['labels'], annotations }, spec };
        return [`${kind}/${metadata.name}`, said] as const;
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

export function namesOf(objects: readonly KubeBody[]): string[] {
  return objects.map(({ kind, metadata }) => `${kind}/${metadata?.name}`).sort();
}

/** `patch deployments x`, in the order in which they were answered. */
export function requestsOf(events: readonly AuditEvent[]): string[] {
  return events.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
}

/** Without those that the server refused because the object changed in between, as its status does at any time: nothing was written. */
export function accepted(events: readonly AuditEvent[]): AuditEvent[] {
  return events.filter(({ code }) => code !== 409);
}
