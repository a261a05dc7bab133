import { checkedDuration, type SteadyClock } from './clock.ts';

/** A clock that stands still until it is advanced: for tests and simulators. */
export interface VirtualClock extends SteadyClock {
  /**
   * Lets time pass. Sleepers wake one by one in the order of their time, then of their going to sleep; whatever each
   * sets off without waiting for the outside world has happened before the next wakes. Calls take turns.
   */
  advance(ms: number): Promise<void>;
  /** The same, up to a moment; one in the past changes nothing. */
  advanceTo(moment: Date): Promise<void>;
  /** The same, for as long as anybody sleeps who will ever wake; throws when there is no end to it. */
  runUntilIdle(mostWakes?: number): Promise<void>;
  /** How many sleep. */
  sleeping(): number;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const MOST_WAKES = 100_000;
const NEVER = Number.POSITIVE_INFINITY;

/** What is due at the same millisecond wakes in the order of going to sleep: the same on every run. */
export function virtualClock(start: Date): VirtualClock {
  const origin = start.getTime();
  let now = origin;
  let sleepers: Sleeper[] = [];
  let turns: Promise<unknown> = Promise.resolve();

  const nextWake = (): number => sleepers[0]?.at ?? NEVER;
  const wakeNext = async (): Promise<void> => {
    const next = sleepers.shift();
    if (next === undefined) return;
    now = Math.max(now, next.at);
    next.wake();
    await settled();
  };
  const advanceUntil = async (moment: number): Promise<void> => {
    await settled();
    if (moment === NEVER) throw new RangeError('time cannot pass without end');
    while (nextWake() <= moment) await wakeNext();
    now = Math.max(now, moment);
    await settled();
  };
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = turns.then(work);
    turns = done.catch(() => undefined);
    return done;
  };

  return {
    now: () => new Date(now),
    steady: () => now - origin,
    sleeping: () => sleepers.length,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = (): void => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        const sleeper = {
          at: now + checkedDuration(ms),
          wake: () => {
            signal?.removeEventListener('abort', stop);
            resolve();
          },
        };
        sleepers.splice(sleepers.findLastIndex(({ at }) => at <= sleeper.at) + 1, 0, sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      }),
    advance: (ms) => inTurn(() => advanceUntil(now + checkedDuration(ms))),
    advanceTo: (moment) => inTurn(() => advanceUntil(checkedDuration(moment.getTime()))),
    runUntilIdle: (mostWakes = MOST_WAKES) =>
      inTurn(async () => {
        await settled();
        for (let wakes = 0; nextWake() < NEVER; wakes += 1) {
          if (wakes === mostWakes) throw new Error(`still ${sleepers.length} asleep after ${mostWakes} wakes`);
          await wakeNext();
        }
      }),
  };
}

/** Ends after every promise that can go on without the outside world has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
