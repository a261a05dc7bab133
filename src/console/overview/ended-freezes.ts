import { type Instant, parseFreeze } from '../../gates/index.ts';
import type { PlannedOrganization } from '../../upgrades/index.ts';
import type { EndedFreeze } from '../state.ts';

/** Freezes of organizations and clusters that are over, by organization, the longest over first. */
export function endedFreezes(
  organizations: readonly Pick<PlannedOrganization, 'environment' | 'name' | 'facts'>[],
  now: Instant,
): EndedFreeze[] {
  return organizations.flatMap(({ environment, name, facts }) => {
    const given = [...facts.freezes, ...facts.clusters.flatMap(({ policy }) => policy.freezes ?? [])];
    const ended = [...new Set(given)].map(parseFreeze).flatMap((freeze) => ('fault' in freeze ? [] : [freeze]));
    return ended
      .filter(({ until }) => until <= now)
      .sort((a, b) => a.until - b.until)
      .map(({ until, reason = '' }) => ({ environment, organization: name, until, reason }));
  });
}
