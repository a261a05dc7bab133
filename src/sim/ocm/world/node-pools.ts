import { compare } from 'semver';
import { stamp } from '../instants.ts';
import type { Cluster, NodePool } from '../model.ts';
import type { Field } from '../search/compile.ts';
import { channelParts } from '../version-graph.ts';
import { requireCluster } from './clusters.ts';
import { clusterHref, versionHref, versionId } from './hrefs.ts';
import { type ListQuery, matchingRows, type Page, pageOf } from './list.ts';
import { notFound } from './refusals.ts';
import { nodePoolId, type View } from './state.ts';
import type { WireNodePool } from './wire.ts';

const SERVICE = 'clusters_mgmt';

const FIELDS: Readonly<Record<string, Field<NodePool>>> = {
  id: { type: 'text', read: ({ name }) => name },
  replicas: { type: 'number', read: ({ replicas }) => replicas },
  'version.raw_id': { type: 'text', read: ({ version }) => version },
};

/** Node pools of a cluster, in the order they were created. */
export function listNodePools(view: View, clusterId: string, query: ListQuery): Page<WireNodePool> {
  const cluster = requireCluster(view, clusterId);
  const rows = matchingRows(SERVICE, view.state.nodePools.by('cluster', clusterId), (name) => FIELDS[name], query);
  return pageOf({ service: SERVICE, kind: 'NodePool' }, view, query, rows, (pool) => wireNodePool(view, cluster, pool));
}

export function getNodePool(view: View, clusterId: string, name: string): WireNodePool {
  return wireNodePool(view, requireCluster(view, clusterId), requireNodePool(view, clusterId, name));
}

export function requireNodePool(view: View, clusterId: string, name: string): NodePool {
  const pool = view.state.nodePools.get(nodePoolId(clusterId, name));
  if (pool === undefined) throw notFound(SERVICE, `Node pool with id '${name}' not found.`);
  return pool;
}

/** A pool must not be newer than its control plane. */
export function nodePoolUpgrades({ graph, now }: View, cluster: Cluster, pool: NodePool): string[] {
  const offered = graph.upgrades(pool.version, cluster.channel, now, true);
  const reachable = offered.filter((version) => compare(version, cluster.version) <= 0);
  if (compare(pool.version, cluster.version) >= 0 || reachable.includes(cluster.version)) return reachable;
  return [...reachable, cluster.version];
}

function wireNodePool(view: View, cluster: Cluster, pool: NodePool): WireNodePool {
  const { group } = channelParts(cluster.channel);
  return {
    kind: 'NodePool',
    id: pool.name,
    href: `${clusterHref(cluster.id)}/node_pools/${pool.name}`,
    replicas: pool.replicas,
    auto_repair: true,
    creation_timestamp: stamp(pool.createdAt),
    version: {
      kind: 'VersionLink',
      id: versionId(pool.version, group),
      href: versionHref(pool.version, group),
      raw_id: pool.version,
      channel_group: group,
      available_upgrades: nodePoolUpgrades(view, cluster, pool),
    },
    status: { current_replicas: pool.replicas },
  };
}
