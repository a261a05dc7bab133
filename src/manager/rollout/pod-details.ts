import { isJson } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';

/** Pods and jobs of a namespace in which a rollout is under way. */
export interface PodDetails {
  readonly pods: readonly KubeObject[];
  readonly jobs: readonly KubeObject[];
}

/**
 * The replica sets that pods belong to, which are not listed: their names are the Deployment's and the hash that each pod
 * carries, so that the way from a pod to its workload is complete.
 */
export function impliedReplicaSets(pods: readonly KubeObject[], workloads: readonly KubeObject[]): KubeObject[] {
  if (pods.length === 0) return [];
  const deployments = new Map(
    workloads.filter(({ kind }) => kind === 'Deployment').map((object) => [object.metadata.name, object]),
  );
  const sets = new Map<string, KubeObject>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    const hash = labelsOf(pod)['pod-template-hash'];
    if (owner?.kind !== 'ReplicaSet' || typeof hash !== 'string' || !owner.name.endsWith(`-${hash}`)) continue;
    const deployment = deployments.get(owner.name.slice(0, -hash.length - 1));
    if (deployment === undefined) continue;
    const { uid } = deployment.metadata;
    sets.set(owner.uid, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: owner.name, uid: owner.uid, ownerReferences: [{ controller: true, uid }] },
    });
  }
  return [...sets.values()];
}

interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export function controllerOf({ metadata }: KubeObject): Owner | undefined {
  const owners: unknown = metadata['ownerReferences'];
  const owner: unknown = Array.isArray(owners)
    ? owners.find((one) => isJson(one) && one['controller'] === true)
    : undefined;
  if (!isJson(owner)) return undefined;
  return { kind: String(owner['kind']), name: String(owner['name']), uid: String(owner['uid']) };
}

function labelsOf({ metadata }: KubeObject): Readonly<Record<string, unknown>> {
  return isJson(metadata['labels']) ? metadata['labels'] : {};
}
