import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { podIdentity, podTemplateOf, withPodIdentity } from '../desired/identity.ts';
import { differences } from './differences.ts';

/** The desired object with its immutable live parts, or why the live object cannot be changed to it. */
type Fitted = { readonly object: KubeObject } | { readonly conflict: string; readonly hint: string };

const RESTARTED = ['kubectl.kubernetes.io/restartedAt', 'openshift.openshift.io/restartedAt'];

/**
 * A selector is immutable: the live one stays, and the pods keep every label that it selects. A requested restart is kept,
 * and pods keep their identity annotations until something else changes. Any other immutable field is a conflict: nothing
 * is deleted and recreated without consent.
 */
export function keepsLiveParts(desired: KubeObject, live: KubeObject): Fitted {
  if (desired.kind === 'StatefulSet') {
    const claims = differences(specOf(live)['volumeClaimTemplates'], specOf(desired)['volumeClaimTemplates']);
    const [first] = claims;
    if (first !== undefined) return claimConflict(first.path);
  }
  if (desired.kind !== 'Deployment' && desired.kind !== 'StatefulSet') return { object: desired };
  return { object: withLivePodIdentity(withLiveSelector(desired, live), live) };
}

/** Identity annotations alone must not restart pods: the live ones stay until something else changes. */
function withLivePodIdentity(desired: KubeObject, live: KubeObject): KubeObject {
  const kept = podIdentity(live);
  const own = podIdentity(desired);
  if (differences(kept, own).length === 0 && differences(own, kept).length === 0) return desired;
  const quiet = withPodIdentity(desired, kept);
  return differences(podTemplateOf(live), podTemplateOf(quiet)).length === 0 ? quiet : desired;
}

function claimConflict(path: string): Fitted {
  return {
    conflict: `its volume claim template differs at ${path === '' ? 'all' : path}, which is immutable in Kubernetes`,
    hint: 'pass --recreate to replace the StatefulSet, keeping its pods and volumes, or restore the old value',
  };
}

function withLiveSelector(desired: KubeObject, live: KubeObject): KubeObject {
  const spec = specOf(desired);
  const selector = specOf(live)['selector'] ?? spec['selector'];
  const template = isJson(spec['template']) ? spec['template'] : {};
  const metadata = isJson(template['metadata']) ? template['metadata'] : {};
  const selected = isJson(selector) && isJson(selector['matchLabels']) ? selector['matchLabels'] : {};
  const own = isJson(metadata['labels']) ? metadata['labels'] : {};
  const restarts = restartsOf(live);
  const asDesired = differences(selector, spec['selector']).length === 0 && differences(own, selected).length === 0;
  if (asDesired && differences(spec['selector'], selector).length === 0 && Object.keys(restarts).length === 0)
    return desired;
  return {
    ...desired,
    spec: {
      ...spec,
      selector,
      template: {
        ...template,
        metadata: {
          ...metadata,
          labels: { ...own, ...selected },
          ...(Object.keys(restarts).length === 0
            ? {}
            : { annotations: { ...restarts, ...(isJson(metadata['annotations']) ? metadata['annotations'] : {}) } }),
        },
      },
    },
  };
}

function restartsOf(live: KubeObject): Json {
  const template = specOf(live)['template'];
  const metadata = isJson(template) ? template['metadata'] : undefined;
  const annotations = isJson(metadata) ? metadata['annotations'] : undefined;
  if (!isJson(annotations)) return {};
  return Object.fromEntries(RESTARTED.filter((key) => key in annotations).map((key) => [key, annotations[key]]));
}

function specOf(object: KubeObject): Json {
  return isJson(object['spec']) ? object['spec'] : {};
}
