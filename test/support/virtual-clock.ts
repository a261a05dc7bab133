import { checkedDuration, type SteadyClock } from '../../src/runtime/clock.ts';

/** A clock that advances only on request. */
export interface VirtualClock extends SteadyClock {
  /**
   * Advances the time. Sleepers wake one by one in the order of their wake time, then of their start; whatever each
   * triggers without waiting for I/O has completed before the next wakes. Calls are serialized.
   */
  advance(ms: number): Promise<void>;
  /** The same, up to a moment; one in the past changes nothing. */
  advanceTo(moment: Date): Promise<void>;
  /** The same until no sleeper is left that will ever wake; throws after `mostWakes`. */
  runUntilIdle(mostWakes?: number): Promise<void>;
  /** Number of sleepers. */
  sleeping(): number;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const MOST_WAKES = 100_000;
const NEVER = Number.POSITIVE_INFINITY;

/** Sleepers due at the same millisecond wake in the order they started: the same on every run. */
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
    if (moment === NEVER) throw new RangeError('cannot advance without end');
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

/** Resolves after every promise that does not wait for I/O has settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
