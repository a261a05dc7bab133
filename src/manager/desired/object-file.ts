import { EchelonError } from '../../base/index.ts';
import type { KubeObject } from './desired-namespace.ts';

/** `cluster/namespace/deployment-name.yaml`; a name that would lead elsewhere is refused. */
export function objectFile(cluster: string, namespace: string, { kind, metadata }: KubeObject): string {
  const parts = [cluster, namespace, `${kind.toLowerCase()}-${metadata.name}.yaml`];
  for (const part of parts) {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(part)) continue;
    throw new EchelonError({
      code: 'FILE_NAME_INVALID',
      message: `${JSON.stringify(part)} cannot be the name of a file or folder`,
      hint: 'correct the name of the cluster, namespace or object',
    });
  }
  return parts.join('/');
}
