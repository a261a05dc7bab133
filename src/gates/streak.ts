import type { Turn } from './soak-ledger.ts';

/** How long something has been seen without interruption, such as a shard that is healthy on its target. */
export interface Streak {
  /** Microseconds. */
  readonly micros: number;
  /** The last observation saw it; only then the time until the next counts. */
  readonly sighted: boolean;
}

/** Whether an observation saw it. */
export type StreakSighting = 'yes' | 'no' | 'unknown';

/**
 * The streak after an observation, by the clock of the soak ledger: only time between two observations that both saw it
 * counts. One that saw the contrary ends it; one that says nothing credits nothing.
 */
export function continued(
  streak: Streak | undefined,
  sighted: StreakSighting,
  { interval, isLate }: Turn,
): Streak | undefined {
  if (sighted === 'no') return undefined;
  if (sighted === 'unknown') return streak === undefined ? undefined : { micros: streak.micros, sighted: false };
  // It cannot know what was seen at the last check-in, so it starts nothing.
  if (isLate) return streak;
  return { micros: (streak?.micros ?? 0) + (streak?.sighted === true ? interval : 0), sighted: true };
}
