import { type DesiredNamespace, type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import { isWorkload } from '../desired/identity.ts';
import type { LiveCluster } from './observe.ts';
import type { PlanItem } from './plan-item.ts';
import type { LiveNamespace } from './plan-options.ts';

type Place = { readonly cluster: string; readonly namespace: string };

export function placeOf({ cluster, namespace }: Place): string {
  return `${cluster}/${namespace}`;
}

/** All names of a cluster, the first of them for every one: names with the same API server are one cluster. */
type NamesOf = (cluster: string) => readonly string[];

export function clusterNames(live: readonly Pick<LiveCluster, 'cluster' | 'server'>[]): NamesOf {
  const servers = new Map(live.map(({ cluster, server }) => [cluster, server ?? `only ${cluster}`]));
  const names = Map.groupBy(servers.keys(), (cluster) => servers.get(cluster));
  return (cluster) => names.get(servers.get(cluster)) ?? [cluster];
}

/** What to plan for an observed namespace. */
export interface PlaceToPlan {
  readonly found: LiveNamespace;
  /** Absent where nothing is declared. */
  readonly declared?: DesiredNamespace;
  /** Objects of the namespace that are planned under another name of its cluster, or declared there. */
  readonly elsewhere: ReadonlySet<string>;
  /** Workloads that are also declared under another name of the cluster. */
  readonly twice: readonly PlanItem[];
  /** Whether undeclared objects are removed here, and not under another name of the cluster. */
  readonly sweeps: boolean;
}

/**
 * Assigns every object of a namespace that was observed under several names of its cluster to one of them: the first that
 * declares it, or for an object that none declares, the first that declares anything there.
 */
export function placesToPlan(desired: readonly DesiredNamespace[], live: readonly LiveCluster[]): PlaceToPlan[] {
  const names = clusterNames(live);
  const spotOf = ({ cluster, namespace }: Place): string => `${names(cluster)[0]}/${namespace}`;
  const wanted = new Map(desired.map((namespace) => [placeOf(namespace), namespace]));
  const found = live.flatMap(({ namespaces, elsewhere }) => [...namespaces, ...elsewhere]);
  const declaring = Map.groupBy(desired, spotOf);
  const sweeping = new Map<string, LiveNamespace>();
  for (const one of [...found.filter((place) => wanted.has(placeOf(place))), ...found]) {
    if (!sweeping.has(spotOf(one))) sweeping.set(spotOf(one), one);
  }
  return found.flatMap((one): PlaceToPlan[] => {
    const declared = wanted.get(placeOf(one));
    const sweeps = sweeping.get(spotOf(one)) === one;
    const here = declaring.get(spotOf(one)) ?? [];
    if (here.every((place) => place === declared)) {
      const alone = { found: one, elsewhere: new Set<string>(), twice: [], sweeps };
      return [declared === undefined ? alone : { ...alone, declared }];
    }
    return [shared(one, declared, here, sweeps)];
  });
}

function shared(
  found: LiveNamespace,
  declared: DesiredNamespace | undefined,
  here: readonly DesiredNamespace[],
  sweeps: boolean,
): PlaceToPlan {
  const others = here.filter((place) => place !== declared);
  const elsewhere = new Set(others.flatMap(({ objects }) => objects.map(objectKey)));
  if (declared === undefined) return { found, elsewhere, twice: [], sweeps };
  const before = here.slice(0, here.indexOf(declared));
  const first = new Map(before.toReversed().flatMap((other) => other.objects.map((one) => [objectKey(one), other])));
  const own = declared.objects.filter((object) => !first.has(objectKey(object)));
  for (const object of own) elsewhere.delete(objectKey(object));
  const twice = declared.objects.filter(isWorkload).flatMap((object): PlanItem[] => {
    const other = first.get(objectKey(object));
    return other === undefined ? [] : [declaredTwice(declared, object, other)];
  });
  return { found, declared: { ...declared, objects: own }, elsewhere, twice, sweeps };
}

function declaredTwice({ cluster, namespace }: Place, { kind, metadata }: KubeObject, other: Place): PlanItem {
  return {
    cluster,
    namespace,
    kind,
    name: metadata.name,
    action: 'conflict',
    reason: `it is also declared in ${placeOf(other)}, and both clusters have the same API server`,
    hint: 'use one cluster name for an API server, and manage the integration there once',
  };
}

/** Where observed objects are declared, by their id: the same API server shows an object with the same uid. */
export function declaredObjects(places: readonly PlaceToPlan[]): ReadonlyMap<string, Place> {
  return new Map(
    places.flatMap(({ found, declared }) => {
      const wanted = new Set(declared?.objects.map(objectKey));
      return found.objects
        .filter((object) => wanted.has(objectKey(object)))
        .map(({ kind, metadata }) => {
          const { namespace } = found;
          return [observedId({ namespace, kind, name: metadata.name }, metadata['uid']), found] as const;
        });
    }),
  );
}

export function observedId(
  { namespace, kind, name }: Pick<PlanItem, 'namespace' | 'kind' | 'name'>,
  uid: unknown,
): string {
  return JSON.stringify([uid, namespace, kind, name]);
}
