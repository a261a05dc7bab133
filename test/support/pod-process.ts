import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ManagerWorld, Running } from './manager-e2e.ts';
import type { KubeBody } from './real-kube.ts';

interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: KeyRef;
    readonly secretKeyRef?: KeyRef;
  };
}

interface KeyRef {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

interface Source {
  readonly emptyDir?: object;
  readonly secret?: { readonly secretName: string; readonly optional?: boolean; readonly items?: readonly Item[] };
  readonly configMap?: { readonly name: string; readonly optional?: boolean; readonly items?: readonly Item[] };
  readonly projected?: { readonly sources: readonly Projection[] };
}

interface Item {
  readonly key: string;
  readonly path: string;
}

interface Projection {
  readonly serviceAccountToken?: { readonly path: string; readonly expirationSeconds?: number };
  readonly configMap?: { readonly name: string; readonly items: readonly Item[] };
  readonly downwardAPI?: { readonly items: readonly { readonly path: string }[] };
}

interface PodSpec {
  readonly serviceAccountName: string;
  readonly containers: readonly {
    readonly args?: readonly string[];
    readonly env?: readonly EnvVar[];
    readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
  }[];
  readonly volumes?: readonly (Source & { readonly name: string })[];
}

/** A process in place of a pod's first container. */
export interface PodProcess extends Running {
  /** Of its health server, or of the console; undefined before it listens. */
  url(): string | undefined;
  /** Reads an endpoint of its health server. */
  get(path: '/readyz' | '/healthz' | '/metrics'): Promise<{ readonly status: number; readonly text: string }>;
}

/**
 * Runs what a kubelet would run for the template of a Deployment that the server has: its account, environment, arguments and
 * volumes. Mounts are below a folder of their own, and paths of environment and arguments that lie in a mount are mapped to there. Only
 * the ports are not those of the pod, as it has no network of its own.
 */
export async function startPod(world: ManagerWorld, namespace: string, deployment: string): Promise<PodProcess> {
  const { kube } = world;
  const root = mkdtempSync(join(world.folder, 'pod-'));
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}`;
  const { spec } = await found(world, path);
  const pod = (spec as { template: { spec: PodSpec } }).template.spec;
  const [container] = pod.containers;
  const mounts = container?.volumeMounts ?? [];
  for (const mount of mounts) await mounted(world, namespace, pod, join(root, mount.mountPath), mount.name);
  const mapped = (value: string): string =>
    mounts.some(({ mountPath }) => value === mountPath || value.startsWith(`${mountPath.replace(/\/$/, '')}/`))
      ? join(root, value)
      : value;
  const env: Record<string, string> = {};
  for (const variable of container?.env ?? []) {
    const value = await variableOf(world, namespace, variable);
    if (value !== undefined) env[variable.name] = mapped(value);
  }
  const { hostname, port } = new URL(kube.server);
  const args = (container?.args ?? ['run']).map((text) =>
    text.replace(/^(--[^=]+=)?(.*)$/s, (_, flag = '', value: string) => flag + mapped(value)),
  );
  const ports = args[0] === 'console' ? ['--listen=127.0.0.1:0'] : ['--metrics-host=127.0.0.1', '--metrics-port=0'];
  const isNamed = args.length > 1;
  const extra = [env['INTEGRATION_EXTRA_ARGS'] ?? '', ...ports].join(' ').trim();
  const running = world.start(isNamed ? [...args, ...ports] : args, {
    env: {
      ...env,
      ...{ KUBECONFIG: '', KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
      ...(isNamed ? {} : { INTEGRATION_EXTRA_ARGS: extra }),
    },
  });
  return { ...running, url: () => urlOf(running), get: (endpoint) => asked(running, endpoint) };
}

function urlOf(running: Running): string | undefined {
  const [, port, page] = /"metricsPort":(\d+)|console on (http:\S+)\/ /.exec(running.stdout()) ?? [];
  return port === undefined ? page : `http://127.0.0.1:${port}`;
}

