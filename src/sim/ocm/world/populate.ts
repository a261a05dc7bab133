import type { FleetCluster, FleetEnvironment, FleetFile, FleetOrganization } from '../fleet/fleet.ts';
import type { Owner } from '../model.ts';
import { randomOf } from '../random.ts';
import { newLabel } from './labels.ts';
import { nodePoolId, type State } from './state.ts';

/** Time between the labels of one owner. */
const BETWEEN_LABELS_MS = 40;

/** Fills an empty state with an environment of a fleet. */
export function populate(state: State, fleet: FleetFile, environment: FleetEnvironment): void {
  const at = fleet.start;
  for (const gate of fleet.gates) state.gates.put(gate, at);
  for (const organization of environment.organizations) {
    addOrganization(state, organization, at);
    for (const cluster of organization.clusters) addCluster(state, organization.id, cluster, at);
  }
}

function addOrganization(state: State, { clusters: _, labels, ...organization }: FleetOrganization, at: number): void {
  state.organizations.put({ ...organization, updatedAt: organization.createdAt }, at);
  addLabels(state, { type: 'Organization', id: organization.id }, labels, organization.createdAt, at);
}

/** A cluster with its subscription, labels and node pools. */
export function addCluster(state: State, organizationId: string, cluster: FleetCluster, at: number): void {
  const { id, subscriptionId, createdAt } = cluster;
  state.subscriptions.put(
    {
      id: subscriptionId,
      organizationId,
      clusterId: id,
      externalClusterId: cluster.uuid,
      displayName: cluster.displayName,
      status: cluster.status,
      managed: cluster.managed,
      planId: planOf(cluster),
      capabilities: cluster.capabilities,
      createdAt,
      updatedAt: createdAt,
    },
    at,
  );
  state.clusters.put(
    {
      id,
      externalId: cluster.uuid,
      name: cluster.name,
      displayName: cluster.displayName,
      organizationId,
      subscriptionId,
      product: cluster.product,
      hypershift: cluster.hosted,
      sts: cluster.sts,
      managed: cluster.managed,
      version: cluster.version,
      channel: cluster.channel,
      cloudProvider: cluster.cloud,
      region: cluster.region,
      multiAz: cluster.multiAz,
      computeNodes: cluster.nodes,
      properties: cluster.properties,
      state: cluster.state,
      health: cluster.health,
      settledAt: 0,
      createdAt,
    },
    at,
  );
  for (const pool of cluster.nodePools)
    state.nodePools.put({ id: nodePoolId(id, pool.name), clusterId: id, createdAt, ...pool }, at);
  addLabels(state, { type: 'Subscription', id: subscriptionId }, cluster.labels, createdAt, at);
}

function addLabels(
  state: State,
  owner: Owner,
  labels: Readonly<Record<string, string>>,
  createdAt: number,
  at: number,
): void {
  const first = createdAt + Math.floor(randomOf('labels', owner.id).between(0, 1e6));
  for (const [index, [key, value]] of Object.entries(labels).entries()) {
    const label = newLabel(owner, key, value, first + index * BETWEEN_LABELS_MS, `label/${owner.id}/${key}`);
    state.labels.put(label, at);
  }
}

function planOf({ product, hosted }: FleetCluster): string {
  if (product === 'osd') return 'OSD';
  return hosted ? 'MOA-HostedControlPlane' : 'MOA';
}
