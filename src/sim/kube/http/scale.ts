import { type Fields, fieldsAt, isFields, type KubeObject, valueAt } from '../objects.ts';
import { badRequest } from '../status.ts';

/** The scale subresource of a workload. */
export function scaleOf(object: KubeObject): Fields {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = Object.entries(fieldsAt(object, 'spec', 'selector', 'matchLabels'));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: valueAt(object, 'spec', 'replicas') ?? 0 },
    status: {
      replicas: valueAt(object, 'status', 'replicas') ?? 0,
      selector: selector.map(([key, value]) => `${key}=${String(value)}`).join(','),
    },
  };
}

/** The wanted number of a Scale, or of a patch of one. */
export function readScale(body: string, before: Fields = {}): number {
  const value: unknown = JSON.parse(body);
  const list = Array.isArray(value) ? value : [];
  const operation = list.find((each: unknown) => isFields(each) && each['path'] === '/spec/replicas') as
    | Fields
    | undefined;
  const replicas = operation?.['value'] ?? valueAt(value, 'spec', 'replicas') ?? valueAt(before, 'spec', 'replicas');
  if (!Number.isInteger(replicas))
    throw badRequest('Scale in version "v1" cannot be handled as a Scale: spec.replicas is not a number');
  return Number(replicas);
}

export function withReplicas(object: KubeObject, replicas: number): KubeObject {
  return { ...object, spec: { ...fieldsAt(object, 'spec'), replicas } };
}
