import { EchelonError } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { type Labels, organizationKey, PREFIX } from '../policies/label-keys.ts';
import { orgSpecFromLabels, parseOrganizationLabels } from '../policies/labels.ts';
import type { ClusterId, ClusterUuid, PolicyProblem } from '../policies/org-spec.ts';
import { type LintFacts, type LintName, lintPolicies } from './lints.ts';
import type { Member } from './members.ts';
import type { PolicyApi } from './policy-api.ts';

/** A problem in the labels of an organization or of one of its clusters. */
export interface PolicyFinding extends Pick<PolicyProblem, 'severity' | 'key' | 'message' | 'hint'> {
  readonly cluster?: string;
  readonly lint?: LintName;
}

const STRICT = { strict: true };
const SHARING = `${PREFIX}version-data.`;

type Others = LintFacts['others'];

/** Sharing labels of other organizations that this one names; those that the login cannot see are left out. */
export async function otherOrganizations(api: PolicyApi, labels: Labels): Promise<Others> {
  const { inherit, publish } = parseOrganizationLabels(labels, STRICT);
  const ids = [...new Set([...inherit, ...publish])];
  if (ids.length === 0) return new Map();
  const visible = await api.listOrganizations({ by: { field: 'id', values: ids } });
  const values = visible.items.map(({ id }) => id);
  const found = await api.listLabels({
    ...{ keyPrefix: SHARING, type: 'Organization' },
    by: { field: 'organization_id', values },
  });
  return new Map(
    values.map((id) => {
      const own = found.items.filter(({ organizationId }) => organizationId === id);
      return [id, parseOrganizationLabels(Object.fromEntries(own.map(({ key, value }) => [key, value])), STRICT)];
    }),
  );
}

/** All problems: those the scheduler reports, and those that only show across policies. */
export function findingsOf(
  orgId: string,
  labels: Labels,
  members: readonly Member[],
  others: Others,
  read: Pick<LintFacts, 'endless' | 'isServed'> = {},
): PolicyFinding[] {
  const labelled = members.filter((member) => Object.keys(member.labels).length > 0);
  const clusters = labelled.map(({ name, subscriptionId, cluster, labels: own }) => ({
    id: (cluster?.id ?? subscriptionId) as ClusterId,
    uuid: (cluster?.externalId ?? subscriptionId) as ClusterUuid,
    ...{ name, labels: own },
  }));
  const spec = orgSpecFromLabels({ orgId: orgId as OrgId, labels, clusters }, new Map(), STRICT);
  const { inherit, publish } = parseOrganizationLabels(labels, STRICT);
  const served = spec.clusters.flatMap((each) => ('policy' in each ? [{ name: each.name, policy: each.policy }] : []));
  const lints = lintPolicies({ orgId, clusters: served, sectors: spec.sectors, inherit, publish, others, ...read });
  return [
    ...spec.problems.map(
      ({ scope, severity, key, message, hint }): PolicyFinding => ({
        ...{ severity, key, message, hint },
        ...(scope.kind === 'cluster' ? { cluster: scope.cluster.name } : {}),
      }),
    ),
    ...selfInheritance(orgId, inherit),
    ...lints,
  ];
}

function selfInheritance(orgId: string, inherit: readonly string[]): PolicyFinding[] {
  if (!inherit.includes(orgId)) return [];
  const problem = { message: 'the organization inherits from itself', hint: `remove ${orgId}` };
  return [{ severity: 'error', key: organizationKey('inherit'), ...problem }];
}

/** Problems that concern a change, and the number of others. */
export interface ChangeFindings {
  /** Warnings: what is missing may follow with the next change. */
  readonly shown: readonly PolicyFinding[];
  readonly others: number;
}

/** Shows new problems, and errors that the change leaves in the labels it edits. */
export function changeFindings(
  before: readonly PolicyFinding[],
  after: readonly PolicyFinding[],
  edited: (key: string) => boolean = () => false,
): ChangeFindings {
  const known = new Set(before.map((finding) => JSON.stringify(finding)));
  const isLeft = ({ severity, cluster, key }: PolicyFinding): boolean =>
    severity === 'error' && cluster === undefined && edited(key);
  const shown = after.filter((finding) => isLeft(finding) || !known.has(JSON.stringify(finding)));
  return { shown: shown.map((each) => ({ ...each, severity: 'warning' })), others: after.length - shown.length };
}

/** Refuses what the scheduler would not accept. */
export function refuseErrors(
  what: string,
  faults: readonly Pick<PolicyFinding, 'severity' | 'key' | 'message' | 'hint'>[],
): void {
  const errors = faults.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return;
  throw new EchelonError({
    code: 'POLICY_INVALID',
    message: `${what} would be invalid: ${errors.map(({ key, message }) => `${key}: ${message}`).join('; ')}`,
    hint: first.hint,
  });
}
