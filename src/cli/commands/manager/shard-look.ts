import { EchelonError, mapLimited, passes } from '../../../base/index.ts';
import {
  type ClusterApi,
  type PlaceFailure,
  type Rendered,
  type ShardStatus,
  statusOf,
  targetOf,
} from '../../../manager/index.ts';
import type { Io } from '../../io.ts';
import type { Clusters } from './clusters.ts';
import type { ManagerContext } from './context.ts';
import { callerOf, type FleetFlags } from './fleet.ts';

const NAMESPACES_AT_ONCE = 8;

/** Every shard as it is now, and the namespaces that could not be looked at. */
export interface Look {
  readonly shards: readonly ShardStatus[];
  readonly failures: readonly PlaceFailure[];
}

/** One namespace that cannot be looked at keeps no other from being. */
export async function lookAtShards(
  io: Io,
  flags: FleetFlags & { readonly integration?: readonly string[] },
  { context, rendered, clusters }: { context: ManagerContext; rendered: Rendered; clusters: Clusters },
): Promise<Look> {
  const looks = await mapLimited(context.groups, NAMESPACES_AT_ONCE, async (group): Promise<Look> => {
    const { cluster, name: namespace } = group.namespace;
    try {
      const live = await liveObjects(await clusters.connect(cluster.name), namespace, io.signal);
      const desired = rendered.namespaces.find(
        (one) => `${one.cluster}/${one.namespace}` === targetOf(group.namespace),
      );
      const shards = statusOf({ group, desired, cluster: cluster.name, namespace, live, caller: callerOf(io, flags) });
      return { shards: shards.filter(({ integration }) => passes(flags.integration, integration ?? '')), failures: [] };
    } catch (thrown) {
      io.signal.throwIfAborted();
      if (!(thrown instanceof EchelonError)) throw thrown;
      return { shards: [], failures: [{ cluster: cluster.name, namespace, error: thrown }] };
    }
  });
  return { shards: looks.flatMap(({ shards }) => shards), failures: looks.flatMap(({ failures }) => failures) };
}

async function liveObjects(api: ClusterApi, namespace: string, signal: AbortSignal) {
  const kinds = ['Deployment', 'StatefulSet', 'CronJob', 'ReplicaSet', 'Pod'];
  const lists = await Promise.all(kinds.map((kind) => api.list(kind, { namespace, signal })));
  return lists.flat();
}

/** `f929a38` of `quay.io/x/y:f929a38`; empty where there is no image. */
export function tagOf(image: string | undefined): string {
  if (image === undefined) return '';
  const [name = '', digest] = image.split('@');
  const tag = name.slice(name.lastIndexOf('/') + 1).split(':')[1];
  return tag ?? digest?.slice(0, 'sha256:'.length + 12) ?? 'latest';
}
