import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';

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
