import { clusterKey, organizationKey, sectorKey } from '../policies/label-keys.ts';
import type { SectorSpec, UpgradePolicy } from '../policies/org-spec.ts';
import { type Fault, warning } from '../policies/problem.ts';
import { type EndlessUpgrade, mutexLints } from './lints-mutex.ts';
import { stuckClusters } from './reach.ts';

/** What a lint looks at: policies that are right one by one, and may be wrong together. */
export interface LintFacts {
  readonly orgId: string;
  readonly clusters: readonly { readonly name: string; readonly policy: UpgradePolicy }[];
  readonly sectors: readonly SectorSpec[];
  /** Organizations whose history is used, and those that may use this one. */
  readonly inherit: readonly string[];
  readonly publish: readonly string[];
  /** What is known of other organizations; one that this login cannot see is not in it. */
  readonly others: ReadonlyMap<string, { readonly inherit: readonly string[]; readonly publish: readonly string[] }>;
  /** Where somebody has looked for them. */
  readonly endless?: readonly EndlessUpgrade[];
}

export const LINTS = [
  'no-first-cluster',
  'unreachable-soak',
  'limit-without-mutex',
  'mutex-never-free',
  'inherit-not-published',
  'publish-not-inherited',
] as const;
export type LintName = (typeof LINTS)[number];

export interface Lint extends Fault {
  readonly lint: LintName;
  /** The cluster that it is about; absent for the organization. */
  readonly cluster?: string;
}

/** What each label alone does not show: policies that wait for each other for ever, and settings without effect. */
export function lintPolicies(facts: LintFacts): Lint[] {
  return [...soakLints(facts), ...limitLints(facts), ...neverFree(facts), ...sharingLints(facts)];
}

/** Soak may also come from histories of others, so that an organization that inherits is not told. */
function soakLints({ clusters, sectors, inherit }: LintFacts): Lint[] {
  if (inherit.length > 0) return [];
  const workloads = [...new Set(clusters.flatMap(({ policy }) => policy.workloads))];
  const orphans = new Set(
    workloads.filter((workload) =>
      clusters.every(({ policy }) => policy.soakDays > 0 || !policy.workloads.includes(workload)),
    ),
  );
  const stuck = stuckClusters(clusters, sectors).filter(
    ({ cluster }) => !cluster.policy.workloads.some((workload) => orphans.has(workload)),
  );
  return [
    ...[...orphans].map((workload) => ({ lint: 'no-first-cluster' as const, ...noFirst(workload) })),
    ...stuck.map(({ cluster, reason }) => ({
      lint: 'unreachable-soak' as const,
      cluster: cluster.name,
      ...warning(
        clusterKey(cluster.policy.soakDays > 0 ? 'soakDays' : 'sector'),
        `it never takes a new version: ${reason}`,
        'let another cluster of the workload, in this sector or one before it, have 0 soak days',
      ),
    })),
  ];
}

function noFirst(workload: string): Fault {
  return warning(
    clusterKey('soakDays'),
    `no cluster with the workload ${workload} has 0 soak days, so that no new version ever starts to soak`,
    'let one of them go first, with 0 soak days',
  );
}

/** A limit counts clusters that hold the same mutex; where none is shared there is nothing to count. */
function limitLints({ clusters, sectors }: LintFacts): Lint[] {
  return sectors.flatMap(({ name, maxParallelUpgrades }): Lint[] => {
    const members = clusters.filter(({ policy }) => policy.sector === name);
    if (maxParallelUpgrades === undefined || members.length < 2) return [];
    const held = members.flatMap(({ policy }) => [...new Set(policy.mutexes ?? [])]);
    if (new Set(held).size < held.length) return [];
    const told = `the limit ${maxParallelUpgrades} of sector ${name} has no effect: no two of its clusters share a mutex`;
    const hint = `give the clusters of ${name} a mutex in common`;
    return [{ lint: 'limit-without-mutex', ...warning(sectorKey('maxParallelUpgrades', name), told, hint) }];
  });
}

function neverFree(facts: LintFacts): Lint[] {
  return mutexLints(facts).map((each) => ({ lint: 'mutex-never-free', ...each }));
}

function sharingLints({ orgId, inherit, publish, others }: LintFacts): Lint[] {
  const unpublished = inherit.filter((id) => id !== orgId && others.get(id)?.publish.includes(orgId) === false);
  const unused = publish.filter((id) => id !== orgId && others.get(id)?.inherit.includes(orgId) === false);
  return [
    ...unpublished.map((id): Lint => {
      const told = `organization ${id} does not publish its history to this one, so that nothing is upgraded here`;
      const hint = `have ${orgId} added to ${organizationKey('publish')} there, or remove ${id} here`;
      return { lint: 'inherit-not-published', ...warning(organizationKey('inherit'), told, hint) };
    }),
    ...unused.map((id): Lint => {
      const told = `the history is published to organization ${id}, which does not inherit it`;
      const hint = `have ${orgId} added to ${organizationKey('inherit')} there, or remove ${id} here`;
      return { lint: 'publish-not-inherited', ...warning(organizationKey('publish'), told, hint) };
    }),
  ];
}
