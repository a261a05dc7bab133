import { byText, didYouMean, EchelonError } from '../../base/index.ts';
import { type ClusterState, orgFacts } from '../engine/facts.ts';
import type { Rules } from '../engine/rules.ts';
import {
  CLUSTER_LABELS,
  type ClusterLabel,
  clusterKey,
  type Labels,
  ORGANIZATION_LABELS,
  organizationKey,
  PREFIX,
  SECTOR_LABELS,
  sectorKey,
} from '../policies/label-keys.ts';
import { parseClusterLabels, parseOrganizationLabels } from '../policies/labels.ts';
import {
  assemble,
  type ClusterSpec,
  type KnownPolicy,
  type OrgSpec,
  type PolicyProblem,
  type ReadCluster,
} from '../policies/org-spec.ts';
import type { ForecastOrganization } from './forecast-organization.ts';
import type { LabelChanges, WhatIf } from './what-if-file.ts';

/** Organizations with the changes, parsed again as labels. Throws for invalid changes. */
export function applyWhatIf(
  organizations: readonly ForecastOrganization[],
  change: WhatIf,
  rules: Rules,
): ForecastOrganization[] {
  requireMeant(organizations, change);
  return organizations.map((organization) => changed(organization, change, rules));
}

function changed(organization: ForecastOrganization, change: WhatIf, rules: Rules): ForecastOrganization {
  const { spec, facts, orgId, name } = organization;
  const own = merged(change.organizations, [orgId, name]) ?? {};
  const changesOf = (cluster: ClusterSpec) => merged(change.clusters, [cluster.name, cluster.id, cluster.uuid]);
  const isTouched = Object.keys(own).length + change.blocks.length > 0 || spec.clusters.some(changesOf);
  if (!isTouched) return organization;
  const changes = { own, blocks: change.blocks, changesOf };
  const next = specWith(spec, changes, { strict: rules.strictPolicies });
  refuseInvalid(spec, next, changes);
  const { policies, gates, agreements, ledger, inherited } = facts;
  const around = { policies, gates, agreements, ledger, inherited };
  const states: readonly ClusterState[] = [...facts.clusters, ...facts.held];
  return { ...organization, spec: next, facts: orgFacts(next, states, around) };
}

/** Changes under any of the names; keys lose their prefix. */
function merged(all: Readonly<Record<string, LabelChanges>>, names: readonly string[]): LabelChanges | undefined {
  const said = names.flatMap((name) => (Object.hasOwn(all, name) ? [Object.entries(all[name] ?? {})] : []));
  if (said.length === 0) return undefined;
  const bare = (key: string): string => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key);
  return Object.fromEntries(said.flat().map(([key, value]) => [bare(key), value]));
}

function specWith(
  spec: OrgSpec,
  { own, blocks, changesOf }: OrganizationChanges,
  reading: { readonly strict: boolean },
): OrgSpec {
  const labels = withChanges(organizationLabels(spec, blocks), own);
  const { blockedVersions = [], freezes = [], sectors, faults } = parseOrganizationLabels(labels, reading);
  const next = assemble(
    { orgId: spec.orgId, blockedVersions, freezes, sectors, inherit: spec.inherit, faults },
    spec.clusters.map((cluster) => readCluster(cluster, changesOf(cluster), reading)),
  );
  const kept = spec.problems.filter(
    ({ scope, key }) => scope.kind === 'organization' && !(key.slice(PREFIX.length) in own),
  );
  return {
    ...next,
    clusters: next.clusters.map((cluster, index) => asBefore(cluster, spec.clusters[index], changesOf)),
    problems: [...kept, ...next.problems].sort((a, b) => byText(a.scope.kind, b.scope.kind)),
  };
}

/** A held cluster without changes keeps its reason. */
function asBefore(
  cluster: ClusterSpec,
  before: ClusterSpec | undefined,
  changesOf: OrganizationChanges['changesOf'],
): ClusterSpec {
  if (before === undefined || !('held' in before) || !('held' in cluster)) return cluster;
  return changesOf(before) === undefined ? { ...cluster, held: before.held } : cluster;
}

/** A cluster without changes stays the same, held or not. */
function readCluster(
  cluster: ClusterSpec,
  changes: LabelChanges | undefined,
  reading: { readonly strict: boolean },
): ReadCluster {
  const { id, uuid, name } = cluster;
  const key = { id, uuid, name };
  const sectorKey = clusterKey('sector');
  const known = 'held' in cluster ? cluster.known : cluster.policy;
  if (changes === undefined && 'held' in cluster) {
    const fault = {
      severity: 'error',
      key: 'policy',
      message: cluster.held,
      hint: 'check with: echelon upgrades plan',
    } as const;
    return { cluster: key, known, sectorKey, faults: [fault] };
  }
  return { cluster: key, sectorKey, ...parseClusterLabels(withChanges(policyLabels(known), changes ?? {}), reading) };
}

/** The changes in one organization. */
interface OrganizationChanges {
  readonly own: LabelChanges;
  readonly blocks: readonly string[];
  readonly changesOf: (cluster: ClusterSpec) => LabelChanges | undefined;
}

