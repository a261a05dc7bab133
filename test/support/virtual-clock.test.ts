import { describe, expect, it } from 'vitest';
import { virtualClock } from './virtual-clock.ts';

const START = new Date('2026-01-01T00:00:00Z');

/** Notes who woke when, in seconds after the start. */
function notebook() {
  const clock = virtualClock(START);
  const woken: string[] = [];
  const note = (name: string): void => void woken.push(`${name}@${clock.steady() / 1000}`);
  return { clock, woken, note };
}

describe('a virtual clock', () => {
  it('stands still until it is advanced', async () => {
    const { clock, woken, note } = notebook();
    clock.sleep(1000).then(() => note('a'));
    await clock.advance(999);
    expect([woken, clock.now().toISOString(), clock.sleeping()]).toEqual([[], '2026-01-01T00:00:00.999Z', 1]);
    await clock.advance(1);
    expect([woken, clock.sleeping()]).toEqual([['a@1'], 0]);
  });

  it('wakes by time, then by who slept first', async () => {
    const { clock, woken, note } = notebook();
    for (const [name, seconds] of [
      ['c', 3],
      ['a', 1],
      ['b', 2],
      ['a2', 1],
      ['now', 0],
    ] as const)
      clock.sleep(seconds * 1000).then(() => note(name));
    await clock.advance(10_000);
    expect(woken).toEqual(['now@0', 'a@1', 'a2@1', 'b@2', 'c@3']);
  });

  it('lets chains of sleeps pass within one advance, each at its own time', async () => {
    const { clock, woken, note } = notebook();
    const chain = async (name: string, seconds: number): Promise<void> => {
      for (let link = 0; link < 3; link += 1) {
        await clock.sleep(seconds * 1000);
        await Promise.resolve().then(() => undefined);
        note(name);
      }
    };
    const chains = [chain('two', 2), chain('three', 3)];
    await clock.advance(60_000);
    await Promise.all(chains);
    expect(woken).toEqual(['two@2', 'three@3', 'two@4', 'three@6', 'two@6', 'three@9']);
    expect(clock.steady()).toBe(60_000);
  });

  it('wakes with the reason when it is aborted, and forgets the sleeper', async () => {
    const { clock } = notebook();
    const stop = new AbortController();
    const slept = clock.sleep(1000, stop.signal);
    stop.abort('enough');
    await expect(slept).rejects.toBe('enough');
    await expect(clock.sleep(1, stop.signal)).rejects.toBe('enough');
    expect(clock.sleeping()).toBe(0);
  });

  it('goes on until nobody sleeps any more, except who sleeps forever', async () => {
    const { clock, woken, note } = notebook();
    clock.sleep(5000).then(async () => {
      note('first');
      await clock.sleep(7000);
      note('second');
    });
    clock.sleep(Number.POSITIVE_INFINITY).then(() => note('never'));
    await clock.runUntilIdle();
    expect([woken, clock.steady(), clock.sleeping()]).toEqual([['first@5', 'second@12'], 12_000, 1]);
  });

  it('says when there is no end to it', async () => {
    const { clock } = notebook();
    const forever = async (): Promise<void> => {
      for (;;) await clock.sleep(1);
    };
    void forever();
    await expect(clock.runUntilIdle(50)).rejects.toThrow('still 1 asleep after 50 wakes');
    await expect(clock.advance(Number.POSITIVE_INFINITY)).rejects.toThrow(RangeError);
  });

  it('advances to a moment, and never back', async () => {
    const { clock } = notebook();
    await clock.advanceTo(new Date('2026-01-02T00:00:00Z'));
    await clock.advanceTo(START);
    expect(clock.now().toISOString()).toBe('2026-01-02T00:00:00.000Z');
  });

  it('adds up advances that were asked for at the same time, also from a sleeper', async () => {
    const { clock } = notebook();
    let inner: Promise<void> | undefined;
    clock.sleep(500).then(() => {
      inner = clock.advance(4000);
    });
    await Promise.all([clock.advance(1000), clock.advance(2000)]);
    await inner;
    expect(clock.steady()).toBe(7000);
  });
});
