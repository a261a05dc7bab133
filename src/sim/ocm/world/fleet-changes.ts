import type { FleetChange } from '../fleet/fleet.ts';
import type { Cluster, Owner } from '../model.ts';
import { newLabel } from './labels.ts';
import { ownerKey, type Workshop } from './state.ts';

/** Applies a change without checking permissions. A missing cluster is ignored. */
export function applyChange(shop: Workshop, change: FleetChange): void {
  const { owner } = change;
  if (owner.type !== 'Cluster') {
    changeLabels(shop, { type: owner.type, id: owner.id }, change.labels ?? {});
    return;
  }
  const cluster = shop.state.clusters.get(owner.id);
  if (cluster !== undefined) changeCluster(shop, cluster, change);
}

function changeCluster(shop: Workshop, cluster: Cluster, { health, state, status, labels, remove }: FleetChange): void {
  const { now } = shop;
  const subscription = shop.state.subscriptions.get(cluster.subscriptionId);
  if (health !== undefined || state !== undefined) {
    const changed = { health: health ?? cluster.health, state: state ?? cluster.state };
    shop.state.clusters.put({ ...cluster, ...changed }, now);
  }
  if (status !== undefined && subscription !== undefined)
    shop.state.subscriptions.put({ ...subscription, status, updatedAt: now }, now);
  changeLabels(shop, { type: 'Subscription', id: cluster.subscriptionId }, labels ?? {});
  if (remove) removeCluster(shop, cluster);
}

/** Removes a cluster; its subscription is kept as deprovisioned. */
function removeCluster({ state, now }: Workshop, { id, subscriptionId }: Cluster): void {
  for (const pool of state.nodePools.by('cluster', id)) state.nodePools.remove(pool.id, now);
  for (const policy of state.policies.by('cluster', id)) state.policies.remove(policy.id, now);
  for (const agreement of state.agreements.by('cluster', id)) state.agreements.remove(agreement.id, now);
  state.clusters.remove(id, now);
  const subscription = state.subscriptions.get(subscriptionId);
  if (subscription !== undefined)
    state.subscriptions.put({ ...subscription, status: 'Deprovisioned', updatedAt: now }, now);
}

function changeLabels(shop: Workshop, owner: Owner, labels: Readonly<Record<string, string | null>>): void {
  const { state, now } = shop;
  for (const [key, value] of Object.entries(labels)) {
    const existing = state.labels.by('owner', ownerKey(owner)).find((label) => label.key === key);
    if (value === null) state.labels.remove(existing?.id ?? '', now);
    else if (existing === undefined) state.labels.put(newLabel(owner, key, value, now, shop.freshKey('label')), now);
    else state.labels.put({ ...existing, value, updatedAt: now }, now);
  }
}
