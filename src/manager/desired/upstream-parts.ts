import { byText, EchelonError } from '../../base/index.ts';
import { type DesiredNamespace, type KubeObject, objectKey } from './desired-namespace.ts';
import type { NamespaceGroup } from './group.ts';
import { isWorkload } from './identity.ts';
import type { Rendered, RenderFailure } from './render.ts';

/** What runs with the image of one upstream. */
export interface UpstreamPart {
  /** Absent for integrations that have none. */
  readonly upstream?: string;
  readonly groups: readonly NamespaceGroup[];
}

/** Groups by the upstream of their integrations; those without one come first. */
export function upstreamParts(groups: readonly NamespaceGroup[]): UpstreamPart[] {
  const entries = groups.flatMap(({ namespace, entries: all }) =>
    [...Map.groupBy(all, ({ integration }) => integration.upstream)].map(([upstream, own]) => ({
      upstream,
      group: { namespace, entries: own },
    })),
  );
  return [...Map.groupBy(entries, ({ upstream }) => upstream)]
    .toSorted(([a = ''], [b = '']) => byText(a, b))
    .map(([upstream, own]) => ({
      ...(upstream === undefined ? {} : { upstream }),
      groups: own.map(({ group }) => group),
    }));
}

/** The objects of one part, and the caller that they are written for. */
export interface RenderedPart {
  readonly caller: string;
  readonly rendered: Rendered;
}

/**
 * The parts as one: each namespace once, with all objects. What every part renders, such as the Service of a namespace, is that
 * of the first; a workload of two parts is a failure of the second.
 */
export function joinedParts(parts: readonly RenderedPart[]): Rendered {
  const all = parts.flatMap(({ caller, rendered }) => rendered.namespaces.map((namespace) => ({ caller, namespace })));
  const joined = [...Map.groupBy(all, ({ namespace }) => placeText(namespace)).values()].map(joinedPlace);
  return {
    namespaces: joined.flatMap(({ namespaces }) => namespaces).toSorted((a, b) => byText(placeText(a), placeText(b))),
    failures: [...parts.map(({ rendered }) => rendered), ...joined].flatMap(({ failures }) => failures),
  };
}

interface PartOfPlace {
  readonly caller: string;
  readonly namespace: DesiredNamespace;
}

function joinedPlace(own: readonly PartOfPlace[]): Rendered {
  const failures: RenderFailure[] = [];
  const objects = new Map<string, KubeObject>();
  const callers = new Map<string, string>();
  for (const { caller, namespace, object } of own.flatMap(objectsOf)) {
    const key = objectKey(object);
    const first = callers.get(key);
    if (first !== undefined && isWorkload(object)) failures.push(twice(placeText(namespace), key, first, caller));
    if (first !== undefined) continue;
    objects.set(key, object);
    callers.set(key, caller);
  }
  const ordered = [...objects.values()].toSorted(
    (a, b) => byText(a.kind, b.kind) || byText(a.metadata.name, b.metadata.name),
  );
  return {
    namespaces: own.slice(0, 1).map(({ namespace }) => ({ ...namespace, objects: ordered, callers })),
    failures,
  };
}

function objectsOf(part: PartOfPlace): (PartOfPlace & { readonly object: KubeObject })[] {
  return part.namespace.objects.map((object) => ({ ...part, object }));
}

function placeText({ cluster, namespace }: DesiredNamespace): string {
  return `${cluster}/${namespace}`;
}

function twice(target: string, key: string, first: string, second: string): RenderFailure {
  return {
    target,
    error: new EchelonError({
      code: 'CHART_OUTPUT',
      message: `${target}: the integrations of ${first} and of ${second} both have an object ${key}`,
      hint: 'rename one of the integrations, or manage it in another namespace',
    }),
  };
}
