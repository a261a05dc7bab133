import { byText } from '../../base/index.ts';
import type { Organization } from '../../instance/index.ts';
import type { DeclaredPolicies } from '../policies/declared-policies.ts';
import { type DiscoverOptions, type Discovery, organizationsBySubscription } from './discover.ts';
import { Findings } from './findings.ts';
import { clustersOf, isInView } from './placed-clusters.ts';
import type { UpgradeApi } from './upgrade-api.ts';

/**
 * The same view as from labels, for organizations whose files declare the policies: lists their subscriptions, then the
 * clusters of those. Contains only clusters that a file names.
 */
export async function discoverDeclared(
  api: UpgradeApi,
  { organizations, sharing }: DeclaredPolicies,
  { serves, now, ...view }: Omit<DiscoverOptions, 'foreign'>,
): Promise<Discovery> {
  const findings = new Findings();
  const served = [...organizations.values()]
    .filter((organization) => namesIn(organization).size > 0 && serves(organization.orgId))
    .sort((a, b) => byText(a.orgId, b.orgId));
  const ids = served.map(({ orgId }) => orgId);
  const subscriptions =
    ids.length === 0
      ? new Map<string, string>()
      : organizationsBySubscription(await api.listOrganizationSubscriptions(ids), findings);
  const seenAt = now();
  const rows = await clustersOf(api, subscriptions, findings);
  const clusters = Map.groupBy(
    rows.filter(({ row }) => isInView(row, view)),
    ({ orgId }) => orgId,
  );
  return {
    seenAt,
    organizationLabels: sharing,
    doubtful: new Set(),
    unread: findings.elsewhere,
    organizations: served.flatMap((declared) => {
      const { orgId } = declared;
      const named = namesIn(declared);
      const members = (clusters.get(orgId) ?? []).filter(({ row }) => named.has(row.name));
      const faults = findings.faultsOf(orgId);
      if (members.length + faults.length === 0) return [];
      return [{ orgId, labels: {}, declared, clusters: members.map(({ row }) => ({ row, labels: {} })), faults }];
    }),
  };
}

/** Includes clusters with unreadable policies: they are held. */
function namesIn({ policyClusters, unread = [] }: Organization): ReadonlySet<string> {
  const held = unread.flatMap(({ cluster }) => (cluster === undefined ? [] : [cluster.name]));
  return new Set([...policyClusters.map(({ name }) => name), ...held]);
}
