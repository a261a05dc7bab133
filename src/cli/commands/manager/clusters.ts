import { defined, EchelonError, isClearText } from '../../../base/index.ts';
import {
  inCluster,
  isInCluster,
  type KubeCall,
  type KubeClient,
  type KubeConfigFile,
  type KubeConnection,
  kubeClient,
  kubeconfigFiles,
  openKubeconfig,
  tokenConnection,
} from '../../../clients/kube/index.ts';
import { openSecrets, type SecretReader, secretField } from '../../../clients/secrets/index.ts';
import type { ClusterAccess } from '../../../instance/index.ts';
import { parseAssignment } from '../../../manager/index.ts';
import { type Config, readConfig } from '../../config.ts';
import type { Io } from '../../io.ts';

export interface ClusterFlags {
  readonly config?: string;
  readonly context?: readonly string[];
  readonly inCluster?: string;
  readonly secretsDir?: string;
  readonly concurrency?: number;
}

export interface ClusterOptions {
  /** Refuses every write in the transport. */
  readonly readOnly: boolean;
  /** Whether the settings of the instance say that secrets are in Vault. */
  readonly vault?: boolean;
  readonly onCall?: (call: KubeCall) => void;
}

/** The clusters of a command; each is connected to once, when it is asked for. */
export interface Clusters {
  connect(cluster: string): Promise<KubeClient>;
  /** A client that shares nothing with the others. */
  dedicated(cluster: string): Promise<KubeClient>;
  close(): void;
}

/**
 * How each cluster is reached: `--context`, then the pod's own account where `--in-cluster` names the cluster, then the token
 * that the instance refers to, then a context of the kubeconfig with the same server or name, then the pod's own account
 * when it is the only cluster.
 */
export async function openClusters(
  io: Io,
  flags: ClusterFlags,
  access: readonly ClusterAccess[],
  options: ClusterOptions,
): Promise<Clusters> {
  const config = await readConfig(io, flags.config);
  const means: Means = { io, flags, config, access, options, contexts: contextFlags(flags, access) };
  const clients = new Map<string, Promise<KubeClient>>();
  return {
    connect: (cluster) => {
      const known = clients.get(cluster) ?? client(cluster, means);
      clients.set(cluster, known);
      // What failed may work the next time: a file that was being written, a login that had expired.
      known.catch(() => clients.delete(cluster));
      return known;
    },
    dedicated: (cluster) => client(cluster, means),
    close: () => {
      for (const one of clients.values()) one.then((opened) => opened.close()).catch(() => undefined);
    },
  };
}

interface Means {
  readonly io: Io;
  readonly flags: ClusterFlags;
  readonly config: Config;
  readonly access: readonly ClusterAccess[];
  readonly options: ClusterOptions;
  readonly contexts: ReadonlyMap<string, string>;
}

async function client(cluster: string, means: Means): Promise<KubeClient> {
  const { flags, options } = means;
  return kubeClient(await connectionTo(cluster, means), {
    readOnly: options.readOnly,
    ...defined({ concurrency: flags.concurrency, onCall: options.onCall }),
  });
}

async function connectionTo(cluster: string, means: Means): Promise<KubeConnection> {
  const { io, flags, access, contexts } = means;
  const found = access.find(({ name }) => name === cluster);
  const context = contexts.get(cluster);
  if (context !== undefined) return (await kubeconfig(io)).connect(context, cluster);
  const named = flags.inCluster ?? io.env['ECHELON_IN_CLUSTER'];
  if (named === cluster) return podAccount(io, cluster);
  return (
    (found === undefined ? undefined : await byToken(found, means)) ??
    (await byKubeconfig(cluster, found, io)) ??
    (access.length === 1 && isInCluster(io.env) ? podAccount(io, cluster) : undefined) ??
    noWay(cluster, found)
  );
}

function podAccount(io: Io, name: string): Promise<KubeConnection> {
  return inCluster({ name, env: io.env, ...defined({ onSecret: io.onSecret }) });
}

