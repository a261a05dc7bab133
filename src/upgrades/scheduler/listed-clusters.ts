import { defined } from '../../base/index.ts';
import { isVersion, UNKNOWN_VERSION } from '../engine/versions.ts';
import type { Inheritance } from '../policies/inheritance.ts';
import type { Reading } from '../policies/label-keys.ts';
import { orgSpecFromLabels } from '../policies/labels.ts';
import type { ClusterId, ClusterKey, ClusterSpec, ClusterUuid, OrgSpec } from '../policies/org-spec.ts';
import { orgSpecFromInstance } from '../policies/organization-file.ts';
import type { DiscoveredCluster, DiscoveredOrganization } from './discover.ts';
import type { ListedCluster } from './organization-observation.ts';

/** What an organization declares. A cluster whose labels could not all be read is held, and its users are not notified. */
export function organizationSpec(
  { orgId, labels, clusters, declared }: DiscoveredOrganization,
  network: ReadonlyMap<string, Inheritance>,
  reading: Reading,
): OrgSpec {
  if (declared !== undefined) return orgSpecFromInstance(declared, clusters.map(keyOf), network, reading);
  const labelled = clusters.map((cluster) => ({ ...keyOf(cluster), labels: cluster.labels }));
  const spec = orgSpecFromLabels({ orgId, labels, clusters: labelled }, network, reading);
  const unread = new Map(clusters.flatMap(({ row, unread: why }) => (why === undefined ? [] : [[row.id, why]])));
  if (unread.size === 0) return spec;
  return {
    ...spec,
    clusters: spec.clusters.map((cluster) => heldIf(unread.get(cluster.id), cluster)),
    problems: spec.problems.filter(({ scope }) => scope.kind === 'organization' || !unread.has(scope.cluster.id)),
  };
}

function heldIf(held: string | undefined, cluster: ClusterSpec): ClusterSpec {
  if (held === undefined) return cluster;
  const { id, uuid, name } = cluster;
  return { id, uuid, name, known: 'held' in cluster ? cluster.known : cluster.policy, held };
}

function keyOf({ row: { id, externalId, name } }: DiscoveredCluster): ClusterKey {
  return { id: id as ClusterId, uuid: externalId as ClusterUuid, name };
}

const HOSTED_PRODUCT = 'rosa';

/** Clusters as engine types; one without a valid version is held. `objections` are by UUID. */
export function listedClusters(
  { clusters }: DiscoveredOrganization,
  objections: ReadonlyMap<string, string>,
): ListedCluster[] {
  return clusters.map((cluster) => {
    const { row } = cluster;
    const { rawId, id: versionId = rawId, channelGroup = '', availableUpgrades } = row.version;
    const healthFault = objections.get(row.externalId);
    return {
      ...keyOf(cluster),
      version: isVersion(rawId) ? rawId : UNKNOWN_VERSION,
      versionId,
      availableUpgrades,
      channel: row.channel ?? channelGroup,
      hosted: row.hypershift && row.productId === HOSTED_PRODUCT,
      sts: row.sts,
      state:
        isVersion(rawId) || row.state !== 'ready' ? row.state : `without a valid version (${JSON.stringify(rawId)})`,
      product: row.productId ?? '',
      hypershift: row.hypershift,
      ...defined({ healthFault }),
    };
  });
}
