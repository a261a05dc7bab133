import { byText } from '../../base/index.ts';
import { type ClusterState, orgFacts } from '../engine/facts.ts';
import type { Rules } from '../engine/rules.ts';
import { clusterKey, PREFIX } from '../policies/label-keys.ts';
import { parseClusterLabels, parseOrganizationLabels } from '../policies/labels.ts';
import { assemble, type ClusterSpec, type OrgSpec, type ReadCluster } from '../policies/org-spec.ts';
import type { ForecastOrganization } from './forecast-organization.ts';
import type { LabelChanges, WhatIf } from './what-if-change.ts';
import { type OrganizationChanges, refuseInvalid, requireMeant } from './what-if-checks.ts';
import { organizationLabels, policyLabels, withChanges } from './what-if-labels.ts';

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
