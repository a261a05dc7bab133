import { instantOf } from '../../src/gates/index.ts';
import type { ClustersInView, DiscoveredOrganization, Discovery } from '../../src/upgrades/scheduler/discovery.ts';
import { ClusterReader } from '../../src/upgrades/scheduler/fleet-view.ts';
import type { UpgradeApi } from '../../src/upgrades/scheduler/ports.ts';

/** All organizations of a discovery with their clusters, read in its order. */
export async function observed(
  api: UpgradeApi,
  discovery: Discovery,
  view: ClustersInView = { ignoreSts: false },
): Promise<DiscoveredOrganization[]> {
  const { organizations } = discovery;
  const { signal } = new AbortController();
  const reader = new ClusterReader({ api, discovery, organizations, view, now: () => instantOf(0), signal });
  const found: DiscoveredOrganization[] = [];
  for (const organization of organizations) {
    const seen = await reader.read(organization);
    if (seen !== undefined) found.push(seen.discovered);
  }
  return found;
}
