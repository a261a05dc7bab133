import { defined, isJson } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { packedManagers } from './field-owners.ts';

/** What an observation keeps of an object: of its status only the numbers that say whether a workload is up. */
export function observedObject(object: KubeObject): KubeObject {
  const counts = countsOf(object['status']);
  return counts === undefined ? packedManagers(object) : { ...packedManagers(object), status: counts };
}

function countsOf(status: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isJson(status) || status['observedGeneration'] === undefined) return undefined;
  const { observedGeneration, replicas, updatedReplicas, readyReplicas } = status;
  return defined({ observedGeneration, replicas, updatedReplicas, readyReplicas });
}
