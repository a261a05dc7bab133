import * as z from 'zod';
import { defined } from '../../base/index.ts';
import { cleanMembers, clusterKey, type Labels } from '../policies/label-keys.ts';
import { parseClusterLabels } from '../policies/labels.ts';
import { error, type Fault, hasError, type UpgradePolicy } from '../policies/org-spec.ts';
import { expandSchedule } from './presets.ts';

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
