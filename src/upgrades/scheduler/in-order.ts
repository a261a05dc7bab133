import { mapLimited } from '../../base/index.ts';
import { inheritanceOrder } from '../policies/inheritance-order.ts';
import type { Subject } from './fleet-view.ts';

/**
 * Calls `act` for each organization after it has ended for all those whose history the organization inherits; results
 * keep the order of the organizations.
 */
export async function inOrderOfInheritance<Result>(
  subjects: readonly Subject[],
  limit: number,
  act: (subject: Subject) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result[]> {
  const { ranks } = inheritanceOrder(
    new Map(subjects.map((subject) => [subject.organization.orgId, sourcesOf(subject)])),
  );
  const rankOf = ({ organization }: Subject): number => ranks.get(organization.orgId) ?? 0;
  const waves = [...Map.groupBy(subjects, rankOf)].sort(([a], [b]) => a - b);
  const results = new Map<Subject, Result>();
  for (const [, wave] of waves)
    await mapLimited(wave, limit, async (subject) => results.set(subject, await act(subject)), signal);
  return subjects.map((subject) => results.get(subject) as Result);
}

function sourcesOf({ organization: { orgId }, network }: Subject): string[] {
  const sources = network.inheritance.get(orgId)?.verified ?? [];
  return sources.map((source) => source.orgId).filter((source) => source !== orgId);
}
