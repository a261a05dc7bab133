import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { defined, didYouMean, EchelonError, isLoopbackHost, messageOf } from '../../base/index.ts';
import { type ProxyServer, proxyAuthorization } from '../http/index.ts';
import {
  askedOnce,
  type Credentials,
  environmentProxy,
  inCluster,
  isInCluster,
  type KubeConnection,
} from './connection.ts';
import { type KubeconfigLogin, kubeconfigCredentials } from './credentials.ts';
import {
  invalidKubeconfig,
  type KubeconfigCluster,
  type KubeconfigEntries,
  kubeconfigEntries,
  mergedEntries,
} from './kubeconfig-format.ts';

/** What a kubeconfig offers. */
interface KubeConfigFile {
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

/** Reads kubeconfig files; for each login again, because a login may change them. */
export async function openKubeconfig(
  files: readonly string[],
  { env = {}, onSecret }: Partial<KubeProcess> = {},
): Promise<KubeConfigFile> {
  const entries = await readEntries(files);
  const told = files.join(', ');
  const contexts = [...entries.contexts].map(([name, { cluster }]) => ({
    name,
    server: serverOf(entries.clusters.get(cluster)),
  }));
  return {
    files: told,
    current: entries.current ?? '',
    contexts,
    connect: (context, name) => {
      const { cluster } = loginFor(entries, context, told);
      const read = async (): Promise<Credentials> => {
        const login = loginFor(await readEntries(files), context, told);
        const credentials = await kubeconfigCredentials(login, name);
        const secret = credentials.headers['Authorization']?.replace(/^Bearer /, '');
        if (secret !== undefined) onSecret?.(secret);
        return credentials;
      };
      return {
        ...{ name, server: serverOf(cluster), credentials: askedOnce(read) },
        ...(cluster['insecure-skip-tls-verify'] ? { insecureSkipTlsVerify: true } : {}),
        ...defined({
          tlsServerName: cluster['tls-server-name'],
          proxy: proxyOf(cluster, context, told, { env, onSecret }),
        }),
      };
    },
  };
}

async function readEntries(files: readonly string[]): Promise<KubeconfigEntries> {
  const { load } = await import('js-yaml');
  const read = files.map(async (file) => {
    const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
      throw invalidKubeconfig(file, messageOf(thrown));
    });
    return kubeconfigEntries(documentOf(load, text, file), file, dirname(file));
  });
  return mergedEntries(await Promise.all(read));
}

function documentOf(load: (text: string) => unknown, text: string, file: string): unknown {
  try {
    return load(text);
  } catch (thrown) {
    throw invalidKubeconfig(file, whereIn(thrown));
  }
}

/** Why and where, without what stands there: an alias or a tag may be an unquoted password. */
function whereIn(thrown: unknown): string {
  const { reason, mark } = thrown as { reason?: string; mark?: { line: number; column: number } };
  const why = (reason ?? 'not valid YAML').replaceAll(/ ?(?:"[^"]*"|!<[^>]*>|"[^"]*$|!<[^>]*$)/g, '');
  return mark === undefined ? why : `${why} (${mark.line + 1}:${mark.column + 1})`;
}

function loginFor(entries: KubeconfigEntries, name: string, files: string): KubeconfigLogin {
  const context = entries.contexts.get(name);
  if (context === undefined) throw noContext(files, name, [...entries.contexts.keys()]);
  const cluster = entries.clusters.get(context.cluster);
  if (cluster === undefined) throw notDefined(files, name, 'cluster');
  const user = context.user === undefined ? undefined : entries.users.get(context.user);
  if (context.user !== undefined && user === undefined) throw notDefined(files, name, 'user');
  const server = serverOf(cluster);
  if (isPlain(server) && !isLoopback(server)) throw plainHttp(files, { name, server });
  return { cluster, user };
}

function serverOf(cluster: KubeconfigCluster | undefined): string {
  return cluster?.server.replace(/\/$/, '') ?? '';
}

function proxyOf(
  { 'proxy-url': proxy, server }: KubeconfigCluster,
  context: string,
  files: string,
  { env, onSecret }: { readonly env: Env; readonly onSecret: KubeProcess['onSecret'] | undefined },
): ProxyServer | undefined {
  if (proxy === undefined) return environmentProxy(server, env);
  const url = URL.parse(proxy);
  if (url === null || !/^(?:https?|socks5h?):$/.test(url.protocol)) {
    throw new EchelonError({
      code: 'KUBE_CONTEXT',
      message: `the context ${context} of ${files} has a proxy-url that is not a URL of a supported proxy`,
      hint: 'use http://, https:// or socks5:// there',
    });
  }
  const found = { url, from: 'proxy-url' };
  const authorization = proxyAuthorization(found);
  if (authorization !== undefined) onSecret?.(authorization);
  return found;
}

/** Plain HTTP exposes the token, so it is allowed only for a server on this machine. */
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

function noContext(files: string, context: string, known: readonly string[]): EchelonError {
  return new EchelonError({
    code: 'KUBE_CONTEXT',
    message: `${files} has no context ${context}`,
    hint: didYouMean(
      context,
      known,
      known.length === 0 ? 'it has no context at all' : `it has ${known.slice(0, 10).join(', ')}`,
    ),
  });
}

function notDefined(files: string, context: string, what: 'cluster' | 'user'): EchelonError {
  return new EchelonError({
    code: 'KUBE_CONTEXT',
    message: `the context ${context} of ${files} refers to a ${what} that the file does not define`,
    hint: 'correct the file, or use another context',
  });
}

/** Of a process: its environment, and who is to know of secrets. */
interface KubeProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onSecret?: (secret: string) => void;
}

/** The cluster of this pod, else of the current context. */
export async function currentCluster({ env, onSecret }: KubeProcess): Promise<KubeConnection> {
  if (isInCluster(env)) return inCluster({ name: 'the cluster of this pod', env, ...defined({ onSecret }) });
  const config = await currentKubeconfig({ env, ...defined({ onSecret }) });
  return config.connect(config.current, config.current);
}

export async function currentKubeconfig({ env, onSecret }: KubeProcess): Promise<KubeConfigFile> {
  const files = kubeconfigFiles(env);
  if (files.length > 0) return openKubeconfig(files, { env, ...defined({ onSecret }) });
  const missing = missingKubeconfig(env);
  throw new EchelonError({
    code: 'KUBECONFIG_MISSING',
    message:
      missing.length === 0
        ? 'no kubeconfig found'
        : `no kubeconfig found: KUBECONFIG names ${missing.join(', ')}, which does not exist`,
    hint: 'set KUBECONFIG to a kubeconfig file',
  });
}
