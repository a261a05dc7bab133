import { mapLimited } from '../../base/index.ts';
import type { VersionGate } from '../engine/facts.ts';
import type { Reading } from '../policies/label-keys.ts';
import type { EnvironmentOutcome } from '../scheduler/fleet-view.ts';
import { type Fault, faultOf, type Site, type UpgradeApi } from '../scheduler/ports.ts';
import { type ApproveParts, approveCluster, type ClusterApprovals } from './approve-cluster.ts';
import { findClusters } from './find-clusters.ts';

/** The scope and settings of a pass. */
export interface ApproverOptions extends Pick<ApproveParts, 'stsRolesKept' | 'dryRun' | 'mayWrite' | 'signal'> {
  readonly sites: readonly Site[];
  readonly reading: Reading;
}

/** An organization that could not be read completely. */
interface UnseenOrganization {
  readonly environment: string;
  readonly orgId: string;
  readonly faults: readonly Fault[];
}

export interface ApproverReport {
  readonly environments: readonly EnvironmentOutcome[];
  readonly organizations: readonly UnseenOrganization[];
  readonly clusters: readonly ClusterApprovals[];
}

const CLUSTERS_AT_ONCE = 8;

/**
 * One pass over all clusters in scope: agrees to approved version gates. A failing OCM, organization, cluster or gate
 * does not affect others.
 */
export async function approveGates(options: ApproverOptions): Promise<ApproverReport> {
  const reports = await Promise.all(options.sites.map((site) => approveSite(site, options)));
  options.signal.throwIfAborted();
  return {
    environments: reports.flatMap(({ environments }) => environments),
    organizations: reports.flatMap(({ organizations }) => organizations),
    clusters: reports.flatMap(({ clusters }) => clusters),
  };
}

async function approveSite(site: Site, options: ApproverOptions): Promise<ApproverReport> {
  const { name: environment } = site;
  const { signal } = options;
  try {
    const api = await site.connect();
    const { clusters, faults } = await findClusters(api, site, options.reading);
    const gates = clusters.length === 0 ? [] : await gatesOf(api);
    const approvals = await mapLimited(
      clusters,
      CLUSTERS_AT_ONCE,
      (cluster) => {
        const connect = async () => (await site.serves(cluster.orgId)?.connect?.()) ?? api;
        return approveCluster(cluster, { ...options, environment, connect, gates });
      },
      signal,
    );
    return {
      environments: [{ name: environment }],
      organizations: [...faults].map(([orgId, found]) => ({ environment, orgId, faults: found })),
      clusters: approvals,
    };
  } catch (thrown) {
    signal.throwIfAborted();
    return { environments: [{ name: environment, fault: faultOf(thrown) }], organizations: [], clusters: [] };
  }
}

/** A gate that cannot be read cannot be agreed to, and stays closed. */
async function gatesOf(api: UpgradeApi): Promise<VersionGate[]> {
  const { items } = await api.listVersionGates();
  return items.map(({ id, versionPrefix, label }) => ({ id, prefix: versionPrefix, label }));
}
