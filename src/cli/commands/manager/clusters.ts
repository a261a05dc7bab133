import { defined, EchelonError } from '../../../base/index.ts';
import {
  currentKubeconfig,
  inCluster,
  isInCluster,
  type KubeClient,
  type KubeClientOptions,
  type KubeConnection,
  kubeClient,
  kubeconfigFiles,
  missingKubeconfig,
  ownNamespace,
  tokenConnection,
} from '../../../clients/kube/index.ts';
import { openSecrets, secretField } from '../../../clients/secrets/index.ts';
import { type ClusterAccess, type InstanceSource, loadInstance } from '../../../instance/index.ts';
import { type ClusterLogin, chooseLogin, contextsOf, type LoginFacts, requireServer } from '../../../manager/index.ts';
import { type LeaseApi, leaseObject, type WritePermits, withHeldLease } from '../../../runtime/index.ts';
import { type Config, type InstanceFlags, instanceSource, readConfig } from '../../instance.ts';
import type { Io } from '../../io.ts';

export interface ClusterFlags {
  readonly config?: string;
  readonly context?: readonly string[];
  readonly inCluster?: string;
  readonly secretsDir?: string;
  readonly concurrency?: number;
}

export interface ClusterOptions extends Pick<KubeClientOptions, 'permit' | 'onCall' | 'onList'> {
  /** Reject every write request. */
  readonly readOnly: boolean;
  /** Whether the instance settings keep secrets in Vault. */
  readonly vault?: boolean;
  /** Rollouts may run shadows as Jobs. */
  readonly shadowJobs?: boolean | undefined;
}

/** A command's clusters; each is connected once, on first use. */
interface Clusters {
  connect(cluster: string): Promise<KubeClient>;
  /** The same, where rollouts may run shadows as Jobs. */
  readonly shadows?: (cluster: string) => Promise<KubeClient>;
  /** A client that shares no connection with the others, with a permit of its own. */
  dedicated(cluster: string, permit?: ClusterOptions['permit']): Promise<KubeClient>;
  close(): void;
}

export async function openClusters(
  io: Io,
  flags: ClusterFlags,
  access: readonly ClusterAccess[],
  options: ClusterOptions,
): Promise<Clusters> {
  const config = await readConfig(io, flags.config);
  const facts = loginFacts(io, flags, access, config);
  const clients = new Map<string, Promise<KubeClient>>();
  const open = async (cluster: string, permit = options.permit): Promise<KubeClient> =>
    kubeClient(await connection(io, cluster, await chooseLogin(cluster, facts), { flags, config, options }), {
      readOnly: options.readOnly,
      ...defined({ concurrency: flags.concurrency, onCall: options.onCall, onList: options.onList, permit }),
    });
  const connect = (cluster: string): Promise<KubeClient> => {
    const known = clients.get(cluster) ?? open(cluster);
    clients.set(cluster, known);
    // A failure may be temporary: a file being written, an expired login.
    known.catch(() => clients.delete(cluster));
    return known;
  };
  return {
    connect,
    ...(options.shadowJobs === true ? { shadows: connect } : {}),
    dedicated: open,
    close: () => {
      for (const one of clients.values()) one.then((opened) => opened.close()).catch(() => undefined);
    },
  };
}

function loginFacts(io: Io, flags: ClusterFlags, access: readonly ClusterAccess[], { all }: Config): LoginFacts {
  const named = flags.secretsDir !== undefined || io.env['ECHELON_SECRETS_DIR'] || io.env['VAULT_ADDR'];
  return {
    access,
    contexts: contextsOf(flags.context, access),
    inCluster: flags.inCluster ?? io.env['ECHELON_IN_CLUSTER'],
    isPod: isInCluster(io.env),
    // A config.toml that is only for the GraphQL server has neither Vault nor the secret.
    mayHaveSecret: (path) =>
      Boolean(named) || (all !== undefined && ('vault' in all || (path.split('/')[0] ?? '') in all)),
    kubeconfig: async () => (kubeconfigFiles(io.env).length === 0 ? [] : (await currentKubeconfig(io)).contexts),
    missingKubeconfig: missingKubeconfig(io.env),
  };
}

interface Means {
  readonly flags: ClusterFlags;
  readonly config: Config;
  readonly options: ClusterOptions;
}

