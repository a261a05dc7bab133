import { describe, expect, it } from 'vitest';
import { EchelonError } from '../base/index.ts';
import { instantOf } from '../gates/index.ts';
import type { WatchState } from './view.ts';
import { endLines, type Watched, watch } from './watch.ts';

type Look = { readonly left: number; readonly blind?: string } | 'fails' | 'a bug' | 'interrupts';

const AWAY = new EchelonError({ code: 'AWAY', message: 'the server is away', hint: 'wait' });

/** Watches what each look finds; every look takes a second. */
async function watched(looks: readonly Look[], timeout?: number) {
  const [shown, stop]: [WatchState[], AbortController] = [[], new AbortController()];
  const left = [...looks];
  let time = 0;
  const ended = await watch<Exclude<Look, string>>(
    {
      observe: async () => {
        const look = left.shift() ?? 'interrupts';
        time += 1_000;
        if (look === 'a bug') throw new TypeError('a bug');
        if (look === 'fails') throw AWAY;
        if (look !== 'interrupts') return look;
        stop.abort();
        throw stop.signal.reason;
      },
      viewOf: ({ left: number, blind }) => ({
        ...(number === 0 ? {} : { awaited: { what: `${number} shards`, causes: [] } }),
        ...(blind === undefined ? {} : { blind }),
        table: { titles: ['NAME', 'LEFT', 'WHY'], rows: [['a', String(number), '-']] },
        rows: [{ key: 'a', name: 'a', isAwaited: number > 0 }],
        notes: [],
      }),
      show: (state) => shown.push(state),
      now: () => instantOf(time),
      elapsed: () => time,
      sleep: async (milliseconds) => {
        time += milliseconds;
      },
      signal: stop.signal,
    },
    { interval: 2_000, ...(timeout === undefined ? {} : { timeout }) },
  );
  const states = shown.map(({ view, changed, failure }) => [view.table.rows[0]?.[1], changed.size, failure]);
  return { ended, states };
}

const summary = ({ seen, end, failure }: Watched<{ left: number }>) => [seen.left, end, failure];

describe('a watch', () => {
  it.each<{ given: string; looks: Look[]; timeout?: number; ends: unknown[]; states: unknown[][] }>([
    {
      given: 'nothing is waited for',
      looks: [{ left: 0 }],
      ends: [0, 'settled', undefined],
      states: [['0', 0, undefined]],
    },
    {
      given: 'it settles',
      looks: [{ left: 2 }, { left: 2 }, { left: 0 }],
      ends: [0, 'settled', undefined],
      states: [
        ['2', 0, undefined],
        ['2', 0, undefined],
        ['0', 1, undefined],
      ],
    },
    {
      given: 'the server goes away and comes back',
      looks: [{ left: 2 }, 'fails', { left: 1 }, { left: 0 }],
      ends: [0, 'settled', undefined],
      states: [
        ['2', 0, undefined],
        ['2', 0, 'the server is away [AWAY]'],
        ['1', 1, undefined],
        ['0', 1, undefined],
      ],
    },
    {
      given: 'an observation sees nothing: that is no end, and the last good one stays',
      looks: [{ left: 2 }, { left: 0, blind: 'all is dark' }, 'interrupts'],
      ends: [2, 'interrupted', 'all is dark'],
      states: [
        ['2', 0, undefined],
        ['2', 0, 'all is dark'],
      ],
    },
    {
      given: 'nothing was ever seen',
      looks: [{ left: 3, blind: 'dark' }, { left: 3, blind: 'still dark' }, { left: 0 }],
      ends: [0, 'settled', undefined],
      states: [
        ['3', 0, 'dark'],
        ['3', 0, 'still dark'],
        ['0', 1, undefined],
      ],
    },
    {
      given: 'the user interrupts while the server is away',
      looks: [{ left: 2 }, 'fails', 'interrupts'],
      ends: [2, 'interrupted', 'the server is away [AWAY]'],
      states: [
        ['2', 0, undefined],
        ['2', 0, 'the server is away [AWAY]'],
      ],
    },
    {
      given: 'the time is over',
      looks: [{ left: 2 }, { left: 1 }, { left: 1 }],
      timeout: 5_000,
      ends: [1, 'timed-out', undefined],
      states: [['2', 0, undefined]],
    },
  ])('$given', async ({ looks, timeout, ends, states }) => {
    const found = await watched(looks, timeout);
    expect(summary(found.ended)).toEqual(ends);
    expect(found.states).toEqual(states);
  });

  it('ends with the error of its first observation, and with any bug', async () => {
    await expect(watched(['fails'])).rejects.toBe(AWAY);
    await expect(watched([{ left: 1 }, 'a bug'])).rejects.toThrow('a bug');
  });

  it('that ends early says what is still waited for, and what failed', async () => {
    const away = await watched([{ left: 2 }, 'fails', 'interrupts']);
    expect(endLines(away.ended)).toEqual([
      'error: the last observation failed: the server is away [AWAY]',
      'interrupted, still waiting for 2 shards',
    ]);
    expect(endLines((await watched([{ left: 2 }], 0)).ended)).toEqual(['timed out, still waiting for 2 shards']);
    expect(endLines((await watched([{ left: 0 }])).ended)).toEqual([]);
  });
});
