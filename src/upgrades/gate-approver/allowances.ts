import { enabledGates } from '../policies/fields.ts';
import { clusterKey, type Labels, organizationKey, type Reading } from '../policies/label-keys.ts';
import type { DeclaredPolicies } from '../policies/organization-file.ts';

/** Where approvals for one cluster are declared. */
interface AllowanceParts {
  readonly name: string;
  readonly orgId: string;
  /** Of the subscription; undefined when it has none about upgrades. */
  readonly labels: Labels | undefined;
  readonly organizationLabels: Labels | undefined;
  readonly declared: DeclaredPolicies | undefined;
}

/**
 * Gates approved for a cluster: by its own label, else its entry in the organization file, else the organization's
 * label. With labels but none about approvals, it is OpenShift's own gate; a file alone approves only what it names.
 * Undefined for a cluster out of scope.
 */
export function allowedGates(parts: AllowanceParts, reading: Reading): ReadonlySet<string> | undefined {
  const { labels, organizationLabels } = parts;
  const own = labels?.[clusterKey('versionGateApprovals')];
  if (own !== undefined) return enabledGates(own, reading);
  const declared = declaredGates(parts);
  if (declared !== undefined) return declared;
  if (labels === undefined && organizationLabels === undefined) return undefined;
  return enabledGates(organizationLabels?.[organizationKey('versionGateApprovals')], reading);
}

function declaredGates({ name, orgId, declared }: AllowanceParts): ReadonlySet<string> | undefined {
  const entry = declared?.organizations.get(orgId)?.policyClusters.find((each) => each.name === name);
  const approvals = entry?.upgradePolicy.versionGateApprovals ?? [];
  return approvals.length === 0 ? undefined : new Set(approvals);
}

/** Organizations whose files allow something. */
export function organizationsThatAllow(declared: DeclaredPolicies | undefined): string[] {
  return [...(declared?.organizations.values() ?? [])]
    .filter(({ policyClusters }) =>
      policyClusters.some(({ upgradePolicy }) => (upgradePolicy.versionGateApprovals ?? []).length > 0),
    )
    .map(({ orgId }) => orgId);
}
