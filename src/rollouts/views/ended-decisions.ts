import type { Instant } from '../../gates/index.ts';
import type { RolloutFile } from '../file/rollout-file.ts';

/** Something that the file still says, and that is over. */
export interface EndedDecision {
  readonly kind: 'overrule' | 'freeze';
  /** `the pause of canary`, `the freeze year-end`. */
  readonly name: string;
  readonly reason: string;
  readonly until: Instant;
}

/** Pauses, expedites and freezes that have ended, the longest over first. */
export function endedDecisions(
  { overrules, freezes }: Pick<RolloutFile, 'overrules' | 'freezes'>,
  now: Instant,
): EndedDecision[] {
  const all: EndedDecision[] = [
    ...overrules.flatMap(({ track, action, until, reason }): EndedDecision[] =>
      until === undefined ? [] : [{ kind: 'overrule', name: `the ${action} of ${track}`, reason, until }],
    ),
    ...freezes.map(({ name, reason, until }) => ({
      kind: 'freeze' as const,
      name: `the freeze ${name}`,
      reason,
      until,
    })),
  ];
  return all.filter(({ until }) => until <= now).sort((a, b) => a.until - b.until);
}
