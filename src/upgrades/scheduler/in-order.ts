import { mapLimited } from '../../base/index.ts';
import { inheritanceOrder } from '../policies/inheritance.ts';
import type { Network } from './network.ts';

/** A source has a lower rank than who inherits from it. */
export function ranksOf(organizations: readonly string[], { inheritance }: Network): ReadonlyMap<string, number> {
  const sourcesOf = (orgId: string): string[] =>
    (inheritance.get(orgId)?.verified ?? []).map((source) => source.orgId).filter((source) => source !== orgId);
  return inheritanceOrder(new Map(organizations.map((orgId) => [orgId, sourcesOf(orgId)]))).ranks;
}

/**
 * Calls `act` for each organization after it has ended for all of a lower rank; results keep the order of the
 * organizations.
 */
export async function inOrderOfInheritance<Subject extends { readonly rank: number }, Result>(
  subjects: readonly Subject[],
  limit: number,
  act: (subject: Subject) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result[]> {
  const waves = [...Map.groupBy(subjects, ({ rank }) => rank)].sort(([a], [b]) => a - b);
  const results = new Map<Subject, Result>();
  for (const [, wave] of waves)
    await mapLimited(wave, limit, async (subject) => void results.set(subject, await act(subject)), signal);
  return subjects.map((subject) => results.get(subject) as Result);
}
