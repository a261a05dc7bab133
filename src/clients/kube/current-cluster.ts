import { defined, EchelonError } from '../../base/index.ts';
import type { KubeConnection } from './connection.ts';
import { inCluster, isInCluster } from './in-cluster.ts';
import { type KubeConfigFile, kubeconfigFiles, missingKubeconfig, openKubeconfig } from './kubeconfig.ts';

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
  if (files.length > 0) return openKubeconfig(files, onSecret);
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
