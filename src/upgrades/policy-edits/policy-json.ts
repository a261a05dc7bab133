import * as z from 'zod';
import { defined } from '../../base/index.ts';
import { cleanMembers } from '../policies/csv.ts';
import { clusterKey, type Labels } from '../policies/label-keys.ts';
import type { UpgradePolicy } from '../policies/org-spec.ts';
import { parseClusterLabels } from '../policies/parse-cluster-labels.ts';
import { error, type Fault, hasError } from '../policies/problem.ts';
import { expandSchedule } from './presets.ts';

const texts = z.array(z.string());

/** A policy as users keep it in a file; the keys are those of the existing plugin of OCM. */
const POLICY = z.strictObject({
  conditions: z
    .strictObject({
      blocked_versions: texts.exactOptional(),
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
export const MAX_POLICIES = 10_000;

export const policiesShape = z.array(POLICY).max(MAX_POLICIES);

/** The labels that say the same as a policy, and what is wrong with them, by the parser of the scheduler. */
export function policyLabels(policy: PolicyJson): { readonly labels: Labels; readonly faults: readonly Fault[] } {
  const { conditions } = policy;
  const lists = [
    ['workloads', policy.workloads],
    ['mutexes', conditions.mutexes ?? []],
    ['blockedVersions', conditions.blocked_versions ?? []],
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
  };
  return { labels, faults: [...torn, ...parseClusterLabels(labels, { strict: true }).faults] };
}

/** A policy as a file has it; what is empty is left out. The subscription is for a name that several clusters have. */
export function policyJson(name: string, policy: UpgradePolicy, subscriptionId?: string): PolicyJson {
  const { blockedVersions = [], mutexes = [], sector, soakDays, schedule, workloads } = policy;
  return {
    conditions: {
      ...(blockedVersions.length === 0 ? {} : { blocked_versions: [...blockedVersions] }),
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

/** What a policy becomes once it was written: presets expanded, lists trimmed. Undefined when it is wrong. */
export function normalizedPolicy(policy: PolicyJson): PolicyJson | undefined {
  const { labels, faults } = policyLabels(policy);
  if (hasError(faults)) return undefined;
  const { policy: read } = parseClusterLabels(labels, { strict: true });
  return read === undefined ? undefined : policyJson(policy.name, read, policy.subscription_id);
}

/** Members of a list as the value of a label: trimmed, each once; a blank one stays and is told. */
export function joined(members: readonly string[]): string {
  const { members: clean, hasBlank } = cleanMembers(members);
  return [...clean, ...(hasBlank ? [''] : [])].join(',');
}

/** A label separates by commas, so that none can be in a member. */
export function tornFaults(key: string, members: readonly string[]): Fault[] {
  return members
    .filter((member) => member.includes(','))
    .map((member) =>
      error(key, `${JSON.stringify(member)} has a comma in it`, 'write it without: labels separate by commas'),
    );
}
