/** The current time and sleeping; deciding code gets the time as an argument instead. */
export interface Clock {
  now(): Date;
  /** Resolves after this many milliseconds; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A clock that also measures durations, unaffected by changes of the wall clock. */
export interface SteadyClock extends Clock {
  /** Milliseconds since an arbitrary fixed moment; monotonic. */
  steady(): number;
}

/** The longest delay of a Node timer; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: SteadyClock = {
  now: () => new Date(),
  steady: () => performance.now(),
  sleep: async (ms, signal) => {
    for (let left = checkedDuration(ms); ; left -= LONGEST_TIMER_MS) {
      await timer(Math.min(left, LONGEST_TIMER_MS), signal);
      if (left <= LONGEST_TIMER_MS) return;
    }
  },
};

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(running);
      reject(signal?.reason);
    };
    const running = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** A negative duration becomes 0; NaN is a bug that would make a loop spin. */
export function checkedDuration(ms: number): number {
  if (Number.isNaN(ms)) throw new RangeError('the duration is not a number');
  return Math.max(0, ms);
}

/** Evenly spread, at least 0 and below 1. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();

/** The same seed gives the same numbers on every machine (Mulberry32). For jitter and simulations, never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The result of work as a value; waiting for it never throws. */
export type Outcome<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'thrown'; readonly thrown: unknown };

/** The same for work with a time limit; a result after the limit is ignored. */
export type BoundedOutcome<T> = Outcome<T> | { readonly kind: 'timeout' } | { readonly kind: 'aborted' };

export async function outcomeOf<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'value', value: await work() };
  } catch (thrown) {
    return { kind: 'thrown', thrown };
  }
}

/** Waits for work until the timeout or until the signal is aborted; either aborts the work's own signal. */
export async function outcomeWithin<T>(
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: number; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<BoundedOutcome<T>> {
  if (signal?.aborted) return { kind: 'aborted' };
  const { controller, unlink } = linked(signal);
  const limit = clock.sleep(ms, controller.signal).then(
    () => ({ kind: 'timeout' }) as const,
    () => ({ kind: 'aborted' }) as const,
  );
  const outcome = await Promise.race([outcomeOf(() => work(controller.signal)), limit]);
  unlink();
  controller.abort(new Error(`no response within ${ms / 1000} s`));
  return outcome;
}

/** A controller that is aborted together with the first of these signals, until it is unlinked. */
export function linked(...signals: readonly (AbortSignal | undefined)[]): {
  readonly controller: AbortController;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  const links = signals
    .filter((signal) => signal !== undefined)
    .map((signal) => ({ signal, follow: () => controller.abort(signal.reason) }));
  for (const { signal, follow } of links) {
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true });
  }
  return {
    controller,
    unlink: () => {
      for (const { signal, follow } of links) signal.removeEventListener('abort', follow);
    },
  };
}
