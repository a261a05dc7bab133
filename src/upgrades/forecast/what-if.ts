import { byText, didYouMean, EchelonError } from '../../base/index.ts';
import { type ClusterState, orgFacts } from '../engine/facts.ts';
import type { Rules } from '../engine/rules.ts';
import { assemble, type ReadCluster } from '../policies/assemble.ts';
import { clusterKey, PREFIX } from '../policies/label-keys.ts';
import type { ClusterSpec, OrgSpec } from '../policies/org-spec.ts';
import { parseClusterLabels } from '../policies/parse-cluster-labels.ts';
import { parseOrganizationLabels } from '../policies/parse-organization-labels.ts';
import type { PlannedOrganization } from '../service/plan-organization.ts';
import type { Release } from './offers.ts';
import { organizationLabels, policyLabels, withChanges } from './what-if-labels.ts';

/** Labels without their prefix; null takes one away. */
export type LabelChanges = Readonly<Record<string, string | null>>;

/** What would be different. */
export interface WhatIf {
  /** By name, id or UUID. */
  readonly clusters: Readonly<Record<string, LabelChanges>>;
  /** By id or name. */
  readonly organizations: Readonly<Record<string, LabelChanges>>;
  /** Patterns that every organization would block besides its own. */
  readonly blocks: readonly string[];
  readonly releases: readonly Release[];
}

/** Organizations as they would be, read anew by the parser that reads labels. Throws for a name that nobody has. */
export function applyWhatIf(
  organizations: readonly PlannedOrganization[],
  change: WhatIf,
  rules: Rules,
): PlannedOrganization[] {
  const clusters = organizations.flatMap(({ spec }) => spec.clusters);
  requireKnown('cluster', Object.keys(change.clusters), clusters.flatMap(namesOf));
  requireKnown(
    'organization',
    Object.keys(change.organizations),
    organizations.flatMap(({ orgId, name }) => [orgId, name]),
  );
  return organizations.map((organization) => changed(organization, change, rules));
}

function namesOf({ name, id, uuid }: ClusterSpec): string[] {
  return [name, id, uuid];
}

function requireKnown(what: string, given: readonly string[], known: readonly string[]): void {
  const stranger = given.find((name) => !known.includes(name));
  if (stranger === undefined) return;
  throw new EchelonError({
    code: 'WHAT_IF_UNKNOWN',
    message: `the what-if names the ${what} ${stranger}, which is not in this forecast`,
    hint: didYouMean(stranger, known, `name a ${what} of an organization that is served`),
  });
}

function changed(organization: PlannedOrganization, change: WhatIf, rules: Rules): PlannedOrganization {
  const { spec, facts, orgId, name } = organization;
  const own = change.organizations[orgId] ?? change.organizations[name] ?? {};
  const changesOf = (cluster: ClusterSpec): LabelChanges | undefined =>
    namesOf(cluster)
      .map((each) => change.clusters[each])
      .find((found) => found !== undefined);
  const isTouched = Object.keys(own).length + change.blocks.length > 0 || spec.clusters.some(changesOf);
  if (!isTouched) return organization;
  const next = specWith(spec, { own, blocks: change.blocks, changesOf }, { strict: rules.strictPolicies });
  const { policies, gates, agreements, ledger, inherited } = facts;
  const around = { policies, gates, agreements, ledger, inherited };
  const states: readonly ClusterState[] = [...facts.clusters, ...facts.held];
  return { ...organization, spec: next, facts: orgFacts(next, states, around) };
}

interface Changes {
  readonly own: LabelChanges;
  readonly blocks: readonly string[];
  readonly changesOf: (cluster: ClusterSpec) => LabelChanges | undefined;
}

function specWith(spec: OrgSpec, { own, blocks, changesOf }: Changes, reading: { readonly strict: boolean }): OrgSpec {
  const labels = withChanges(organizationLabels(spec, blocks), own);
  const { blockedVersions = [], sectors, faults } = parseOrganizationLabels(labels, reading);
  const next = assemble(
    { orgId: spec.orgId, blockedVersions, sectors, inherit: spec.inherit, faults },
    spec.clusters.map((cluster) => readCluster(cluster, changesOf(cluster), reading)),
  );
  const kept = spec.problems.filter(
    ({ scope, key }) => scope.kind === 'organization' && !(key.slice(PREFIX.length) in own),
  );
  return { ...next, problems: [...kept, ...next.problems].sort((a, b) => byText(a.scope.kind, b.scope.kind)) };
}

/** One that nothing changes stays what it was, held or not. */
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
      hint: 'see echelon upgrades plan',
    } as const;
    return { cluster: key, known, sectorKey, faults: [fault] };
  }
  return { cluster: key, sectorKey, ...parseClusterLabels(withChanges(policyLabels(known), changes ?? {}), reading) };
}
