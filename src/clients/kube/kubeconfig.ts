import { existsSync } from 'node:fs';
import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';
import { delimiter, join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { defined, didYouMean, EchelonError, isLoopbackHost, messageOf } from '../../base/index.ts';
import { askedOnce, type Credentials, type KubeConnection } from './connection.ts';

/** What a kubeconfig offers. */
export interface KubeConfigFile {
  /** For messages. */
  readonly files: string;
  readonly current: string;
  readonly contexts: readonly KubeContext[];
  connect(context: string, name: string): KubeConnection;
}

interface KubeContext {
  readonly name: string;
  readonly server: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The files of `KUBECONFIG`, else that of the home folder; those that exist. */
export function kubeconfigFiles(env: Env): readonly string[] {
  const named = namedFiles(env);
  const home = env['HOME'];
  const files = named.length > 0 ? named : home === undefined || home === '' ? [] : [join(home, '.kube/config')];
  return files.filter((file) => existsSync(file));
}

/** The files of `KUBECONFIG` that do not exist. */
export function missingKubeconfig(env: Env): readonly string[] {
  return namedFiles(env).filter((file) => !existsSync(file));
}

function namedFiles(env: Env): readonly string[] {
  return env['KUBECONFIG']?.split(delimiter).filter((file) => file !== '') ?? [];
}

/** Reads kubeconfig files with the library that knows contexts, certificates and login plugins; it is loaded only here. */
export async function openKubeconfig(
  files: readonly string[],
  onSecret?: (secret: string) => void,
): Promise<KubeConfigFile> {
  const { KubeConfig: Config } = await import('@kubernetes/client-node');
  const load = (): KubeConfig => {
    const config = new Config();
    for (const [index, file] of files.entries()) loadOne(config, Config, file, index === 0);
    allowLoopback(config);
    return config;
  };
  const config = load();
  const servers = new Map(config.getClusters().map(({ name, server }) => [name, server]));
  const contexts = config.getContexts().map(({ name, cluster }) => ({ name, server: servers.get(cluster) ?? '' }));
  const told = files.join(', ');
  return {
    files: told,
    current: config.getCurrentContext(),
    contexts,
    connect: (context, name) => {
      const found = contexts.find((one) => one.name === context);
      if (found === undefined) throw noContext(told, context, contexts);
      if (found.server === '') throw noServer(told, context);
      if (isPlain(found.server) && !isLoopback(found.server)) throw plainHttp(told, found);
      return connection(load, context, name, onSecret);
    },
  };
}

/** The first file that names something decides, as in kubectl. */
function loadOne(config: KubeConfig, Config: typeof KubeConfig, file: string, first: boolean): void {
  try {
    if (first) {
      config.loadFromFile(file);
      return;
    }
    const more = new Config();
    more.loadFromFile(file);
    const has = (names: readonly { readonly name: string }[], name: string): boolean =>
      names.some((one) => one.name === name);
    config.clusters = [...config.clusters, ...more.clusters.filter(({ name }) => !has(config.clusters, name))];
    config.users = [...config.users, ...more.users.filter(({ name }) => !has(config.users, name))];
    config.contexts = [...config.contexts, ...more.contexts.filter(({ name }) => !has(config.contexts, name))];
    if (!config.getCurrentContext()) config.setCurrentContext(more.getCurrentContext());
  } catch (thrown) {
    throw new EchelonError({
      code: 'KUBECONFIG_INVALID',
      message: `${file} is not a kubeconfig: ${messageOf(thrown).split('\n')[0]}`,
      hint: 'correct the file, or set another with KUBECONFIG',
    });
  }
}

function connection(
  load: () => KubeConfig,
  context: string,
  name: string,
  onSecret: ((secret: string) => void) | undefined,
): KubeConnection {
  const open = (): KubeConfig => {
    const config = load();
    config.setCurrentContext(context);
    return config;
  };
  const cluster = open().getCurrentCluster();
  return {
    name,
    server: cluster?.server ?? '',
    ...(cluster?.skipTLSVerify === true ? { insecureSkipTlsVerify: true } : {}),
    ...defined({ tlsServerName: cluster?.tlsServerName }),
    credentials: askedOnce(async () => login(open(), name, onSecret)),
  };
}

/** Runs the login plugin where the user has one. */
async function login(config: KubeConfig, name: string, onSecret?: (secret: string) => void): Promise<Credentials> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (thrown) {
    throw new EchelonError({
      code: 'KUBE_LOGIN',
      message: `${name}: login failed: ${whyOf(thrown)}`,
      hint: 'check the user of this context in the kubeconfig; its login plugin must be installed and run without input',
    });
  }
  const headers = headersOf(options);
  const bearer = headers['Authorization']?.replace(/^Bearer /, '');
  if (bearer !== undefined) onSecret?.(bearer);
  const { cert, key, ca } = options as Credentials;
  const proxied = config.getCurrentCluster()?.proxyUrl !== undefined;
  return {
    headers,
    ...defined({ cert, key, ca }),
    ...(proxied ? { proxy: options.agent as Agent } : {}),
  };
}

/** What a plugin printed instead of JSON may be the token itself. */
function whyOf(thrown: unknown): string {
  if (thrown instanceof SyntaxError) return 'the login plugin did not print JSON';
  return messageOf(thrown).split('\n')[0] ?? '';
}

function headersOf({ headers, auth }: RequestOptions): Record<string, string> {
  const given = Object.entries((headers ?? {}) as Record<string, string>);
  const basic = auth ? [['Authorization', `Basic ${Buffer.from(auth).toString('base64')}`] as const] : [];
  return Object.fromEntries([...given, ...basic]);
}

/** Plain HTTP exposes the token, so it is allowed only for a server on this machine. */
function allowLoopback(config: KubeConfig): void {
  config.clusters = config.clusters.map((cluster) =>
    isPlain(cluster.server) && isLoopback(cluster.server) ? { ...cluster, skipTLSVerify: true } : cluster,
  );
}

function isPlain(server: string): boolean {
  return /^http:/i.test(server);
}

function isLoopback(server: string): boolean {
  return URL.canParse(server) && isLoopbackHost(new URL(server).hostname);
}

function plainHttp(files: string, { name, server }: KubeContext): EchelonError {
  return new EchelonError({
    code: 'KUBE_CONTEXT',
    message: `the context ${name} of ${files} uses ${server}: plain http would expose the credentials`,
    hint: 'use https:// there; http:// is allowed only for a server on this machine',
  });
}

function noContext(files: string, context: string, known: readonly KubeContext[]): EchelonError {
  const names = known.map(({ name }) => name);
  return new EchelonError({
    code: 'KUBE_CONTEXT',
    message: `${files} has no context ${context}`,
    hint: didYouMean(
      context,
      names,
      names.length === 0 ? 'it has no context at all' : `it has ${names.slice(0, 10).join(', ')}`,
    ),
  });
}

function noServer(files: string, context: string): EchelonError {
  return new EchelonError({
    code: 'KUBE_CONTEXT',
    message: `the context ${context} of ${files} refers to a cluster that the file does not define`,
    hint: 'correct the file, or use another context',
  });
}
