import { setTimeout as timer } from 'node:timers/promises';

/** As the clock of the runtime has it; `steady` measures durations where there is one. */
export interface HttpClock {
  now(): Date;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Monotonic milliseconds. */
  steady?(): number;
}

/** How the pauses between attempts grow. */
export interface Backoff {
  /** The longest pause after the first attempt; doubled after each. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** The part of a pause without jitter: 0 is full jitter. */
  readonly fixed: number;
  /** A longer Retry-After is cut to this. */
  readonly longestRetryAfterMs: number;
}

/** Full jitter: clients that lost one server do not come back as one. */
const DEFAULT_BACKOFF: Backoff = { firstMs: 500, longestMs: 20_000, fixed: 0, longestRetryAfterMs: 60_000 };

export interface RetryPolicy {
  /** Attempts in total, including the first. */
  readonly attempts: number;
  /**
   * `any-failure`: 429, 5xx, no response in time, a broken connection; for idempotent requests.
   * `not-processed`: only what cannot have been acted on: 429, and a connection that was never established.
   */
  readonly when: 'any-failure' | 'not-processed' | 'never' | ((tried: Tried) => boolean);
  readonly backoff?: Backoff;
}

/** The outcome of an attempt, as far as retries are concerned. */
export type Tried =
  | { readonly status: number; readonly retryAfter: string | null; readonly text: string }
  | { readonly fault: string; readonly code: string; readonly mayHaveArrived: boolean };

/** What waiting needs. */
interface Waiting {
  readonly clock: HttpClock;
  readonly random: () => number;
}

const NOT_IMPLEMENTED = 501;

export const systemHttpClock: HttpClock = {
  now: () => new Date(),
  steady: () => performance.now(),
  sleep: (ms, signal) =>
    timer(ms, undefined, signal === undefined ? {} : { signal }).catch((thrown: unknown) => {
      throw signal?.aborted ? signal.reason : thrown;
    }),
};

/** Milliseconds to wait after so many attempts; never shorter than what the server asks for, and then a little more. */
export function pauseBefore(
  attempt: number,
  random: () => number,
  { firstMs, longestMs, fixed }: Backoff = DEFAULT_BACKOFF,
  asked?: number,
): number {
  const longest = asked === undefined ? Math.min(longestMs, firstMs * 2 ** (attempt - 1)) : firstMs;
  return Math.max(asked ?? 0, longest * fixed) + longest * (1 - fixed) * random();
}

/** Milliseconds until the next attempt after `attempt` attempts; undefined when there is none. */
export function pauseAfter(
  tried: Tried,
  attempt: number,
  { attempts, when, backoff = DEFAULT_BACKOFF }: RetryPolicy,
  { clock, random }: Waiting,
): number | undefined {
  if (attempt >= attempts || !isWorthAnother(tried, when)) return undefined;
  const header = 'status' in tried ? tried.retryAfter : null;
  return pauseBefore(attempt, random, backoff, retryAfterMs(header, clock.now(), backoff.longestRetryAfterMs));
}

/** Repeats until `pause` returns none. An abort ends the wait with its reason. */
export async function retrying<T>(
  act: (attempt: number) => Promise<T>,
  pause: (outcome: T, attempt: number) => number | undefined,
  { clock, signal }: { readonly clock: Pick<HttpClock, 'sleep'>; readonly signal: AbortSignal | undefined },
): Promise<{ readonly outcome: T; readonly attempts: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await act(attempt);
    const ms = pause(outcome, attempt);
    if (ms === undefined) return { outcome, attempts: attempt };
    await clock.sleep(ms, signal);
  }
}

function isWorthAnother(tried: Tried, when: RetryPolicy['when']): boolean {
  if (typeof when === 'function') return when(tried);
  if (when === 'never') return false;
  if ('fault' in tried) return when === 'any-failure' || !tried.mayHaveArrived;
  if (tried.status === 429) return true;
  return when === 'any-failure' && tried.status >= 500 && tried.status !== NOT_IMPLEMENTED;
}

/** Seconds or an HTTP date; a past one is no wait, a far one is cut, one that is neither counts for nothing. */
export function retryAfterMs(
  header: string | null,
  now: Date,
  longest: number = DEFAULT_BACKOFF.longestRetryAfterMs,
): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), longest);
}

/** The parser of the language takes `1.5` and `-3` for dates; an HTTP date starts with a day of the week. */
function httpDate(text: string): number {
  return /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
}
