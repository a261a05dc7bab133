import { EchelonError } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { clusterKey, type Labels, organizationKey, PREFIX, sectorKey } from '../policies/label-keys.ts';
import { orgSpecFromLabels, parseOrganizationLabels } from '../policies/labels.ts';
import {
  type ClusterId,
  type ClusterUuid,
  type Fault,
  type PolicyProblem,
  type SectorSpec,
  type UpgradePolicy,
  warning,
} from '../policies/org-spec.ts';
import type { Member, PolicyApi } from './members.ts';
import { type EndlessUpgrade, mutexLints, stuckClusters } from './stuck-clusters.ts';

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
type LintName = (typeof LINTS)[number];

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