async function mounted(
  world: ManagerWorld,
  namespace: string,
  pod: PodSpec,
  folder: string,
  name: string,
): Promise<void> {
  const volume = pod.volumes?.find((one) => one.name === name);
  if (volume === undefined) throw new Error(`the pod mounts ${name}, which is not a volume`);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of await filesOf(world, namespace, pod, volume)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text, { mode: 0o600 });
  }
}

async function asked(running: Running, endpoint: string): Promise<{ status: number; text: string }> {
  const url = urlOf(running);
  if (url === undefined) throw new Error(`it has not started: ${running.stdout()}${running.stderr()}`);
  const answer = await fetch(url + endpoint);
  return { status: answer.status, text: await answer.text() };
}

async function found({ kube }: ManagerWorld, path: string): Promise<KubeBody> {
  const { status, body } = await kube.harness('GET', path);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${body.message}`);
  return body;
}

/** The data of a ConfigMap or Secret; undefined when it does not exist. */
async function dataOf(world: ManagerWorld, path: string): Promise<Map<string, string> | undefined> {
  const { status, body } = await world.kube.harness<KubeBody & { data?: Record<string, string> }>('GET', path);
  if (status === 404) return undefined;
  const decode = (text: string): string =>
    path.includes('/secrets/') ? Buffer.from(text, 'base64').toString('utf8') : text;
  return new Map(Object.entries(body.data ?? {}).map(([key, text]) => [key, decode(text)]));
}

async function variableOf(world: ManagerWorld, namespace: string, variable: EnvVar): Promise<string | undefined> {
  const { configMapKeyRef, secretKeyRef } = variable.valueFrom ?? {};
  const ref = configMapKeyRef ?? secretKeyRef;
  if (ref === undefined) return variable.value ?? '';
  const kind = configMapKeyRef === undefined ? 'secrets' : 'configmaps';
  const value = (await dataOf(world, `/api/v1/namespaces/${namespace}/${kind}/${ref.name}`))?.get(ref.key);
  if (value === undefined && ref.optional !== true) throw new Error(`${variable.name}: no ${kind} ${ref.name}`);
  return value;
}

async function filesOf(
  world: ManagerWorld,
  namespace: string,
  pod: PodSpec,
  { secret, configMap, projected }: Source,
): Promise<[string, string][]> {
  const base = `/api/v1/namespaces/${namespace}`;
  const required = async (path: string, optional = false): Promise<Map<string, string>> => {
    const data = await dataOf(world, path);
    if (data === undefined && !optional) throw new Error(`the pod does not start: ${path} does not exist`);
    return data ?? new Map();
  };
  if (secret !== undefined)
    return chosen(await required(`${base}/secrets/${secret.secretName}`, secret.optional), secret.items);
  if (configMap !== undefined)
    return chosen(await required(`${base}/configmaps/${configMap.name}`, configMap.optional), configMap.items);
  const files: [string, string][] = [];
  for (const source of projected?.sources ?? []) {
    const { serviceAccountToken: token, configMap: map, downwardAPI: downward } = source;
    if (token !== undefined) files.push([token.path, await tokenOf(world, namespace, pod.serviceAccountName)]);
    if (downward !== undefined) files.push(...downward.items.map(({ path }): [string, string] => [path, namespace]));
    if (map === undefined) continue;
    const data = await required(`${base}/configmaps/${map.name}`);
    files.push(...map.items.map(({ key, path }): [string, string] => [path, data.get(key) ?? '']));
  }
  return files;
}

/** All keys, or those that are to be files, which must exist. */
function chosen(data: ReadonlyMap<string, string>, items: readonly Item[] | undefined): [string, string][] {
  return (items ?? [...data.keys()].map((key) => ({ key, path: key }))).map(({ key, path }) => {
    const text = data.get(key);
    if (text === undefined) throw new Error(`the pod does not start: no key ${key}`);
    return [path, text];
  });
}

/** A token of an account that exists: none is made for a pod. */
async function tokenOf(world: ManagerWorld, namespace: string, account: string): Promise<string> {
  await found(world, `/api/v1/namespaces/${namespace}/serviceaccounts/${account}`);
  const token = await world.kube.serviceAccountToken(namespace, account);
  world.secret(token);
  return token;
}
