import type { Candidate } from '../engine/choose.ts';
import type { Decision } from '../engine/decide.ts';
import type { ClusterState, OrgFacts } from '../engine/facts.ts';
import { closedAt } from '../engine/gate.ts';

type Id = ClusterState['id'];

/** Clusters that must be read again before a decision may be applied. */
interface Recheck {
  /** Their upgrade policies, as they are now. */
  readonly policies: readonly Id[];
  /** Their gate agreements. */
  readonly agreements: readonly Id[];
}

/**
 * A decision from remembered state is rechecked: the clusters that would be changed, and for an upgrade those that could
 * hold one of its mutexes. Agreements matter where only a version gate is closed, or with `thorough` everywhere.
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