/** A forecast approves no gates, and histories do not change. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  CLUSTER_LABELS.versionGateApprovals.suffix,
  ORGANIZATION_LABELS.inherit.suffix,
  ORGANIZATION_LABELS.publish.suffix,
]);
const OF_CLUSTERS = suffixes(CLUSTER_LABELS);
const OF_ORGANIZATIONS = suffixes(ORGANIZATION_LABELS);
const OF_SECTORS = suffixes(SECTOR_LABELS);

/** Throws for an unknown or ambiguous name, and for a label without effect on a forecast. */
function requireMeant(organizations: readonly ForecastOrganization[], change: WhatIf): void {
  const clusters = organizations.flatMap(({ spec }) => spec.clusters);
  const callsOfClusters = clusters.map(({ name, id, uuid }) => [name, id, uuid]);
  const callsOfOrganizations = organizations.map(({ orgId, name }) => [orgId, name]);
  for (const [name, labels] of Object.entries(change.clusters)) {
    requireOne('cluster', name, callsOfClusters);
    for (const label of Object.keys(labels)) requireLabel(`cluster ${name}`, label, OF_CLUSTERS);
  }
  for (const [name, labels] of Object.entries(change.organizations)) {
    requireOne('organization', name, callsOfOrganizations);
    for (const label of Object.keys(labels)) {
      const ofSector = OF_SECTORS.some((group) => suffixOf(label).startsWith(group) && suffixOf(label) !== group);
      if (!ofSector) requireLabel(`organization ${name}`, label, [...OF_ORGANIZATIONS, ...OF_SECTORS]);
    }
  }
}

function requireOne(what: string, name: string, calls: readonly (readonly string[])[]): void {
  const found = calls.filter((own) => own.includes(name));
  if (found.length === 1) return;
  if (found.length > 1)
    throw new EchelonError({
      code: 'WHAT_IF_AMBIGUOUS',
      message: `the what-if names the ${what} ${name}, which matches ${found.length}`,
      hint: `use its id: ${found.map((own) => own.find((each) => each !== name) ?? name).join(' or ')}`,
    });
  throw new EchelonError({
    code: 'WHAT_IF_UNKNOWN',
    message: `the what-if names the ${what} ${name}, which is not in this forecast`,
    hint: didYouMean(name, calls.flat(), `use a ${what} of a served organization`),
  });
}

function requireLabel(whose: string, label: string, known: readonly string[]): void {
  const suffix = suffixOf(label);
  if (known.includes(suffix) && !WITHOUT_EFFECT.has(suffix) && !OF_SECTORS.includes(suffix)) return;
  const effective = known.filter((each) => !WITHOUT_EFFECT.has(each));
  throw new EchelonError({
    code: 'WHAT_IF_UNKNOWN',
    message: WITHOUT_EFFECT.has(suffix)
      ? `the label ${label} of ${whose} has no effect on a forecast`
      : `unknown label ${label} for ${whose.split(' ')[0]}s (in the what-if, at ${whose})`,
    hint: didYouMean(suffix, effective, `use one of: ${effective.join(', ')}`),
  });
}

/** Throws for new problems; a label that the change removes may be missing. */
function refuseInvalid(before: OrgSpec, after: OrgSpec, changes: OrganizationChanges): void {
  const known = new Set(before.problems.map(problemKey));
  const untouched = new Set(
    before.clusters.filter((each) => changes.changesOf(each) === undefined).map(({ id }) => id),
  );
  const wasHeld = new Set(before.clusters.flatMap((each) => ('held' in each ? [each.id] : [])));
  const problem = after.problems.find((problem) => {
    const { scope, severity, key } = problem;
    if (severity !== 'error' || known.has(problemKey(problem))) return false;
    if (scope.kind === 'organization') return true;
    const { cluster } = scope;
    if (untouched.has(cluster.id)) return !wasHeld.has(cluster.id);
    const spec = before.clusters.find(({ id }) => id === cluster.id);
    return spec === undefined || changes.changesOf(spec)?.[key.slice(PREFIX.length)] !== null;
  });
  if (problem === undefined) return;
  const { scope, key, message, hint } = problem;
  const whose = scope.kind === 'cluster' ? `cluster ${scope.cluster.name}` : `organization ${before.orgId}`;
  throw new EchelonError({
    code: 'WHAT_IF_INVALID',
    message: `with the what-if ${whose} would be invalid: ${key}: ${message}`,
    hint,
  });
}

function problemKey({ scope, key, message }: PolicyProblem): string {
  return JSON.stringify([scope.kind === 'cluster' ? scope.cluster.id : '', key, message]);
}

function suffixOf(label: string): string {
  return label.startsWith(PREFIX) ? label.slice(PREFIX.length) : label;
}

function suffixes(labels: Readonly<Record<string, { readonly suffix: string }>>): string[] {
  return Object.values(labels).map(({ suffix }) => suffix);
}

/** A policy as labels. */
function policyLabels(policy: KnownPolicy): Labels {
  const entries = (Object.keys(CLUSTER_LABELS) as ClusterLabel[]).flatMap((name) => {
    const value = policy[name];
    return value === undefined ? [] : [[clusterKey(name), labelText(value)] as const];
  });
  return Object.fromEntries(entries);
}

/** An organization's blocks, freezes and sectors as labels. */
function organizationLabels({ blockedVersions, freezes, sectors }: OrgSpec, blocks: readonly string[] = []): Labels {
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
function withChanges(labels: Labels, changes: Readonly<Record<string, string | null>>): Labels {
  const next: Record<string, string> = { ...labels };
  for (const [suffix, value] of Object.entries(changes)) {
    const key = suffix.startsWith(PREFIX) ? suffix : PREFIX + suffix;
    if (value === null) delete next[key];
    else next[key] = value;
  }
  return next;
}

function labelText(value: string | number | readonly string[]): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}
