import type { ClusterState, NodePool } from './facts.ts';
import { compareVersions } from './versions.ts';

/** The first node pool that is behind the control plane; they are upgraded one at a time. */
export function laggingPool({ hosted, nodePools, version }: ClusterState): NodePool | undefined {
  return hosted ? nodePools.find((pool) => compareVersions(pool.version, version) < 0) : undefined;
}

/** Versions whose soak concerns a cluster: what OCM offers, and the control plane's version while a node pool lags behind. */
export function versionsAhead(cluster: ClusterState): readonly string[] {
  const { availableUpgrades, version } = cluster;
  return laggingPool(cluster) === undefined || availableUpgrades.includes(version)
    ? availableUpgrades
    : [version, ...availableUpgrades];
}
