import { byText } from '../../base/index.ts';
import type { Organization } from '../../instance/index.ts';
import type { DeclaredPolicies } from '../policies/organization-file.ts';
import { type DiscoverOptions, type Discovery, organizationsBySubscription } from './discover.ts';
import { Findings } from './findings.ts';
import type { UpgradeApi } from './upgrade-api.ts';

/**
 * The same view as from labels, for organizations whose files declare the policies: lists their subscriptions. Of their
 * clusters only those count that a file names.
 */
export async function discoverDeclared(
  api: UpgradeApi,
  { organizations, sharing }: DeclaredPolicies,
  serves: DiscoverOptions['serves'],
): Promise<Discovery> {
  const findings = new Findings();
  const served = [...organizations.values()]
    .filter((organization) => namesIn(organization).size > 0 && serves(organization.orgId))
    .sort((a, b) => byText(a.orgId, b.orgId));
  const ids = served.map(({ orgId }) => orgId);
  const subscriptions =
    ids.length === 0 ? [] : organizationsBySubscription(await api.listOrganizationSubscriptions(ids), findings);
  const byOrganization = Map.groupBy(subscriptions, ([, orgId]) => orgId);
  return {
    organizationLabels: sharing,
    doubtful: new Set(),
    unread: findings.elsewhere,
    organizations: served.map((declared) => {
      const { orgId } = declared;
      const faults = findings.faultsOf(orgId);
      return {
        ...{ orgId, labels: {}, declared, faults, isDoubtful: faults.length > 0, names: namesIn(declared) },
        subscriptions: (byOrganization.get(orgId) ?? []).map(([id]) => id),
      };
    }),
    labelsOf: () => ({ labels: {} }),
    forgetLabels: () => undefined,
  };
}

/** Includes clusters with unreadable policies: they are held. */
function namesIn({ policyClusters, unread = [] }: Organization): ReadonlySet<string> {
  const held = unread.flatMap(({ cluster }) => (cluster === undefined ? [] : [cluster.name]));
  return new Set([...policyClusters.map(({ name }) => name), ...held]);
}
