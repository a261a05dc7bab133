import { defined, EchelonError, mapLimited } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { ClusterApi, Connect, ListWhere, WatchedPass } from './cluster-api.ts';
import { isJoint, type ManagerIdentity, neighboursIn } from './joint-objects.ts';
import { observedObject } from './observed-status.ts';
import { selectorOf } from './ownership-labels.ts';
import { KINDS } from './plan-item.ts';
import type { LiveNamespace } from './plan-options.ts';

/** What to observe in a cluster. */
export interface Target {
  readonly cluster: string;
  /** The address of its API server: clusters with the same one are one place. */
  readonly server?: string;
  readonly namespaces: readonly string[];
  /** Also list own objects in all other namespaces. */
  readonly elsewhere?: ManagerIdentity & { readonly instance: string };
}

/** A cluster or namespace that cannot be read or written. */
export interface PlaceFailure {
  readonly cluster: string;
  readonly namespace?: string;
  readonly error: EchelonError;
}

/** The live objects of a cluster. */
export interface LiveCluster {
  readonly cluster: string;
  /** As in the target. */
  readonly server?: string;
  /** Those that could be read. */
  readonly namespaces: readonly LiveNamespace[];
  /** Own objects in namespaces that were not requested. */
  readonly elsewhere: readonly LiveNamespace[];
  readonly failures: readonly PlaceFailure[];
  /** The account may not list other namespaces, so objects orphaned there are not found. */
  readonly blind?: true;
}

const CLUSTERS_AT_ONCE = 20;
const NAMESPACES_AT_ONCE = 8;

/** After one of these errors no more requests go to the cluster; other errors may concern a single object or namespace. */
const CONNECTION_ERRORS: ReadonlySet<string> = new Set([
  'KUBE_UNREACHABLE',
  'KUBE_TIMEOUT',
  'KUBE_TLS',
  'KUBE_UNAUTHORIZED',
  'KUBE_LOGIN',
  'KUBE_THROTTLED',
]);

export function isConnectionError({ code }: EchelonError): boolean {
  return CONNECTION_ERRORS.has(code);
}

/** How every list is made. */
type Listing = Pick<ListWhere, 'signal' | 'watched'>;

/** Observes every cluster with one list per kind and namespace. A failure does not affect the others. */
export function observe(
  targets: readonly Target[],
  connect: Connect,
  signal?: AbortSignal,
  watched?: WatchedPass,
): Promise<LiveCluster[]> {
  const listing = defined({ signal, watched });
  return mapLimited(targets, CLUSTERS_AT_ONCE, (target) => observeCluster(target, connect, listing), signal);
}

async function observeCluster(target: Target, connect: Connect, listing: Listing): Promise<LiveCluster> {
  const { cluster, server } = target;
  const named = { cluster, ...defined({ server }) };
  try {
    const api = await connect(cluster);
    const [first, ...others] = target.namespaces;
    // The first namespace shows whether the cluster is reachable at all, before many requests wait for the same error.
    const results = first === undefined ? [] : [await observeNamespace(api, cluster, first, listing)];
    results.push(
      ...(await mapLimited(others, NAMESPACES_AT_ONCE, (namespace) =>
        observeNamespace(api, cluster, namespace, listing),
      )),
    );
    const rest = await observeElsewhere(api, target, listing);
    return {
      ...named,
      namespaces: results.flatMap((result) => ('objects' in result ? [result] : [])),
      ...rest,
      failures: [...results.flatMap((result) => ('error' in result ? [result] : [])), ...rest.failures],
    };
  } catch (thrown) {
    listing.signal?.throwIfAborted();
    if (!(thrown instanceof EchelonError)) throw thrown;
    return { ...named, namespaces: [], elsewhere: [], failures: [{ cluster, error: thrown }] };
  }
}

async function observeNamespace(
  api: ClusterApi,
  cluster: string,
  namespace: string,
  listing: Listing,
): Promise<LiveNamespace | PlaceFailure> {
  try {
    const where = { namespace, keep: observedObject, ...listing };
    const lists = await Promise.all(KINDS.map((kind) => api.list(kind, where)));
    return { cluster, namespace, objects: lists.flat() };
  } catch (thrown) {
    if (!(thrown instanceof EchelonError) || isConnectionError(thrown)) throw thrown;
    return { cluster, namespace, error: thrown };
  }
}

/** Skipped for an account that may only list its own namespaces. */
async function observeElsewhere(
  api: ClusterApi,
  { cluster, namespaces, elsewhere }: Target,
  listing: Listing,
): Promise<Pick<LiveCluster, 'elsewhere' | 'blind' | 'failures'>> {
  if (elsewhere === undefined) return { elsewhere: [], failures: [] };
  const where = {
    labelSelector: selectorOf(elsewhere),
    notIn: namespaces,
    keep: observedObject,
    ...listing,
  };
  try {
    const lists = await Promise.all(KINDS.map((kind) => api.list(kind, where)));
    const found = lists.flat().filter(({ metadata }) => !namespaces.includes(metadata.namespace ?? ''));
    return await withNeighbours(api, byNamespace(cluster, found), elsewhere, listing);
  } catch (thrown) {
    if (thrown instanceof EchelonError && thrown.code === 'KUBE_FORBIDDEN')
      return { elsewhere: [], blind: true, failures: [] };
    throw thrown;
  }
}

/**
 * Other managers' workloads need not have our labels: before an object that managers share is left without an owner, its
 * whole namespace is read.
 */
async function withNeighbours(
  api: ClusterApi,
  found: readonly LiveNamespace[],
  own: ManagerIdentity,
  listing: Listing,
): Promise<Pick<LiveCluster, 'elsewhere' | 'failures'>> {
  const results = await mapLimited(found, NAMESPACES_AT_ONCE, async (one) => {
    if (!one.objects.some(isJoint) || neighboursIn(one.objects, own).any) return { one };
    const all = await observeNamespace(api, one.cluster, one.namespace, listing);
    if ('objects' in all) return { one: all };
    return { one: { ...one, objects: one.objects.filter((object) => !isJoint(object)) }, failure: all };
  });
  return {
    elsewhere: results.map(({ one }) => one),
    failures: results.flatMap(({ failure }) => failure ?? []),
  };
}

function byNamespace(cluster: string, objects: readonly KubeObject[]): LiveNamespace[] {
  return [...Map.groupBy(objects, ({ metadata }) => metadata.namespace ?? '')].map(([namespace, own]) => ({
    cluster,
    namespace,
    objects: own,
  }));
}
