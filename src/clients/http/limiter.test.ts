import { describe, expect, it } from 'vitest';
import { limiter } from './limiter.ts';

describe('a limit on jobs at a time', () => {
  it.each([1, 2, 3])('of %i is reached and never passed', async (limit) => {
    const run = limiter(limit);
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, () =>
        run(async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise(setImmediate);
          running -= 1;
        }),
      ),
    );
    expect({ most, running }).toEqual({ most: limit, running: 0 });
  });

  it('starts jobs in the order they come, and gives each its own result', async () => {
    const run = limiter(2);
    const started: number[] = [];
    const results = await Promise.all(
      [0, 1, 2, 3, 4].map((job) =>
        run(async () => {
          started.push(job);
          await new Promise(setImmediate);
          return job * 10;
        }),
      ),
    );
    expect({ started, results }).toEqual({ started: [0, 1, 2, 3, 4], results: [0, 10, 20, 30, 40] });
  });

  it('gives the room of a job that failed to the next', async () => {
    const run = limiter(1);
    const failed = run(() => Promise.reject(new Error('no')));
    const after = run(async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await after).toBe('yes');
  });

  it.each([0, -1, 1.5, Number.NaN])('of %s is refused', (limit) => {
    expect(() => limiter(limit)).toThrow(RangeError);
  });
});
