import type { Random } from './random.ts';

/** Why a pass runs: the first one, a retry after a failure, the second of a new leader, a periodic full resync, or a change. */
export type PassReason = 'first' | 'retry' | 'second' | 'resync' | 'changed' | 'poll';

interface PassTimes {
  /** Between passes. */
  readonly pollSeconds: number;
  /** Interval of full passes, whatever changes. */
  readonly resyncSeconds: number;
  /** The longest wait after the first failure. */
  readonly errorSeconds: number;
  /** From this moment of the steady clock on, a second full pass is due; infinity for none. */
  readonly secondAt: number;
}

/** What the loop remembers between passes; times are of the steady clock. */
export interface PassMemory {
  /** Consecutive failures. */
  readonly failures: number;
  /** Revision of the last successful pass. */
  readonly revision?: string | undefined;
  /** Start of the last successful full pass. */
  readonly lastFull?: number | undefined;
}

export type PassDecision = 'skip' | { readonly reason: PassReason; readonly full: boolean };

const JITTER = 0.1;
const LONGEST_RETRY_SECONDS = 300;
const SHORTEST_RETRY_SECONDS = 1;

/** Whether a pass is due when the instance is at this revision; undefined is an unknown revision. */
export function decidePass(
  memory: PassMemory,
  revision: string | undefined,
  now: number,
  { resyncSeconds, secondAt }: Pick<PassTimes, 'resyncSeconds' | 'secondAt'>,
): PassDecision {
  if (memory.failures > 0) return { reason: 'retry', full: true };
  if (memory.lastFull === undefined) return { reason: 'first', full: true };
  if (now >= secondAt && memory.lastFull < secondAt) return { reason: 'second', full: true };
  if (now - memory.lastFull >= resyncSeconds * 1000) return { reason: 'resync', full: true };
  if (revision === undefined || memory.revision === undefined) return { reason: 'poll', full: false };
  return revision === memory.revision ? 'skip' : { reason: 'changed', full: false };
}

/** Milliseconds until the next poll; jittered, so that the pods of a fleet do not poll all at once. */
export function pollDelay(
  { pollSeconds, secondAt }: Pick<PassTimes, 'pollSeconds' | 'secondAt'>,
  { lastFull = 0 }: PassMemory,
  now: number,
  random: Random,
): number {
  const poll = Math.round(pollSeconds * 1000 * (1 - JITTER + 2 * JITTER * random()));
  return lastFull < secondAt ? Math.min(poll, Math.max(0, Math.ceil(secondAt - now))) : poll;
}

/** Milliseconds until the next attempt: random, up to a limit that doubles with each failure, at most the poll interval. */
export function retryDelay(
  { pollSeconds, errorSeconds }: Pick<PassTimes, 'pollSeconds' | 'errorSeconds'>,
  failures: number,
  random: Random,
): number {
  const most = Math.min(errorSeconds * 2 ** (failures - 1), pollSeconds, LONGEST_RETRY_SECONDS);
  return Math.round(Math.max(most * random(), Math.min(most, SHORTEST_RETRY_SECONDS)) * 1000);
}
