import type { Decision } from '../engine/decide.ts';
import type { OrgFacts } from '../engine/facts.ts';
import type { ClusterKey } from '../policies/org-spec.ts';
import type { StoredState } from './organization-state.ts';
import {
  isSkipped,
  type OrganizationKey,
  type OrganizationOutcome,
  type PlannedOrganization,
  type SkippedOrganization,
} from './plan-organization.ts';

/** What is needed of an organization that was decided on to apply its plan, and to report on that. */
export interface ApplicableOrganization
  extends Pick<PlannedOrganization, keyof OrganizationKey | 'decidedAt' | 'notices' | 'faults' | 'next'> {
  readonly decision: Pick<Decision, 'plan'>;
  readonly facts: Pick<OrgFacts, 'gates'>;
  /** At least those that the plan changes. */
  readonly clusters: readonly ClusterKey[];
  readonly stored: Pick<StoredState, 'version'>;
}

/** Without what only the decision needed: a plan of a large fleet is kept until it is applied. */
export function applicable(outcome: OrganizationOutcome): ApplicableOrganization | SkippedOrganization {
  if (isSkipped(outcome)) return outcome;
  const { environment, orgId, name, decidedAt, notices, faults, next, decision, facts, clusters, stored } = outcome;
  const changed = new Set<string>(decision.plan.map(({ clusterId }) => clusterId));
  return {
    ...{ environment, orgId, name, decidedAt, notices, faults, next },
    decision: { plan: decision.plan },
    facts: { gates: facts.gates },
    clusters: clusters
      .filter(({ id }) => changed.has(id))
      .map(({ id, uuid, name: cluster }) => ({ id, uuid, name: cluster })),
    stored: { version: stored.version },
  };
}
