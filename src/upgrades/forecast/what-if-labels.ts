import {
  CLUSTER_LABELS,
  type ClusterLabel,
  clusterKey,
  type Labels,
  organizationKey,
  PREFIX,
  sectorKey,
} from '../policies/label-keys.ts';
import type { KnownPolicy, OrgSpec } from '../policies/org-spec.ts';

/** A policy as labels. */
export function policyLabels(policy: KnownPolicy): Labels {
  const entries = (Object.keys(CLUSTER_LABELS) as ClusterLabel[]).flatMap((name) => {
    const value = policy[name];
    return value === undefined ? [] : [[clusterKey(name), textOf(value)] as const];
  });
  return Object.fromEntries(entries);
}

/** An organization's blocks, freezes and sectors as labels. */
export function organizationLabels(
  { blockedVersions, freezes, sectors }: OrgSpec,
  blocks: readonly string[] = [],
): Labels {
  const all = [...new Set([...blockedVersions, ...blocks])];
  return Object.fromEntries([
    ...(all.length === 0 ? [] : [[organizationKey('blockedVersions'), all.join(',')]]),
    ...(freezes.length === 0 ? [] : [[organizationKey('freezes'), freezes.join(',')]]),
    ...sectors.flatMap(({ name, dependencies, maxParallelUpgrades: limit }) => [
      [sectorKey('dependencies', name), dependencies.join(',')],
      ...(limit === undefined ? [] : [[sectorKey('maxParallelUpgrades', name), limit]]),
    ]),
  ]);
}

/** Labels after some were set or removed; the changes lack the prefix. */
export function withChanges(labels: Labels, changes: Readonly<Record<string, string | null>>): Labels {
  const next: Record<string, string> = { ...labels };
  for (const [suffix, value] of Object.entries(changes)) {
    const key = suffix.startsWith(PREFIX) ? suffix : PREFIX + suffix;
    if (value === null) delete next[key];
    else next[key] = value;
  }
  return next;
}

function textOf(value: string | number | readonly string[]): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}
