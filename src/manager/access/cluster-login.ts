import { EchelonError, isClearText, serverAddress } from '../../base/index.ts';
import type { ClusterAccess, VaultSecret } from '../../instance/index.ts';
import { parseAssignment } from '../desired/parameters.ts';

/** How to log in to a cluster. */
export type ClusterLogin =
  | { readonly by: 'context'; readonly context: string }
  | { readonly by: 'pod' }
  | { readonly by: 'token'; readonly cluster: ClusterAccess; readonly secret: VaultSecret };

/** The facts that decide the login. */
export interface LoginFacts {
  /** The clusters in scope of the command. */
  readonly access: readonly ClusterAccess[];
  /** By cluster, from `contextsOf`. */
  readonly contexts: ReadonlyMap<string, string>;
  /** The cluster of the pod's own service account. */
  readonly inCluster?: string | undefined;
  /** Whether this process runs in a pod with a service account. */
  readonly isPod: boolean;
  /** Whether the configured secret source may have this secret. */
  readonly mayHaveSecret: (path: string) => boolean;
  /** The contexts of the kubeconfig; read only if nothing of higher precedence decides. */
  readonly kubeconfig: () => Promise<readonly { readonly name: string; readonly server: string }[]>;
  /** Files that KUBECONFIG names and that do not exist. */
  readonly missingKubeconfig?: readonly string[];
}

/**
 * In order of precedence: `--context`, the pod's service account if `--in-cluster` names the cluster, the token that the
 * instance references, a kubeconfig context with the same server or name, the pod's service account if it is the only cluster.
 */
export async function chooseLogin(name: string, facts: LoginFacts): Promise<ClusterLogin> {
  const context = facts.contexts.get(name);
  if (context !== undefined) return { by: 'context', context };
  if (facts.inCluster === name) return { by: 'pod' };
  const cluster = facts.access.find((one) => one.name === name);
  const secret = cluster?.automationToken;
  if (cluster !== undefined && secret !== undefined && facts.mayHaveSecret(secret.path)) {
    refuseClearText(cluster);
    return { by: 'token', cluster, secret };
  }
  const contexts = await facts.kubeconfig();
  const found =
    contexts.find(({ server }) => cluster !== undefined && isSameServer(server, cluster.serverUrl)) ??
    contexts.find((one) => one.name === name);
  if (found !== undefined) return { by: 'context', context: found.name };
  if (facts.access.length === 1 && facts.isPod) return { by: 'pod' };
  throw noCredentials(name, cluster, facts.missingKubeconfig);
}

/** `--context NAME` for the only cluster, or `--context CLUSTER=NAME`, once for each. */
export function contextsOf(
  given: readonly string[] | undefined,
  access: readonly ClusterAccess[],
): ReadonlyMap<string, string> {
  return new Map(
    (given ?? []).map((text) => {
      if (text.includes('=')) return parseAssignment(text, '--context', 'CLUSTER=CONTEXT');
      const [only, ...others] = access;
      if (only !== undefined && others.length === 0) return [only.name, text] as const;
      throw new EchelonError({
        code: 'FLAG_INVALID',
        message: `--context ${text} applies to one cluster, but ${access.length} are in scope`,
        hint: 'pass --context CLUSTER=CONTEXT once per cluster, or select one with --cluster',
      });
    }),
  );
}

/** Refuses to send a token to a server that it was not issued for. */
export function requireServer(
  { name, serverUrl }: ClusterAccess,
  secret: VaultSecret,
  server: string | undefined,
): void {
  if (server === undefined || isSameServer(server, serverUrl)) return;
  throw new EchelonError({
    code: 'KUBE_SERVER_MISMATCH',
    message: `${name}: the secret ${secret.path} is for ${server}, but serverUrl is ${serverUrl}`,
    hint: "fix the cluster's serverUrl, or the secret",
  });
}

/** Plain HTTP exposes the token; it is allowed only for a server on this machine. */
function refuseClearText({ name, serverUrl }: ClusterAccess): void {
  const url = URL.canParse(serverUrl) ? new URL(serverUrl) : undefined;
  if (url?.protocol !== 'http:' || !isClearText(url)) return;
  throw new EchelonError({
    code: 'KUBE_INSECURE',
    message: `${name}: serverUrl ${serverUrl} is not encrypted; refusing to send the token`,
    hint: "use https in the cluster's serverUrl",
  });
}

function isSameServer(a: string, b: string): boolean {
  return (serverAddress(a) ?? a) === (serverAddress(b) ?? b);
}

function noCredentials(
  cluster: string,
  found: ClusterAccess | undefined,
  missing: LoginFacts['missingKubeconfig'] = [],
): EchelonError {
  const absent = missing.length === 0 ? '' : `: KUBECONFIG names ${missing.join(', ')}, which does not exist`;
  const server = found === undefined ? '' : ` (${found.serverUrl})`;
  return new EchelonError({
    code: 'KUBE_NO_ACCESS',
    message: `no credentials for cluster ${cluster}${server}${absent}`,
    hint: `set KUBECONFIG to a kubeconfig with a context for the same server or name, pass --context ${cluster}=CONTEXT, or configure secrets with --secrets-dir or --config`,
  });
}
