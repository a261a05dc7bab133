import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { mapLimited } from './concurrency.ts';

/** Tasks that end when they are told to, and a count of those that run. */
function manualTasks() {
  const ends = new Map<number, (failed?: unknown) => void>();
  let running = 0;
  let most = 0;
  const task = (item: number): Promise<string> =>
    new Promise((resolve, reject) => {
      running += 1;
      most = Math.max(most, running);
      ends.set(item, (failed) => {
        running -= 1;
        ends.delete(item);
        if (failed === undefined) resolve(`done ${item}`);
        else reject(failed);
      });
    });
  return { task, ends, most: () => most, running: () => running };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('mapping with a limit', () => {
  it('keeps the order of the items, whatever the order in which they end, and never runs more than the limit', async () => {
    const { task, ends, most } = manualTasks();
    const all = mapLimited([1, 2, 3, 4, 5], 2, task);
    const waves: number[][] = [];
    while (ends.size > 0) {
      waves.push([...ends.keys()]);
      [...ends.values()].at(-1)?.();
      await turn();
    }
    expect(await all).toEqual(['done 1', 'done 2', 'done 3', 'done 4', 'done 5']);
    expect(waves).toEqual([[1, 2], [1, 3], [1, 4], [1, 5], [1]]);
    expect(most()).toBe(2);
  });

  it('equals a plain map, for any items and limit', async () => {
    const runs: Promise<void>[] = [];
    holds(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 9 }), (items, limit) => {
        runs.push(
          mapLimited(items, limit, (item, index) => `${index}:${item}`).then((got) =>
            expect(got).toEqual(items.map((item, index) => `${index}:${item}`)),
          ),
        );
      }),
    );
    await Promise.all(runs);
  });

  it('takes items only when it can start them', async () => {
    const taken: number[] = [];
    function* items() {
      for (let item = 0; item < 100; item += 1) {
        taken.push(item);
        yield item;
      }
    }
    const { task, ends } = manualTasks();
    const all = mapLimited(items(), 3, task).catch((thrown: unknown) => thrown);
    expect(taken).toEqual([0, 1, 2]);
    ends.get(1)?.();
    await turn();
    expect(taken).toEqual([0, 1, 2, 3]);
    for (const end of [...ends.values()]) end('stop');
    expect(await all).toBe('stop');
  });

  it('starts nothing after a failure, tells the others, and fails only when they have ended', async () => {
    const { task, ends, running } = manualTasks();
    const signals: AbortSignal[] = [];
    let failed: unknown;
    const all = mapLimited([1, 2, 3, 4], 2, (item, _index, signal) => {
      signals.push(signal);
      return task(item);
    }).catch((thrown: unknown) => {
      failed = thrown;
    });
    const fault = new Error('item 1 is broken');
    ends.get(1)?.(fault);
    await turn();
    expect([[...ends.keys()], signals[0]?.aborted, failed]).toEqual([[2], true, undefined]);
    ends.get(2)?.(new Error('a later fault'));
    await all;
    expect([failed, running()]).toEqual([fault, 0]);
  });

  it('ends with the reason of the abort, after what ran', async () => {
    const { task, ends } = manualTasks();
    const stop = new AbortController();
    const all = mapLimited([1, 2, 3], 1, task, stop.signal).catch((thrown: unknown) => thrown);
    stop.abort('shutting down');
    ends.get(1)?.();
    expect(await all).toBe('shutting down');
    expect(ends.size).toBe(0);
  });

  it('starts nothing when it is aborted already', async () => {
    const { task, most } = manualTasks();
    await expect(mapLimited([1], 1, task, AbortSignal.abort('no'))).rejects.toBe('no');
    expect(most()).toBe(0);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses a limit of %s', async (limit) => {
    await expect(mapLimited([1], limit, (item) => item)).rejects.toThrow(RangeError);
  });
});
