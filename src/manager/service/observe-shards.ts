import { EchelonError, mapLimited, passes } from '../../base/index.ts';
import { type NamespaceGroup, targetOf } from '../desired/group.ts';
import type { Rendered } from '../desired/render.ts';
import type { ClusterApi, Connect } from '../plan/cluster-api.ts';
import { placeOf } from '../plan/fleet-plan.ts';
import type { PlaceFailure } from '../plan/observe.ts';
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
  const observed = await mapLimited(fleet.groups, NAMESPACES_AT_ONCE, async (group): Promise<ObservedShards> => {
    const { cluster, name: namespace } = group.namespace;
    const place = { cluster: cluster.name, namespace };
    try {
      const live = await liveObjects(await connect(cluster.name), namespace, signal);
      const shards = statusOf({ group, desired: desired.get(targetOf(group.namespace)), ...place, live, caller });
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
