import type { LeaseRecord } from './lease-api.ts';

/** The lease as a candidate last saw it, and since when, by its own steady clock, it has not changed. */
export interface Observation {
  readonly record: LeaseRecord | undefined;
  readonly since: number;
  /** For how many milliseconds without a change it is valid; a deleted lease keeps the time it had. */
  readonly guarded: number;
}

/**
 * Adds what was just read. Times written by others are never compared with a local clock, so the clocks of two
 * machines need not agree, only run at about the same speed.
 */
export function observe(
  before: Observation | undefined,
  record: LeaseRecord | undefined,
  now: number,
  fallbackSeconds: number,
): Observation {
  if (before !== undefined && sameRecord(before.record, record)) return before;
  const guarded = record === undefined ? (before?.guarded ?? 0) : durationOf(record, fallbackSeconds);
  return { record, since: now, guarded };
}

/** Whether this candidate may take the lease: it is free, already its own, or expired. */
export function mayTake({ record, since, guarded }: Observation, identity: string, now: number): boolean {
  return guarded === 0 || record?.holder === identity || now - since > guarded;
}

function durationOf({ holder, durationSeconds }: LeaseRecord, fallbackSeconds: number): number {
  if (holder === '') return 0;
  return (durationSeconds > 0 ? durationSeconds : fallbackSeconds) * 1000;
}

function sameRecord(a: LeaseRecord | undefined, b: LeaseRecord | undefined): boolean {
  return a === undefined || b === undefined ? a === b : fingerprint(a) === fingerprint(b);
}

function fingerprint(record: LeaseRecord): string {
  const { holder, acquireTime, renewTime, durationSeconds, transitions, resourceVersion } = record;
  const times = [acquireTime.getTime(), renewTime.getTime()];
  return JSON.stringify([holder, ...times, durationSeconds, transitions, resourceVersion]);
}