/** Where a place for secrets was named, a token that is not there is an error, not a reason to try something else. */
async function byToken(found: ClusterAccess, means: Means): Promise<KubeConnection | undefined> {
  const { io, flags, config, options } = means;
  const ref = found.automationToken;
  const named = flags.secretsDir !== undefined || io.env['ECHELON_SECRETS_DIR'] || io.env['VAULT_ADDR'];
  if (ref === undefined || (!named && !hasSecrets(config, ref.path))) return undefined;
  const reader = openSecrets({
    env: io.env,
    config: config.all ?? {},
    signal: io.signal,
    ...defined({ folder: flags.secretsDir, settingsVault: options.vault, onSecret: io.onSecret }),
  });
  refuseOpenly(found);
  return tokenConnection({
    name: found.name,
    server: found.serverUrl,
    ...(found.insecureSkipTLSVerify === true ? { insecureSkipTlsVerify: true } : {}),
    token: () => tokenOf(reader, ref, found),
  });
}

/** Plain HTTP carries the token in the open; only a server on this machine is asked that way. */
function refuseOpenly({ name, serverUrl }: ClusterAccess): void {
  const url = URL.canParse(serverUrl) ? new URL(serverUrl) : undefined;
  if (url?.protocol !== 'http:' || !isClearText(url)) return;
  throw new EchelonError({
    code: 'KUBE_INSECURE',
    message: `${name}: serverUrl ${serverUrl} is not encrypted, so its token is not sent there`,
    hint: 'write https in serverUrl of the cluster',
  });
}

/** A config.toml that is only for the GraphQL server has neither Vault nor the secret. */
function hasSecrets({ all }: Config, path: string): boolean {
  return all !== undefined && ('vault' in all || (path.split('/')[0] ?? '') in all);
}

/** A token for another server is not sent to this one. */
async function tokenOf(
  reader: SecretReader,
  ref: NonNullable<ClusterAccess['automationToken']>,
  { name, serverUrl }: ClusterAccess,
): Promise<string> {
  const server = (await reader.read(ref)).get('server');
  if (server === undefined || sameServer(server, serverUrl)) return secretField(reader, ref);
  throw new EchelonError({
    code: 'KUBE_SERVER_MISMATCH',
    message: `${name}: the secret ${ref.path} is for ${server}, but serverUrl is ${serverUrl}`,
    hint: 'correct serverUrl of the cluster, or the secret',
  });
}

async function kubeconfig(io: Io): Promise<KubeConfigFile> {
  const files = kubeconfigFiles(io.env);
  if (files.length > 0) return openKubeconfig(files, io.onSecret);
  throw new EchelonError({
    code: 'KUBECONFIG_MISSING',
    message: 'there is no kubeconfig',
    hint: 'name one by KUBECONFIG',
  });
}

async function byKubeconfig(
  cluster: string,
  found: ClusterAccess | undefined,
  io: Io,
): Promise<KubeConnection | undefined> {
  if (kubeconfigFiles(io.env).length === 0) return undefined;
  const config = await kubeconfig(io);
  const context =
    config.contexts.find(({ server }) => found !== undefined && sameServer(server, found.serverUrl)) ??
    config.contexts.find(({ name }) => name === cluster);
  return context === undefined ? undefined : config.connect(context.name, cluster);
}

function sameServer(a: string, b: string): boolean {
  const origin = (url: string): string => (URL.canParse(url) ? new URL(url).href.replace(/\/+$/, '') : url);
  return origin(a) === origin(b);
}

/** `--context NAME` for the only cluster, or `--context CLUSTER=NAME`, once for each. */
function contextFlags({ context = [] }: ClusterFlags, access: readonly ClusterAccess[]): ReadonlyMap<string, string> {
  return new Map(
    context.map((text) => {
      if (text.includes('=')) return parseAssignment(text, '--context', 'CLUSTER=CONTEXT');
      const [only, ...others] = access;
      if (only !== undefined && others.length === 0) return [only.name, text] as const;
      throw new EchelonError({
        code: 'FLAG_INVALID',
        message: `--context ${text} is for one cluster, but there are ${access.length}`,
        hint: 'write --context CLUSTER=CONTEXT, once for each cluster, or choose one with --cluster',
      });
    }),
  );
}

function noWay(cluster: string, found: ClusterAccess | undefined): never {
  const server = found === undefined ? '' : ` (${found.serverUrl})`;
  throw new EchelonError({
    code: 'KUBE_NO_ACCESS',
    message: `${cluster}${server}: nothing tells how to log in`,
    hint: `name a kubeconfig by KUBECONFIG with a context of the same server or name, or --context ${cluster}=CONTEXT, or where tokens are by --secrets-dir or --config`,
  });
}
