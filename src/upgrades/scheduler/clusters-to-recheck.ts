import type { Decision } from '../engine/decide.ts';
import type { ClusterState, OrgFacts } from '../engine/facts.ts';
import type { Candidate } from '../engine/plan.ts';
import { closedAt } from '../engine/upgrade-gate.ts';

type Id = ClusterState['id'];

/** Clusters that must be looked at before a decision may be acted on. */
export interface Recheck {
  /** Their upgrade policies, as they are now. */
  readonly policies: readonly Id[];
  /** Their gate agreements. */
  readonly agreements: readonly Id[];
}

/**
 * What was decided from memory is looked at once more: the clusters that would be changed, and for an upgrade those that
 * could hold one of its mutexes. Agreements matter where a gate is all that is missing, or with `thorough` anywhere.
 */
export function clustersToRecheck(
  facts: OrgFacts,
  { plan, missingGates, verdicts, gates }: Decision,
  thorough: boolean,
): Recheck {
  const upgraded = new Set(plan.flatMap((item) => (item.action === 'upgrade' ? [item.clusterId] : [])));
  const isGated = (candidate: Candidate): boolean => closedAt(gates, candidate.verdicts, 'consent') !== undefined;
  const gated = thorough
    ? verdicts.filter(({ candidates }) => candidates.some(isGated)).map(({ clusterId }) => clusterId)
    : missingGates.map(({ clusterId }) => clusterId);
  return {
    policies: [...plan.map(({ clusterId }) => clusterId), ...sharingMutexes(facts, upgraded)],
    agreements: gated,
  };
}

function sharingMutexes({ clusters, held }: OrgFacts, ids: ReadonlySet<Id>): Id[] {
  if (ids.size === 0) return [];
  const members = [
    ...clusters.map(({ id, policy }) => ({ id, mutexes: policy.mutexes ?? [] })),
    ...held.map(({ id, known }) => ({ id, mutexes: known.mutexes ?? [] })),
  ];
  const taken = new Set(members.filter(({ id }) => ids.has(id)).flatMap(({ mutexes }) => mutexes));
  return members.filter(({ mutexes }) => mutexes.some((mutex) => taken.has(mutex))).map(({ id }) => id);
}
