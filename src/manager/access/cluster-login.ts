import { EchelonError, isClearText } from '../../base/index.ts';
import type { ClusterAccess, VaultSecret } from '../../instance/index.ts';
import { parseAssignment } from '../desired/parameters.ts';

/** How to log in to a cluster. */
export type ClusterLogin =
  | { readonly by: 'context'; readonly context: string }
  | { readonly by: 'pod' }
  | { readonly by: 'token'; readonly cluster: ClusterAccess; readonly secret: VaultSecret };

/** What a choice of login depends on. */
export interface LoginFacts {
  /** The clusters that a command is about. */
  readonly access: readonly ClusterAccess[];
  /** By cluster, from `contextsOf`. */
  readonly contexts: ReadonlyMap<string, string>;
  /** The cluster that the pod's own account is for. */
  readonly inCluster?: string | undefined;
  /** Whether this process runs in a pod that has an account. */
  readonly isPod: boolean;
  /** Whether the place of secrets that was named, or the configuration, may have this one. */
  readonly mayHaveSecret: (path: string) => boolean;
  /** The contexts of the kubeconfig; read only where nothing stronger decides. */
  readonly kubeconfig: () => Promise<readonly { readonly name: string; readonly server: string }[]>;
}

/**
 * `--context`, then the pod's own account where `--in-cluster` names the cluster, then the token that the instance refers to,
 * then a context of the kubeconfig with the same server or name, then the pod's own account when it is the only cluster.
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
  throw noCredentials(name, cluster);
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
        message: `--context ${text} is for one cluster, but there are ${access.length}`,
        hint: 'write --context CLUSTER=CONTEXT, once for each cluster, or choose one with --cluster',
      });
    }),
  );
}

/** A token for another server is not sent to this one. */
export function requireServer(
  { name, serverUrl }: ClusterAccess,
  secret: VaultSecret,
  server: string | undefined,
): void {
  if (server === undefined || isSameServer(server, serverUrl)) return;
  throw new EchelonError({
    code: 'KUBE_SERVER_MISMATCH',
    message: `${name}: the secret ${secret.path} is for ${server}, but serverUrl is ${serverUrl}`,
    hint: 'correct serverUrl of the cluster, or the secret',
  });
}

/** Plain HTTP carries the token in the open; only a server on this machine is asked that way. */
function refuseClearText({ name, serverUrl }: ClusterAccess): void {
  const url = URL.canParse(serverUrl) ? new URL(serverUrl) : undefined;
  if (url?.protocol !== 'http:' || !isClearText(url)) return;
  throw new EchelonError({
    code: 'KUBE_INSECURE',
    message: `${name}: serverUrl ${serverUrl} is not encrypted, so its token is not sent there`,
    hint: 'write https in serverUrl of the cluster',
  });
}

function isSameServer(a: string, b: string): boolean {
  const address = (url: string): string => (URL.canParse(url) ? new URL(url).href.replace(/\/+$/, '') : url);
  return address(a) === address(b);
}

function noCredentials(cluster: string, found: ClusterAccess | undefined): EchelonError {
  const server = found === undefined ? '' : ` (${found.serverUrl})`;
  return new EchelonError({
    code: 'KUBE_NO_ACCESS',
    message: `${cluster}${server}: nothing tells how to log in`,
    hint: `name a kubeconfig by KUBECONFIG with a context of the same server or name, or --context ${cluster}=CONTEXT, or where tokens are by --secrets-dir or --config`,
  });
}
