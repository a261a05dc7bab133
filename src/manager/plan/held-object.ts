import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { identityAnnotations, withPodTemplate } from '../desired/identity.ts';
import { containersOf } from './image-choice.ts';
import { ownedPart } from './owned-part.ts';

/**
 * A workload as it is applied while its image is held: as it is, with the replicas, suspension, resources and identity that
 * are declared now (A1). Undefined when Echelon never applied it: then nothing is known of what is its own.
 */
export function heldObject(live: KubeObject, desired: KubeObject): KubeObject | undefined {
  const own = ownedPart(live);
  return own === undefined ? undefined : withResources(withIdentity(withScale(own, desired), desired), desired);
}

/** Changing them does not change what the pods do. */
const SCALE = ['replicas', 'suspend'] as const;

function withScale(object: KubeObject, desired: KubeObject): KubeObject {
  const declared = specOf(desired);
  const scale = SCALE.flatMap((field) => (field in declared ? [[field, declared[field]] as const] : []));
  return { ...object, spec: { ...specOf(object), ...Object.fromEntries(scale) } };
}

function withIdentity(object: KubeObject, desired: KubeObject): KubeObject {
  const annotations = isJson(object.metadata['annotations']) ? object.metadata['annotations'] : {};
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, ...identityAnnotations(desired) } },
  };
}

function withResources(object: KubeObject, desired: KubeObject): KubeObject {
  const declared = containersOf(desired);
  const changed = (container: Json): Json => {
    const resources = declared.get(String(container['name']))?.['resources'];
    return resources === undefined ? container : { ...container, resources };
  };
  return withPodTemplate(object, (template) => {
    const spec = isJson(template['spec']) ? template['spec'] : {};
    const lists = ['containers', 'initContainers'].flatMap((field) => {
      const list = spec[field];
      return Array.isArray(list) ? [[field, list.filter(isJson).map(changed)] as const] : [];
    });
    return { ...template, spec: { ...spec, ...Object.fromEntries(lists) } };
  });
}

function specOf(object: KubeObject): Json {
  return isJson(object['spec']) ? object['spec'] : {};
}
