import { refuseErrors } from './findings.ts';
import { isPolicyKey, labelDiff, labelsAfter } from './label-diff.ts';
import type { OwnerChanges } from './label-plan.ts';
import { type Member, memberCalled } from './members.ts';
import { normalizedPolicy, type PolicyJson, policyLabels } from './policy-json.ts';

/** Refuses policies that labels cannot represent, and duplicates as far as names show them. */
export function checkPolicies(policies: readonly PolicyJson[]): void {
  for (const policy of policies) refuseErrors(`the policy of ${policy.name}`, policyLabels(policy).faults);
  refuseTwice(policies.map(({ name, subscription_id }) => ({ id: subscription_id ?? name, called: name })));
}

/** Policies in file format. */
export function normalizedPolicies(policies: readonly PolicyJson[]): object[] {
  return policies.map((policy) => normalizedPolicy(policy) ?? policy);
}

/** Label changes that apply the policies. Labels that are not about policies are not touched. */
export function policyChanges(members: readonly Member[], policies: readonly PolicyJson[]): OwnerChanges[] {
  const changed = policies.map((policy) => ({
    member: memberCalled(members, policy.subscription_id ?? policy.name),
    policy,
  }));
  refuseTwice(changed.map(({ member }) => ({ id: member.subscriptionId, called: member.name })));
  return changed.map(({ member: { name, subscriptionId, labels }, policy }) => ({
    owner: { kind: 'subscription', id: subscriptionId },
    title: `cluster ${name}`,
    changes: labelDiff(labels, policyLabels(policy).labels, isPolicyKey),
  }));
}

/** Label changes that remove all upgrade labels of a cluster, version gate approvals too; no others. */
export function policyDeletion({ name, subscriptionId, labels }: Member): OwnerChanges {
  const changes = labelDiff(labels, {}, () => true);
  return { owner: { kind: 'subscription', id: subscriptionId }, title: `cluster ${name}`, changes };
}

/** The clusters after the changes. */
export function membersAfter(members: readonly Member[], owners: readonly OwnerChanges[]): Member[] {
  const changes = new Map(owners.map(({ owner, changes: own }) => [owner.id, own]));
  return members.map((member) => ({
    ...member,
    labels: labelsAfter(member.labels, changes.get(member.subscriptionId) ?? []),
  }));
}

/** A cluster may be given by name, id or subscription; OCM tells whether they are the same. */
function refuseTwice(clusters: readonly { readonly id: string; readonly called: string }[]): void {
  const ids = clusters.map(({ id }) => id);
  const twice = clusters.find(({ id }, index) => ids.indexOf(id) !== index)?.called;
  if (twice === undefined) return;
  const hint = 'remove one of them';
  refuseErrors('the file', [{ severity: 'error', key: twice, message: 'duplicate policy', hint }]);
}
