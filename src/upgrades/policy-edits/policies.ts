import * as z from 'zod';
import { defined } from '../../base/index.ts';
import { cleanMembers, clusterKey, type Labels } from '../policies/label-keys.ts';
import { parseClusterLabels } from '../policies/labels.ts';
import { error, type Fault, hasError, type UpgradePolicy } from '../policies/org-spec.ts';
import { refuseErrors } from './findings.ts';
import { isPolicyKey, labelDiff, labelsAfter, type OwnerChanges } from './label-changes.ts';
import { type Member, memberCalled } from './members.ts';

const texts = z.array(z.string());

/** A policy in file format; the keys are those of the existing OCM plugin. */
const POLICY = z.strictObject({
  conditions: z
    .strictObject({
      blocked_versions: texts.exactOptional(),
      /** Beyond the plugin: without it freezes are kept, and an empty list removes them. */
      freezes: texts.exactOptional(),
      mutexes: texts.exactOptional(),
      sector: z.string().exactOptional(),
      soak_days: z.int().default(0),
    })
    .default({ soak_days: 0 }),
  name: z.string().min(1),
  schedule: z.string(),
  subscription_id: z.string().exactOptional(),
  workloads: texts,
});

export type PolicyJson = z.infer<typeof POLICY>;

/** Policies that one file may have. */
const MAX_POLICIES = 10_000;

export const policiesShape = z.array(POLICY).max(MAX_POLICIES);

/** A policy as labels, and their problems according to the scheduler's parser. */
export function policyLabels(policy: PolicyJson): { readonly labels: Labels; readonly faults: readonly Fault[] } {
  const { conditions } = policy;
  const lists = [
    ['workloads', policy.workloads],
    ['mutexes', conditions.mutexes ?? []],
    ['blockedVersions', conditions.blocked_versions ?? []],
    ['freezes', conditions.freezes ?? []],
  ] as const;
  const torn = lists.flatMap(([name, members]) => tornFaults(clusterKey(name), members));
  const sector = conditions.sector?.trim() ?? '';
  const labels: Labels = {
    ...Object.fromEntries(
      lists.flatMap(([name, members]) => (members.length === 0 ? [] : [[clusterKey(name), joined(members)]])),
    ),
    [clusterKey('soakDays')]: String(conditions.soak_days),
    [clusterKey('schedule')]: expandSchedule(policy.schedule),
    ...(sector === '' ? {} : { [clusterKey('sector')]: sector }),
    ...(conditions.freezes?.length === 0 ? { [clusterKey('freezes')]: '' } : {}),
  };
  return { labels, faults: [...torn, ...parseClusterLabels(labels, { strict: true }).faults] };
}

/** A policy in file format without empty members. The subscription is for an ambiguous name. */
export function policyJson(name: string, policy: UpgradePolicy, subscriptionId?: string): PolicyJson {
  const { blockedVersions = [], freezes = [], mutexes = [], sector, soakDays, schedule, workloads } = policy;
  return {
    conditions: {
      ...(blockedVersions.length === 0 ? {} : { blocked_versions: [...blockedVersions] }),
      ...(freezes.length === 0 ? {} : { freezes: [...freezes] }),
      ...(mutexes.length === 0 ? {} : { mutexes: [...mutexes] }),
      ...(sector ? { sector } : {}),
      soak_days: soakDays,
    },
    name,
    schedule,
    ...defined({ subscription_id: subscriptionId }),
    workloads: [...workloads],
  };
}

/** A policy as it will be stored: presets expanded, lists trimmed. Undefined when invalid. */
export function normalizedPolicy(policy: PolicyJson): PolicyJson | undefined {
  const { labels, faults } = policyLabels(policy);
  if (hasError(faults)) return undefined;
  const { policy: read } = parseClusterLabels(labels, { strict: true });
  return read === undefined ? undefined : policyJson(policy.name, read, policy.subscription_id);
}

/** Members of a list as a label value: trimmed, each once; a blank one stays and is reported. */
function joined(members: readonly string[]): string {
  const { members: clean, hasBlank } = cleanMembers(members);
  return [...clean, ...(hasBlank ? [''] : [])].join(',');
}

/** Labels separate members by commas, so a member cannot contain one. */
export function tornFaults(key: string, members: readonly string[]): Fault[] {
  return members
    .filter((member) => member.includes(','))
    .map((member) =>
      error(key, `${JSON.stringify(member)} contains a comma`, 'remove it: labels separate members by commas'),
    );
}

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

/** Names that users may write instead of a schedule. */
const SCHEDULE_PRESETS: Readonly<Record<string, string>> = {
  /** Monday to Thursday, so that nothing is left over for the weekend. */
  weekdays: '* * * * 1-4',
  anytime: '* * * * *',
};

/** The schedule that a preset stands for; anything else is a schedule already. */
function expandSchedule(schedule: string): string {
  const name = schedule.trim();
  return Object.hasOwn(SCHEDULE_PRESETS, name) ? (SCHEDULE_PRESETS[name] ?? schedule) : schedule;
}
