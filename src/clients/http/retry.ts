import { setTimeout as timer } from 'node:timers/promises';

/** As the clock of the runtime has it; `steady` measures durations where there is one. */
export interface HttpClock {
  now(): Date;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Milliseconds since a moment of no meaning. */
  steady?(): number;
}

export interface RetryPolicy {
  /** All tries, the first included. */
  readonly attempts: number;
  /**
   * `any-failure`: 429, 5xx, no answer in time, a broken connection; for what may be asked twice.
   * `not-processed`: only what cannot have been acted on: 429, and a connection that was never made.
   */
  readonly when: 'any-failure' | 'not-processed' | 'never';
}

/** What a try came to, as far as trying again is concerned. */
export type Tried =
  | { readonly status: number; readonly retryAfter: string | null }
  | { readonly fault: string; readonly mayHaveArrived: boolean };

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20_000;
const LONGEST_RETRY_AFTER_MS = 60_000;
const NOT_IMPLEMENTED = 501;

export const systemClock: HttpClock = {
  now: () => new Date(),
  steady: () => performance.now(),
  sleep: (ms, signal) =>
    timer(ms, undefined, signal === undefined ? {} : { signal }).catch((thrown: unknown) => {
      throw signal?.aborted ? signal.reason : thrown;
    }),
};

/** Full jitter: clients that lost one server do not come back as one. */
export function pauseBefore(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
}

/** Milliseconds until the next try after `attempt` tries; undefined when there is none. */
export function pauseAfter(
  tried: Tried,
  attempt: number,
  { attempts, when }: RetryPolicy,
  { clock, random }: { clock: HttpClock; random: () => number },
): number | undefined {
  if (attempt >= attempts || when === 'never' || !isTransient(tried, when)) return undefined;
  const asked = 'status' in tried ? retryAfterMs(tried.retryAfter, clock.now()) : undefined;
  const jitter = pauseBefore(asked === undefined ? attempt : 1, random);
  return (asked ?? 0) + jitter;
}

function isTransient(tried: Tried, when: 'any-failure' | 'not-processed'): boolean {
  if ('fault' in tried) return when === 'any-failure' || !tried.mayHaveArrived;
  if (tried.status === 429) return true;
  return when === 'any-failure' && tried.status >= 500 && tried.status !== NOT_IMPLEMENTED;
}

/** Seconds or an HTTP date; a past one is no wait, a far one is cut, one that is neither counts for nothing. */
export function retryAfterMs(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS);
}

/** The parser of the language takes `1.5` and `-3` for dates; an HTTP date starts with a day of the week. */
function httpDate(text: string): number {
  return /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
}
