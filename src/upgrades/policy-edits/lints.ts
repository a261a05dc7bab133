import { clusterKey, organizationKey, sectorKey } from '../policies/label-keys.ts';
import { type Fault, type SectorSpec, type UpgradePolicy, warning } from '../policies/org-spec.ts';
import { type EndlessUpgrade, mutexLints } from './lints-mutex.ts';
import { stuckClusters } from './reach.ts';

/** The input of a lint: policies that are valid one by one, and may conflict with each other. */
export interface LintFacts {
  readonly orgId: string;
  readonly clusters: readonly { readonly name: string; readonly policy: UpgradePolicy }[];
  readonly sectors: readonly SectorSpec[];
  /** Organizations whose history is used, and those that may use this one. */
  readonly inherit: readonly string[];
  readonly publish: readonly string[];
  /** What is known of other organizations; those this login cannot see are left out. */
  readonly others: ReadonlyMap<string, { readonly inherit: readonly string[]; readonly publish: readonly string[] }>;
  /** Whether the scheduler serves an organization; absent where its configuration was not given. */
  readonly isServed?: (orgId: string) => boolean;
  /** Absent where they were not read. */
  readonly endless?: readonly EndlessUpgrade[];
}

const LINTS = [
  'no-first-cluster',
  'unreachable-soak',
  'limit-without-mutex',
  'mutex-never-free',
  'inherit-not-published',
  'publish-not-inherited',
  'inherit-not-served',
  'inherit-not-visible',
] as const;
export type LintName = (typeof LINTS)[number];

interface Lint extends Fault {
  readonly lint: LintName;
  /** The cluster that it is about; absent for the organization. */
  readonly cluster?: string;
}

/** Problems that no single label shows: policies that wait for each other forever, and settings without effect. */
export function lintPolicies(facts: LintFacts): Lint[] {
  return [
    ...soakLints(facts),
    ...limitLints(facts),
    ...neverFree(facts),
    ...sharingLints(facts),
    ...sourceLints(facts),
  ];
}

/** Soak may also come from inherited histories, so inheriting organizations are skipped. */
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
        'set 0 soak days on another cluster with the workload, in this sector or one before it',
      ),
    })),
  ];
}

function noFirst(workload: string): Fault {
  return warning(
    clusterKey('soakDays'),
    `no cluster with the workload ${workload} has 0 soak days, so no new version ever starts to soak`,
    'set 0 soak days on one of them, to go first',
  );
}

/** A limit counts clusters that hold the same mutex; without a shared mutex it has no effect. */
function limitLints({ clusters, sectors }: LintFacts): Lint[] {
  return sectors.flatMap(({ name, maxParallelUpgrades }): Lint[] => {
    const members = clusters.filter(({ policy }) => policy.sector === name);
    if (maxParallelUpgrades === undefined || members.length < 2) return [];
    const held = members.flatMap(({ policy }) => [...new Set(policy.mutexes ?? [])]);
    if (new Set(held).size < held.length) return [];
    const message = `the limit ${maxParallelUpgrades} of sector ${name} has no effect: no two of its clusters share a mutex`;
    const hint = `give the clusters of ${name} a common mutex`;
    return [{ lint: 'limit-without-mutex', ...warning(sectorKey('maxParallelUpgrades', name), message, hint) }];
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
      const message = `organization ${id} does not publish its history to this one, so nothing is upgraded here`;
      const hint = `have ${orgId} added to ${organizationKey('publish')} there, or remove ${id} here`;
      return { lint: 'inherit-not-published', ...warning(organizationKey('inherit'), message, hint) };
    }),
    ...unused.map((id): Lint => {
      const message = `the history is published to organization ${id}, which does not inherit it`;
      const hint = `have ${orgId} added to ${organizationKey('inherit')} there, or remove ${id} here`;
      return { lint: 'publish-not-inherited', ...warning(organizationKey('publish'), message, hint) };
    }),
  ];
}

/** Sources that can never provide a history, and those of which nothing is known. */
function sourceLints({ orgId, inherit, others, isServed }: LintFacts): Lint[] {
  if (isServed === undefined) return [];
  const sources = inherit.filter((id) => id !== orgId);
  return [
    ...sources
      .filter((id) => !isServed(id))
      .map((id): Lint => {
        const message = `the configuration of the scheduler does not name organization ${id}, or excludes it, so every cluster here waits for good: no history yet of ${id}`;
        const hint = `have ${id} added to the configuration, or remove it here`;
        return { lint: 'inherit-not-served', ...warning(organizationKey('inherit'), message, hint) };
      }),
    ...sources
      .filter((id) => !others.has(id))
      .map((id): Lint => {
        const message = `this login cannot see organization ${id}, so it is unknown whether it exists and publishes its history`;
        const hint = `check the id, or validate with a login that can see ${id}`;
        return { lint: 'inherit-not-visible', ...warning(organizationKey('inherit'), message, hint) };
      }),
  ];
}
