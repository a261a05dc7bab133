import { defined, EchelonError, mapLimited } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { ClusterApi, Connect } from './cluster-api.ts';
import { packedManagers } from './field-owners.ts';
import { selectorOf } from './ownership-labels.ts';
import { KINDS, type LiveNamespace } from './plan.ts';

/** What to look at in a cluster. */
export interface Target {
  readonly cluster: string;
  readonly namespaces: readonly string[];
  /** Look for own objects in all other namespaces too. */
  readonly elsewhere?: { readonly instance: string; readonly environment?: string };
}

/** A cluster, or one of its namespaces, that cannot be looked at or worked on. */
export interface PlaceFailure {
  readonly cluster: string;
  readonly namespace?: string;
  readonly error: EchelonError;
}

/** What a cluster has. */
export interface LiveCluster {
  readonly cluster: string;
  /** Those that could be looked at. */
  readonly namespaces: readonly LiveNamespace[];
  /** Own objects in namespaces that were not asked for. */
  readonly elsewhere: readonly LiveNamespace[];
  readonly failures: readonly PlaceFailure[];
  /** The account may not look at other namespaces: what was left behind there is not seen. */
  readonly blind?: true;
}

const CLUSTERS_AT_ONCE = 20;
const NAMESPACES_AT_ONCE = 8;

/** After one of these nothing else of the cluster is asked for; another error may be of one object or namespace alone. */
const NO_WAY: ReadonlySet<string> = new Set([
  'KUBE_UNREACHABLE',
  'KUBE_TIMEOUT',
  'KUBE_TLS',
  'KUBE_UNAUTHORIZED',
  'KUBE_LOGIN',
  'KUBE_THROTTLED',
]);

export function isNoWay({ code }: EchelonError): boolean {
  return NO_WAY.has(code);
}

/** Looks at every cluster: one list of each kind for each namespace. What fails leaves the others alone. */
export function observe(targets: readonly Target[], connect: Connect, signal?: AbortSignal): Promise<LiveCluster[]> {
  return mapLimited(targets, CLUSTERS_AT_ONCE, (target) => observeCluster(target, connect, signal), signal);
}

async function observeCluster(target: Target, connect: Connect, signal: AbortSignal | undefined): Promise<LiveCluster> {
  const { cluster } = target;
  const nothing = { cluster, namespaces: [], elsewhere: [] };
  try {
    const api = await connect(cluster);
    const [first, ...others] = target.namespaces;
    // The first look tells whether there is a way at all, before many wait for the same answer.
    const looks = first === undefined ? [] : [await observeNamespace(api, cluster, first, signal)];
    looks.push(
      ...(await mapLimited(others, NAMESPACES_AT_ONCE, (namespace) =>
        observeNamespace(api, cluster, namespace, signal),
      )),
    );
    const rest = await observeElsewhere(api, target, signal);
    return {
      cluster,
      namespaces: looks.flatMap((look) => ('objects' in look ? [look] : [])),
      failures: looks.flatMap((look) => ('error' in look ? [look] : [])),
      ...rest,
    };
  } catch (thrown) {
    signal?.throwIfAborted();
    if (!(thrown instanceof EchelonError)) throw thrown;
    return { ...nothing, failures: [{ cluster, error: thrown }] };
  }
}

async function observeNamespace(
  api: ClusterApi,
  cluster: string,
  namespace: string,
  signal: AbortSignal | undefined,
): Promise<LiveNamespace | PlaceFailure> {
  try {
    const where = { namespace, keep: packedManagers, ...defined({ signal }) };
    const lists = await Promise.all(KINDS.map((kind) => api.list(kind, where)));
    return { cluster, namespace, objects: lists.flat() };
  } catch (thrown) {
    if (!(thrown instanceof EchelonError) || isNoWay(thrown)) throw thrown;
    return { cluster, namespace, error: thrown };
  }
}

/** An account that may only see its own namespaces goes without this look. */
async function observeElsewhere(
  api: ClusterApi,
  { cluster, namespaces, elsewhere }: Target,
  signal: AbortSignal | undefined,
): Promise<Pick<LiveCluster, 'elsewhere' | 'blind'>> {
  if (elsewhere === undefined) return { elsewhere: [] };
  const where = {
    labelSelector: selectorOf(elsewhere),
    notIn: namespaces,
    keep: packedManagers,
    ...defined({ signal }),
  };
  try {
    const lists = await Promise.all(KINDS.map((kind) => api.list(kind, where)));
    const found = lists.flat().filter(({ metadata }) => !namespaces.includes(metadata.namespace ?? ''));
    return { elsewhere: byNamespace(cluster, found) };
  } catch (thrown) {
    if (thrown instanceof EchelonError && thrown.code === 'KUBE_FORBIDDEN') return { elsewhere: [], blind: true };
    throw thrown;
  }
}

function byNamespace(cluster: string, objects: readonly KubeObject[]): LiveNamespace[] {
  return [...Map.groupBy(objects, ({ metadata }) => metadata.namespace ?? '')].map(([namespace, own]) => ({
    cluster,
    namespace,
    objects: own,
  }));
}
