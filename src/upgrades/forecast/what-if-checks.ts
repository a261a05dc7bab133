import { didYouMean, EchelonError } from '../../base/index.ts';
import { CLUSTER_LABELS, ORGANIZATION_LABELS, PREFIX, SECTOR_LABELS } from '../policies/label-keys.ts';
import type { ClusterSpec, OrgSpec, PolicyProblem } from '../policies/org-spec.ts';
import type { ForecastOrganization } from './forecast-organization.ts';
import type { LabelChanges, WhatIf } from './what-if-change.ts';

/** The changes in one organization. */
export interface OrganizationChanges {
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
export function requireMeant(organizations: readonly ForecastOrganization[], change: WhatIf): void {
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
export function refuseInvalid(before: OrgSpec, after: OrgSpec, changes: OrganizationChanges): void {
  const known = new Set(before.problems.map(textOf));
  const untouched = new Set(
    before.clusters.filter((each) => changes.changesOf(each) === undefined).map(({ id }) => id),
  );
  const wasHeld = new Set(before.clusters.flatMap((each) => ('held' in each ? [each.id] : [])));
  const problem = after.problems.find((problem) => {
    const { scope, severity, key } = problem;
    if (severity !== 'error' || known.has(textOf(problem))) return false;
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

function textOf({ scope, key, message }: PolicyProblem): string {
  return JSON.stringify([scope.kind === 'cluster' ? scope.cluster.id : '', key, message]);
}

function suffixOf(label: string): string {
  return label.startsWith(PREFIX) ? label.slice(PREFIX.length) : label;
}

function suffixes(labels: Readonly<Record<string, { readonly suffix: string }>>): string[] {
  return Object.values(labels).map(({ suffix }) => suffix);
}
