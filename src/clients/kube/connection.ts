import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defined, EchelonError } from '../../base/index.ts';
import { type ProxyEnv, type ProxyServer, proxyFor } from '../http/index.ts';

/** What authenticates a request. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** A client certificate and its key, in PEM. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** The certificate authority to trust, where it comes with them. */
  readonly ca?: string | Buffer;
}

/** The address of a cluster and how to authenticate. */
export interface KubeConnection {
  /** How messages name the cluster. */
  readonly name: string;
  readonly server: string;
  readonly ca?: string | Buffer;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** Leads to the server. */
  readonly proxy?: ProxyServer;
  /** With `renew` the server refused the last ones: they are read or created again. */
  credentials(renew: boolean): Promise<Credentials>;
}

/** A server and a token from somewhere else; `token` is asked again when the server refuses the last one. */
export function tokenConnection(options: {
  readonly name: string;
  readonly server: string;
  readonly ca?: string | Buffer;
  readonly insecureSkipTlsVerify?: boolean;
  readonly token: (renew: boolean) => Promise<string>;
  /** Of the process: which proxy leads to the server. */
  readonly env?: ProxyEnv;
}): KubeConnection {
  const { token, env = {}, ...place } = options;
  const ask = askedOnce(token);
  const proxy = environmentProxy(place.server, env);
  return {
    ...place,
    ...defined({ proxy }),
    credentials: async (renew) => ({ headers: { Authorization: `Bearer ${await ask(renew)}` } }),
  };
}

/** The proxy that the environment names for a server. */
export function environmentProxy(server: string, env: ProxyEnv): ProxyServer | undefined {
  const url = URL.parse(server);
  return url === null ? undefined : proxyFor(url, env);
}

/**
 * Asks once for all concurrent callers and remembers the result until it is to be renewed; a failure is not remembered.
 */
export function askedOnce<T>(ask: (renew: boolean) => Promise<T>): (renew: boolean) => Promise<T> {
  let known: Promise<T> | undefined;
  let asking = false;
  const fresh = async (renew: boolean): Promise<T> => {
    asking = true;
    try {
      return await ask(renew);
    } finally {
      asking = false;
    }
  };
  return (renew) => {
    if (known !== undefined && (asking || !renew)) return known;
    known = fresh(renew);
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}

/** Where Kubernetes mounts the account of a pod. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

interface InClusterOptions {
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder with `token`, `ca.crt` and `namespace`; replaced in tests. */
  readonly account?: string;
  readonly onSecret?: (secret: string) => void;
}

export function isInCluster(env: InClusterOptions['env'], account = ACCOUNT): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST']) && existsSync(accountOf(env, account).token);
}

/** Where Kubernetes mounts it, else where KUBE_SA_TOKEN_PATH of existing pods says that it is mounted. */
function accountOf(env: InClusterOptions['env'], account: string): { readonly folder: string; readonly token: string } {
  const token = join(account, 'token');
  const other = env['KUBE_SA_TOKEN_PATH'] ?? '';
  return other === '' || existsSync(token) ? { folder: account, token } : { folder: dirname(other), token: other };
}

/** The account of this pod. Kubernetes renews its token in the file, so the file is read again when one is refused. */
export async function inCluster(options: InClusterOptions): Promise<KubeConnection> {
  const { env, name, account = ACCOUNT } = options;
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT_HTTPS'] ?? env['KUBERNETES_SERVICE_PORT'] ?? '443';
  const files = accountOf(env, account);
  const read = async (file: string): Promise<string> => {
    try {
      return (await readFile(file, 'utf8')).trim();
    } catch (thrown) {
      throw noAccount(file, thrown);
    }
  };
  return tokenConnection({
    name,
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    env,
    ca: await read(join(files.folder, 'ca.crt')),
    token: async () => {
      const token = await read(files.token);
      options.onSecret?.(token);
      return token;
    },
  });
}

/** The namespace of this pod; undefined outside of one. */
export async function ownNamespace(env: InClusterOptions['env'], account = ACCOUNT): Promise<string | undefined> {
  try {
    return (await readFile(join(accountOf(env, account).folder, 'namespace'), 'utf8')).trim();
  } catch {
    return undefined;
  }
}

function noAccount(file: string, cause: unknown): EchelonError {
  return new EchelonError({
    code: 'KUBE_ACCOUNT',
    message: `cannot read ${file}: ${(cause as NodeJS.ErrnoException).code}`,
    hint: 'the pod needs a service account with its token mounted',
    cause,
  });
}