async function connection(
  io: Io,
  name: string,
  login: ClusterLogin,
  { flags, config, options }: Means,
): Promise<KubeConnection> {
  if (login.by === 'context') return (await currentKubeconfig(io)).connect(login.context, name);
  if (login.by === 'pod') return inCluster({ name, env: io.env, ...defined({ onSecret: io.onSecret }) });
  const { cluster, secret } = login;
  const reader = openSecrets({
    env: io.env,
    config: config.all ?? {},
    signal: io.signal,
    ...defined({ folder: flags.secretsDir, settingsVault: options.vault, onSecret: io.onSecret }),
  });
  return tokenConnection({
    name,
    server: cluster.serverUrl,
    ...(cluster.insecureSkipTLSVerify === true ? { insecureSkipTlsVerify: true } : {}),
    token: async () => {
      requireServer(cluster, secret, (await reader.read(secret)).get('server'));
      return secretField(reader, secret);
    },
  });
}

/** The location of a lease. */
export interface LeasePlace {
  /** A cluster of the instance; this pod's own when absent. */
  readonly cluster?: string;
  readonly namespace: string;
  readonly name: string;
}

/** `CLUSTER/NAMESPACE/NAME`, or `NAMESPACE/NAME` in this pod's cluster. */
export function parseLease(text: string): LeasePlace {
  const parts = text.split('/');
  const [name = '', namespace = '', cluster] = parts.toReversed();
  if (parts.length >= 2 && parts.length <= 3 && !parts.includes('')) {
    return { namespace, name, ...defined({ cluster }) };
  }
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--lease ${text} must be CLUSTER/NAMESPACE/NAME or NAMESPACE/NAME`,
    hint: 'use --lease NAMESPACE/NAME for a lease in the cluster of this pod',
  });
}

/** Throws FLAG_INVALID for a lease in the cluster of this pod where there is no pod. */
export function requireLeasePlace(io: Io, text: string): LeasePlace {
  const place = parseLease(text);
  if (place.cluster !== undefined || isInCluster(io.env)) return place;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--lease ${text} is a lease in the cluster of this pod, but this is not a pod`,
    hint: `pass --lease CLUSTER/${text} with the cluster that has the lease`,
  });
}

/** In a pod a lease is used unless disabled; elsewhere only if one is given. */
export async function leasePlace(
  io: Io,
  flag: string | boolean | undefined,
  name: string,
): Promise<LeasePlace | undefined> {
  if (flag === false) return undefined;
  if (typeof flag === 'string') return requireLeasePlace(io, flag);
  if (!isInCluster(io.env)) return undefined;
  const namespace = await ownNamespace(io.env);
  return namespace === undefined ? undefined : { namespace, name };
}

/** A new client for the cluster of a lease. */
export async function leaseClient(
  io: Io,
  place: LeasePlace,
  clusters: Clusters,
  permit?: ClusterOptions['permit'],
): Promise<KubeClient> {
  if (place.cluster !== undefined) return clusters.dedicated(place.cluster, permit);
  const pod = await inCluster({ name: 'the cluster of this pod', env: io.env, ...defined({ onSecret: io.onSecret }) });
  return kubeClient(pod, defined({ permit }));
}

/** The lease as a Kubernetes object. Uses its own client: fleet writes must not delay a renewal. */
export async function kubeLease(io: Io, place: LeasePlace, clusters: Clusters): Promise<LeaseApi> {
  return leaseObject(await leaseClient(io, place, clusters), place);
}

/** The lease cluster is reached with the same credentials as in a pass. */
export async function leaseClusters(
  io: Io,
  flags: ClusterFlags,
  source: InstanceSource,
  { cluster }: LeasePlace,
): Promise<Clusters> {
  if (cluster === undefined) return openClusters(io, flags, [], { readOnly: false });
  const { clusters, namespaces, settings } = await loadInstance(source, { signal: io.signal });
  const known = [...clusters, ...namespaces.map(({ cluster: of }) => of)].find(({ name }) => name === cluster);
  const vault = settings?.vault === undefined ? {} : { vault: settings.vault };
  return openClusters(io, flags, known === undefined ? [] : [known], { readOnly: false, ...vault });
}

/** Runs a command's writes as the holder of the lease that its flags name; without one they are not restricted. */
export async function withLease<T>(
  io: Io,
  flags: ClusterFlags & InstanceFlags & LeaseFlags,
  permits: Pick<WritePermits, 'grant'>,
  work: (mayWrite: () => boolean) => Promise<T>,
): Promise<T> {
  if (flags.lease === undefined) {
    permits.grant(undefined);
    return work(() => true);
  }
  const place = requireLeasePlace(io, flags.lease);
  const clusters = await leaseClusters(io, flags, await instanceSource(io, flags), place);
  const api = await kubeLease(io, place, clusters);
  return withHeldLease({ api, name: flags.lease, signal: io.signal }, (leadership) => {
    permits.grant(leadership);
    return work(() => leadership.mayWrite());
  });
}

export interface LeaseFlags {
  /** The lease to take: only its holder moves shards of rollouts. */
  readonly lease?: string;
}
