import type { Random } from './random.ts';

/** Why a pass runs: nothing is known yet, the last one failed, it is time to look at everything again, or there is news. */
export type PassReason = 'first' | 'retry' | 'resync' | 'changed' | 'poll';

export interface PassTimes {
  /** Between passes. */
  readonly pollSeconds: number;
  /** However little changes, a full pass runs this often. */
  readonly resyncSeconds: number;
  /** The most that is waited after the first failure. */
  readonly errorSeconds: number;
}

/** What the loop remembers between passes; times as a steady clock gives them. */
export interface PassMemory {
  /** Failed in a row. */
  readonly failures: number;
  /** Of the last pass that succeeded. */
  readonly revision?: string | undefined;
  /** When the last full pass that succeeded began. */
  readonly lastFull?: number | undefined;
}

export type PassDecision = 'skip' | { readonly reason: PassReason; readonly full: boolean };

const JITTER = 0.1;
const LONGEST_RETRY_SECONDS = 300;
const SHORTEST_RETRY_SECONDS = 1;

/** Whether a pass is due when the instance is at this revision; undefined is a revision that nobody knows. */
export function decidePass(
  memory: PassMemory,
  revision: string | undefined,
  now: number,
  { resyncSeconds }: Pick<PassTimes, 'resyncSeconds'>,
): PassDecision {
  if (memory.failures > 0) return { reason: 'retry', full: true };
  if (memory.lastFull === undefined) return { reason: 'first', full: true };
  if (now - memory.lastFull >= resyncSeconds * 1000) return { reason: 'resync', full: true };
  if (revision === undefined || memory.revision === undefined) return { reason: 'poll', full: true };
  return revision === memory.revision ? 'skip' : { reason: 'changed', full: false };
}

/** Milliseconds until the next poll; spread, so that the pods of a fleet do not ask all at once. */
export function pollDelay({ pollSeconds }: PassTimes, random: Random): number {
  return Math.round(pollSeconds * 1000 * (1 - JITTER + 2 * JITTER * random()));
}

/** Milliseconds until the next try: anything up to a limit that doubles with each failure, never above the poll. */
export function retryDelay({ pollSeconds, errorSeconds }: PassTimes, failures: number, random: Random): number {
  const most = Math.min(errorSeconds * 2 ** (failures - 1), pollSeconds, LONGEST_RETRY_SECONDS);
  return Math.round(Math.max(most * random(), Math.min(most, SHORTEST_RETRY_SECONDS)) * 1000);
}
