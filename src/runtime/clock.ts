/** Time as it passes for whoever asks; never read from the environment by code that decides. */
export interface Clock {
  now(): Date;
  /** Ends after so many milliseconds; rejects with the reason of the signal as soon as that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A clock that also measures: durations do not change when somebody sets the time of day. */
export interface SteadyClock extends Clock {
  /** Milliseconds since a fixed moment of no meaning; never goes back. */
  steady(): number;
}

/** The longest that a timer of Node can wait; a longer one would fire at once. */
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

/** A moment in the past is now; no number at all is a bug that would make a loop spin. */
export function checkedDuration(ms: number): number {
  if (Number.isNaN(ms)) throw new RangeError('a duration that is not a number');
  return Math.max(0, ms);
}
