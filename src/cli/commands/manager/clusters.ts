import { defined } from '../../../base/index.ts';
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
  tokenConnection,
} from '../../../clients/kube/index.ts';
import { openSecrets, secretField } from '../../../clients/secrets/index.ts';
import type { ClusterAccess } from '../../../instance/index.ts';
import { type ClusterLogin, chooseLogin, contextsOf, type LoginFacts, requireServer } from '../../../manager/index.ts';
import { type Config, readConfig } from '../../config.ts';
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
export interface Clusters {
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
