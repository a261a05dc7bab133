import { byText, EchelonError, isJson } from '../../base/index.ts';
import type { Namespace } from '../../instance/index.ts';
import { replacedFields, replacedItems } from './unchanged-parts.ts';

/** A Kubernetes object. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

/** The desired objects of a namespace. */
export interface DesiredNamespace {
  readonly cluster: string;
  readonly namespace: string;
  readonly file: string;
  readonly environment: string;
  readonly objects: readonly KubeObject[];
  /** The upstream that an object is written for, by its key; that of the manager where absent. */
  readonly callers?: ReadonlyMap<string, string>;
}

/** Identifies an object within its namespace. */
export function objectKey({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): string {
  return `${kind}/${metadata.name}`;
}

/** Prepares processed objects for their namespace: sets it, cleans up images, orders by kind and name, rejects duplicates. */
export function desiredNamespace(namespace: Namespace, objects: readonly object[]): DesiredNamespace {
  const placed = objects.map((object) => placedObject(object as KubeObject, namespace.name));
  placed.sort((a, b) => byText(a.kind, b.kind) || byText(a.metadata.name, b.metadata.name));
  refuseDuplicates(placed, namespace);
  return {
    cluster: namespace.cluster.name,
    namespace: namespace.name,
    file: namespace.file,
    environment: namespace.environment.name,
    objects: placed,
  };
}

/** The object with its namespace set, its name first and its images cleaned up. */
export function placedObject(object: KubeObject, namespace: string | undefined): KubeObject {
  const { name, namespace: _written, ...rest } = object.metadata;
  const { apiVersion, kind, metadata: _, ...content } = object;
  const place = namespace === undefined ? {} : { namespace };
  return { apiVersion, kind, metadata: { name, ...place, ...rest }, ...withoutEmptyDigests(content) };
}

/** Charts render `repository:tag@digest`; with an empty digest that ends in `@`, which is not a valid reference. */
function withoutEmptyDigests<T>(node: T): T {
  if (Array.isArray(node)) return replacedItems(node, withoutEmptyDigests) as T;
  if (!isJson(node)) return node;
  return replacedFields(node, (value, key) =>
    key === 'image' && typeof value === 'string' ? value.replace(/@$/, '') : withoutEmptyDigests(value),
  ) as T;
}

function refuseDuplicates(objects: readonly KubeObject[], namespace: Namespace): void {
  for (const [index, object] of objects.entries()) {
    const previous = objects[index - 1];
    if (previous?.kind !== object.kind || previous.metadata.name !== object.metadata.name) continue;
    throw new EchelonError({
      code: 'CHART_OUTPUT',
      message: `the chart rendered ${object.kind} ${object.metadata.name} twice for ${namespace.cluster.name}/${namespace.name}`,
      hint: "give the chart's objects different names",
    });
  }
}
