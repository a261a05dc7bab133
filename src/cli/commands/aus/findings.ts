import { count, EchelonError } from '../../../base/index.ts';
import type { OcmClient } from '../../../clients/ocm/index.ts';
import type { OrgId } from '../../../instance/index.ts';
import {
  type ClusterId,
  type ClusterUuid,
  type EndlessUpgrade,
  type Labels,
  type LintFacts,
  type LintName,
  lintPolicies,
  organizationKey,
  orgSpecFromLabels,
  type PolicyProblem,
  parseOrganizationLabels,
} from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import type { Paint } from '../../output/colour.ts';
import type { Member } from './organization.ts';

/** What is wrong with the labels of an organization, or with one of its clusters. */
export interface Finding extends Pick<PolicyProblem, 'severity' | 'key' | 'message' | 'hint'> {
  readonly cluster?: string;
  readonly lint?: LintName;
}

const STRICT = { strict: true };
const SHARING = 'sre-capabilities.aus.version-data.';

export type Others = LintFacts['others'];

/** What other organizations that this one names say about sharing; those that the login cannot see are left out. */
export async function otherOrganizations(client: OcmClient, labels: Labels): Promise<Others> {
  const { inherit, publish } = parseOrganizationLabels(labels, STRICT);
  const ids = [...new Set([...inherit, ...publish])];
  if (ids.length === 0) return new Map();
  const visible = await client.listOrganizations({ by: { field: 'id', values: ids } });
  const values = visible.items.map(({ id }) => id);
  const found = await client.listLabels({
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

/** Everything that is wrong: what the scheduler would say, and what only shows when policies are seen together. */
export function findingsOf(
  orgId: string,
  labels: Labels,
  members: readonly Member[],
  others: Others,
  endless: readonly EndlessUpgrade[] = [],
): Finding[] {
  const labelled = members.filter((member) => Object.keys(member.labels).length > 0);
  const clusters = labelled.map(({ name, subscriptionId, cluster, labels: own }) => ({
    id: (cluster?.id ?? subscriptionId) as ClusterId,
    uuid: (cluster?.externalId ?? subscriptionId) as ClusterUuid,
    ...{ name, labels: own },
  }));
  const spec = orgSpecFromLabels({ orgId: orgId as OrgId, labels, clusters }, new Map(), STRICT);
  const { inherit, publish } = parseOrganizationLabels(labels, STRICT);
  const served = spec.clusters.flatMap((each) => ('policy' in each ? [{ name: each.name, policy: each.policy }] : []));
  const lints = lintPolicies({ orgId, clusters: served, sectors: spec.sectors, inherit, publish, others, endless });
  return [
    ...spec.problems.map(
      ({ scope, severity, key, message, hint }): Finding => ({
        ...{ severity, key, message, hint },
        ...(scope.kind === 'cluster' ? { cluster: scope.cluster.name } : {}),
      }),
    ),
    ...selfInheritance(orgId, inherit),
    ...lints,
  ];
}

function selfInheritance(orgId: string, inherit: readonly string[]): Finding[] {
  if (!inherit.includes(orgId)) return [];
  const told = { message: 'the organization inherits from itself', hint: `remove ${orgId}` };
  return [{ severity: 'error', key: organizationKey('inherit'), ...told }];
}

/** Tells what a change makes wrong that was right before. It is a warning: what is missing may come with the next change. */
export function warnOfChange(io: Io, before: readonly Finding[], after: readonly Finding[], paint: Paint): void {
  const known = new Set(before.map((finding) => JSON.stringify(finding)));
  const fresh = after.filter((finding) => !known.has(JSON.stringify(finding)));
  writeFindings(
    io,
    fresh.map((finding) => ({ ...finding, severity: 'warning' })),
    paint,
  );
  const others = after.length - fresh.length;
  if (others > 0) io.stderr.write(`note: ${count(others, 'other problem')} here: run echelon aus validate\n`);
}

export function writeFindings(io: Io, findings: readonly Finding[], paint: Paint): void {
  for (const { severity, cluster, key, message, hint } of findings) {
    const whose = cluster === undefined ? '' : `${cluster}: `;
    const what = paint(severity === 'error' ? 'red' : 'yellow', `${severity}:`);
    io.stderr.write(`${what} ${whose}${key}: ${message}\n    ${hint}\n`);
  }
}

/** Refuses what the scheduler would not take either. */
export function refuseErrors(
  what: string,
  faults: readonly Pick<Finding, 'severity' | 'key' | 'message' | 'hint'>[],
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
