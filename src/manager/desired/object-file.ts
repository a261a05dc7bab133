import { EchelonError } from '../../base/index.ts';
import type { KubeObject } from './desired-namespace.ts';

/** `cluster/namespace/deployment-name.yaml`; rejects names that would escape the folder. */
export function objectFile(cluster: string, namespace: string, { kind, metadata }: KubeObject): string {
  const parts = [cluster, namespace, `${kind.toLowerCase()}-${metadata.name}.yaml`];
  for (const part of parts) {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(part)) continue;
    throw new EchelonError({
      code: 'FILE_NAME_INVALID',
      message: `${JSON.stringify(part)} is not a valid file or folder name`,
      hint: 'fix the name of the cluster, namespace or object',
    });
  }
  return parts.join('/');
}
