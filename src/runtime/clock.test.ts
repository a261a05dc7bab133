import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../test/support/virtual-clock.ts';
import { linked, outcomeWithin, seededRandom, systemClock, systemRandom } from './clock.ts';

describe('the clock of the system', () => {
  it('wakes, and never measures backwards', async () => {
    const start = systemClock.steady();
    await systemClock.sleep(1);
    expect(systemClock.steady()).toBeGreaterThanOrEqual(start);
    expect(systemClock.now()).toBeInstanceOf(Date);
  });

  it('wakes at once, with the reason, when it is aborted', async () => {
    const stop = new AbortController();
    const longest = systemClock.sleep(Number.POSITIVE_INFINITY, stop.signal);
    stop.abort('enough');
    await expect(longest).rejects.toBe('enough');
    await expect(systemClock.sleep(1, stop.signal)).rejects.toBe('enough');
  });

  it('takes a moment in the past for now, and refuses what is no number', async () => {
    await systemClock.sleep(-1);
    await expect(systemClock.sleep(Number.NaN)).rejects.toThrow(RangeError);
  });
});

const take = (random: () => number, count: number): number[] => Array.from({ length: count }, random);

describe('seeded random numbers', () => {
  it('repeat with their seed and differ between seeds', () => {
    expect(take(seededRandom(7), 50)).toEqual(take(seededRandom(7), 50));
    const firsts = Array.from({ length: 1000 }, (_, seed) => seededRandom(seed)());
    expect(new Set(firsts).size).toBe(1000);
  });

  it.each([0, 1, -1, 42, 2 ** 31, 1e12])('of seed %d fill the range from 0 to 1 evenly', (seed) => {
    const numbers = take(seededRandom(seed), 10_000);
    const tenths = Array.from({ length: 10 }, (_, n) => numbers.filter((x) => Math.floor(x * 10) === n).length);
    expect(tenths.reduce((sum, n) => sum + n)).toBe(10_000);
    expect(Math.min(...tenths)).toBeGreaterThan(850);
    expect(Math.max(...tenths)).toBeLessThan(1150);
  });
});

it('the random numbers of the system are in the same range', () => {
  expect(take(systemRandom, 1000).every((x) => x >= 0 && x < 1)).toBe(true);
});

const clock = virtualClock(new Date(0));

describe('waiting for an outcome', () => {
  it('gives what was returned or thrown, and leaves no timer behind', async () => {
    expect(await outcomeWithin({ clock, ms: 10 }, async () => 5)).toEqual({ kind: 'value', value: 5 });
    const failing = outcomeWithin({ clock, ms: 10 }, () => Promise.reject('no'));
    expect(await failing).toEqual({ kind: 'thrown', thrown: 'no' });
    expect(clock.sleeping()).toBe(0);
  });

  it.each(['timeout', 'aborted'] as const)('ends with %s while the work hangs, and tells the work', async (kind) => {
    const stop = new AbortController();
    let told: AbortSignal | undefined;
    const waiting = outcomeWithin({ clock, ms: 10, signal: stop.signal }, (signal) => {
      told = signal;
      return new Promise(() => undefined);
    });
    if (kind === 'aborted') stop.abort('enough');
    else await clock.advance(10);
    expect(await waiting).toEqual({ kind });
    expect(told?.aborted).toBe(true);
    expect(clock.sleeping()).toBe(0);
  });

  it('does not begin when it is aborted already', async () => {
    let begun = false;
    const work = async (): Promise<void> => {
      begun = true;
    };
    expect(await outcomeWithin({ clock, ms: 10, signal: AbortSignal.abort() }, work)).toEqual({ kind: 'aborted' });
    expect(begun).toBe(false);
  });
});

describe('a linked controller', () => {
  it('follows the first of several signals', () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const { controller } = linked(one.signal, undefined, two.signal);
    expect(controller.signal.aborted).toBe(false);
    two.abort('two');
    one.abort('one');
    expect(controller.signal.reason).toBe('two');
  });

  it('follows the signal until it is unlinked', () => {
    const stop = new AbortController();
    const [follows, unlinked] = [linked(stop.signal), linked(stop.signal)];
    unlinked.unlink();
    stop.abort('enough');
    expect([follows.controller.signal.reason, unlinked.controller.signal.aborted]).toEqual(['enough', false]);
    expect(linked(stop.signal).controller.signal.reason).toBe('enough');
  });
});
