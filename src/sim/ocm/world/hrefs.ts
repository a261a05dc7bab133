import type { Owner, PolicyTarget } from '../model.ts';

export const ACCOUNTS = '/api/accounts_mgmt/v1';
export const CLUSTERS = '/api/clusters_mgmt/v1';
export const SERVICE_LOGS = '/api/service_logs/v1';

export function clusterHref(id: string): string {
  return `${CLUSTERS}/clusters/${id}`;
}

export function ownerHref({ type, id }: Owner): string {
  return `${ACCOUNTS}/${type === 'Organization' ? 'organizations' : 'subscriptions'}/${id}`;
}

/** The path of the policies of a target. */
export function policiesHref({ kind, clusterId, nodePool }: PolicyTarget): string {
  const below = { cluster: '', control_plane: '/control_plane', node_pool: `/node_pools/${nodePool}` }[kind];
  return `${clusterHref(clusterId)}${below}/upgrade_policies`;
}

/** `openshift-v4.18.9`; versions of other groups than stable include the group. */
export function versionId(version: string, group: string): string {
  return group === 'stable' ? `openshift-v${version}` : `openshift-v${version}-${group}`;
}

export function versionHref(version: string, group: string): string {
  return `${CLUSTERS}/versions/${versionId(version, group)}`;
}
