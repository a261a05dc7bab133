import { EchelonError, mapLimited, passes } from '../../base/index.ts';
import { type Namespace, serverAddress } from '../../instance/index.ts';
import { type DesiredNamespace, objectKey } from '../desired/desired-namespace.ts';
import { type NamespaceGroup, targetOf } from '../desired/group.ts';
import type { Rendered } from '../desired/render.ts';
import type { ClusterApi, Connect } from '../plan/cluster-api.ts';
import type { PlaceFailure } from '../plan/observe.ts';
import { placeOf } from '../plan/places.ts';
import { type ShardStatus, statusOf } from '../status/status.ts';
import type { ManagerSettings } from './settings.ts';

const NAMESPACES_AT_ONCE = 8;
const STATUS_KINDS = ['Deployment', 'StatefulSet', 'CronJob', 'ReplicaSet', 'Pod'];

/** The current status of every shard, and the namespaces that could not be observed. */
export interface ObservedShards {
  readonly shards: readonly ShardStatus[];
  readonly failures: readonly PlaceFailure[];
}

/** A namespace that cannot be observed does not affect the others. */
export async function observeShards(
  fleet: { readonly groups: readonly NamespaceGroup[]; readonly rendered: Rendered },
  connect: Connect,
  { caller, integrations }: Pick<ManagerSettings, 'caller' | 'integrations'>,
  signal: AbortSignal,
): Promise<ObservedShards> {
  const desired = new Map(fleet.rendered.namespaces.map((namespace) => [placeOf(namespace), namespace]));
  const declared = declaredObjects(fleet.groups, desired);
  const observed = await mapLimited(fleet.groups, NAMESPACES_AT_ONCE, async (group): Promise<ObservedShards> => {
    const { cluster, name: namespace } = group.namespace;
    const place = { cluster: cluster.name, namespace };
    try {
      const live = await liveObjects(await connect(cluster.name), namespace, signal);
      const shards = statusOf({
        ...{ group, desired: desired.get(targetOf(group.namespace)), ...place, live, caller },
        declaredToo: declared.get(spotOf(group.namespace)) ?? new Set(),
      });
      return { shards: shards.filter(({ integration }) => passes(integrations, integration ?? '')), failures: [] };
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof EchelonError)) throw thrown;
      return { shards: [], failures: [{ ...place, error: thrown }] };
    }
  });
  return { shards: observed.flatMap(({ shards }) => shards), failures: observed.flatMap(({ failures }) => failures) };
}

async function liveObjects(api: ClusterApi, namespace: string, signal: AbortSignal) {
  const lists = await Promise.all(STATUS_KINDS.map((kind) => api.list(kind, { namespace, signal })));
  return lists.flat();
}

/** The desired objects of every namespace, under all names of its cluster. */
function declaredObjects(
  groups: readonly NamespaceGroup[],
  desired: ReadonlyMap<string, DesiredNamespace>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const objects = new Map<string, Set<string>>();
  for (const { namespace } of groups) {
    const known = objects.get(spotOf(namespace)) ?? new Set();
    for (const object of desired.get(targetOf(namespace))?.objects ?? []) known.add(objectKey(object));
    objects.set(spotOf(namespace), known);
  }
  return objects;
}

function spotOf({ cluster, name }: Namespace): string {
  return `${serverAddress(cluster.serverUrl) ?? cluster.name}/${name}`;
}
