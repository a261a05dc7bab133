import { type Fields, type KubeObject, valueAt } from '../objects.ts';
import { PODS, REPLICA_SETS } from '../resources.ts';
import type { ControlContext } from './context.ts';
import { createPod } from './create-pod.ts';
import { isReady } from './pod.ts';
import { controlled, removeObject, writeStatus } from './write-as.ts';

/** As many pods of its template as a replica set wants. */
export function reconcileReplicaSet(replicaSet: KubeObject, context: ControlContext): void {
  const pods = controlled(PODS, replicaSet, context);
  const wanted = Number(valueAt(replicaSet, 'spec', 'replicas') ?? 1);
  for (let i = pods.length; i < wanted; i += 1) createPod(replicaSet, context);
  for (const pod of surplus(pods, wanted)) removeObject(PODS, pod, context);
  const now = controlled(PODS, replicaSet, context);
  const ready = now.filter(isReady).length;
  const status: Fields = {
    replicas: now.length,
    fullyLabeledReplicas: now.length,
    readyReplicas: ready,
    availableReplicas: ready,
    terminatingReplicas: 0,
    observedGeneration: replicaSet.metadata.generation,
  };
  writeStatus(REPLICA_SETS, replicaSet, status, context);
}

/** Pods that are too many: those that are not ready first, then the newest. */
function surplus(pods: readonly KubeObject[], wanted: number): readonly KubeObject[] {
  const keep = [...pods].sort((a, b) => Number(isReady(b)) - Number(isReady(a)));
  return keep.slice(wanted);
}
