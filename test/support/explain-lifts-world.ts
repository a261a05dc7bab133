import { AUS_PREFIX, type World } from '../../src/sim/index.ts';
import { compareVersions, type Version } from '../../src/upgrades/index.ts';

type OwnerType = 'Organization' | 'Subscription';

export function isBelow(a: string, b: string): boolean {
  return compareVersions(a as Version, b as Version) < 0;
}

/** Members of a list in a label; none without it. */
export function listIn(world: World, type: OwnerType, id: string, key: string): string[] {
  const found = world.state.labels.by('owner', `${type}/${id}`).find((label) => label.key === AUS_PREFIX + key);
  return found === undefined || found.value === '' ? [] : found.value.split(',');
}

/** Takes one member out of a list, and the label away with the last. */
export function removeFromList(world: World, type: OwnerType, id: string, key: string, member: string): void {
  const left = listIn(world, type, id, key).filter((each) => each !== member);
  world.setLabel({ type, id }, AUS_PREFIX + key, left.length === 0 ? null : left.join());
}

/**
 * A cluster and its node pools have been upgraded, at once: time that passes would open and close other gates besides. It
 * follows the channel of the one that waits for it.
 */
export function upgraded(world: World, reference: string, version: string, channel?: string): void {
  const { clusters, policies, nodePools } = world.state;
  const cluster = world.cluster(reference);
  const now = world.now().getTime();
  for (const policy of policies.by('cluster', cluster.id)) policies.remove(policy.id, now);
  const reached = isBelow(cluster.version, version) ? version : cluster.version;
  clusters.put({ ...cluster, version: reached, channel: channel ?? cluster.channel }, now);
  for (const pool of nodePools.by('cluster', cluster.id)) {
    if (isBelow(pool.version, reached)) nodePools.put({ ...pool, version: reached }, now);
  }
}

/** Whatever policies a cluster has are over, and successful. */
export function finished(world: World, reference: string, planned?: string): boolean {
  const versions = [...world.policiesOf(reference).map(({ version }) => version), ...(planned ? [planned] : [])];
  const highest = versions.toSorted((a, b) => compareVersions(a as Version, b as Version)).at(-1);
  if (highest === undefined) return false;
  upgraded(world, reference, highest);
  return true;
}

/** What a cluster, or a node pool of it, runs. */
export function running(world: World, clusterId: string, nodePool?: string): string {
  if (nodePool === undefined) return world.cluster(clusterId).version;
  return world.state.nodePools.by('cluster', clusterId).find(({ name }) => name === nodePool)?.version ?? '0.0.0';
}
