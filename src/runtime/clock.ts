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
