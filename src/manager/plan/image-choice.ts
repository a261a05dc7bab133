import { isJson, type Json, parseImage } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { podTemplateOf, withPodTemplate } from '../desired/identity.ts';

/** What a rollout says about a workload whose declared image is not the one that it shall run now. */
export type ImageChoice =
  /** It keeps what it runs; without an object it gets none yet. */
  | { readonly kind: 'hold'; readonly target: string; readonly reason: string }
  /** It gets another image than the declared one: back over `from`, or to the one under way. */
  | { readonly kind: 'write'; readonly image: string; readonly from?: string; readonly reason: string };

/** A workload with another image: in the container of the integration, in those of the same image, and in `IMAGE*` variables. */
export function withImage(object: KubeObject, image: string): KubeObject {
  return withPodTemplate(object, (template) => {
    const spec = isJson(template['spec']) ? template['spec'] : {};
    const [first] = listOf(spec['containers']);
    const before = first?.['image'];
    const changed = (list: unknown): Json[] => listOf(list).map((one) => withContainerImage(one, before, image));
    return {
      ...template,
      spec: {
        ...spec,
        containers: changed(spec['containers']),
        ...(Array.isArray(spec['initContainers']) ? { initContainers: changed(spec['initContainers']) } : {}),
      },
    };
  });
}

function withContainerImage(container: Json, before: unknown, image: string): Json {
  if (container['image'] !== before) return container;
  const env = Array.isArray(container['env']) ? { env: container['env'].map((one) => withValue(one, image)) } : {};
  return { ...container, image, ...env };
}

function withValue(variable: unknown, image: string): unknown {
  if (!isJson(variable) || typeof variable['value'] !== 'string') return variable;
  const value = variableOf(String(variable['name']), image);
  return value === undefined ? variable : { ...variable, value };
}

function variableOf(name: string, image: string): string | undefined {
  const { repository, tag, digest } = parseImage(image);
  if (name === 'IMAGE') return repository;
  if (name === 'IMAGE_TAG') return tag ?? '';
  return name === 'IMAGE_DIGEST' ? (digest ?? '') : undefined;
}

/** Containers of the pods, by name: their resources may change while the image is held. */
export function containersOf(object: KubeObject): ReadonlyMap<string, Json> {
  const template = podTemplateOf(object);
  const spec = isJson(template?.['spec']) ? template['spec'] : {};
  const all = [...listOf(spec['containers']), ...listOf(spec['initContainers'])];
  return new Map(all.map((container) => [String(container['name']), container]));
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}
