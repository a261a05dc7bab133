import { setTimeout as sleepFor } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EchelonError } from '../base/index.ts';
import type { Observe } from './observe.ts';
import type { ShardsData, UpgradesData } from './state.ts';
import { createWatch, observedAgain } from './watch.ts';

const DATA: ShardsData = { revision: 'r', shards: [], faults: [], errors: 0, pins: [], versions: [] };
const early = (): void => undefined;
const sleep = (milliseconds: number, signal: AbortSignal) => sleepFor(milliseconds, undefined, { signal });
const at = { now: () => new Date(1_000), signal: new AbortController().signal };
const failing: Observe<ShardsData> = async () => {
  throw new EchelonError({ code: 'X', message: 'it is down', hint: 'wait' });
};
const seeing: Observe<ShardsData> = async () => ({ kind: 'seen', data: DATA });
const ERROR = { code: 'X', message: 'it is down', hint: 'wait' };

describe('a look', () => {
  it('that fails first tells why', async () => {
    expect(await observedAgain({ kind: 'waiting' }, failing, at)).toEqual({
      kind: 'failed',
      at: 1_000_000,
      error: ERROR,
    });
  });

  it('that fails later leaves what was known, with its time', async () => {
    const known = { kind: 'known', asOf: 5, data: DATA } as Parameters<typeof observedAgain<ShardsData>>[0];
    expect(await observedAgain(known, failing, at)).toEqual({ ...known, error: ERROR });
  });

  it('that works forgets the failure', async () => {
    const failed = await observedAgain({ kind: 'waiting' }, failing, at);
    expect(await observedAgain(failed, seeing, at)).toEqual({ kind: 'known', asOf: 1_000_000, data: DATA });
  });

  it('that meets a fault of ours says so, and does not stop the console', async () => {
    const broken: Observe<ShardsData> = async () => {
      throw new TypeError('x is undefined');
    };
    expect(await observedAgain({ kind: 'waiting' }, broken, at)).toMatchObject({ error: { code: 'INTERNAL' } });
  });
});

describe('a look that takes long', () => {
  it('is shown as far as it is, and then as it ends', async () => {
    const shown: unknown[] = [];
    const slow: Observe<ShardsData> = async (_, show) => {
      show({ ...DATA, revision: 'half' });
      return { kind: 'seen', data: DATA };
    };
    const ended = await observedAgain({ kind: 'waiting' }, slow, { ...at, onEarly: (half) => shown.push(half) });
    expect(shown).toEqual([{ kind: 'known', asOf: 1_000_000, data: { ...DATA, revision: 'half' } }]);
    expect(ended).toEqual({ kind: 'known', asOf: 1_000_000, data: DATA });
  });
});

describe('the watch', () => {
  it('shows clusters while their forecast is made', async () => {
    const ended = new AbortController();
    const data = {
      ...{
        clusters: [
          {
            id: 'a',
            version: '4.18.1',
            environment: 'e',
            orgId: 'o',
            uuid: 'u',
            candidates: [],
            policy: {},
            before: [],
          },
        ],
        ...{ notes: [], report: [], past: new Map(), recorded: new Map() },
      },
      forecast: { clusters: [] },
      plan: { environments: [], organizations: [] },
    } as unknown as UpgradesData;
    const seen: unknown[] = [];
    const watch = createWatch({
      upgrades: async (_, show) => {
        show({ ...data, outlook: { kind: 'making' } });
        seen.push(watch.state());
        ended.abort();
        return { kind: 'seen', data: { ...data, outlook: { kind: 'ready' } } };
      },
      shards: async () => ({ kind: 'absent', message: '', hint: '' }),
      ...{ refreshSeconds: 3_600, clock: { now: at.now }, signal: ended.signal, sleep },
      onChange: () => undefined,
    });
    await watch.run();
    const versionChanges = new Map([['a', [{ version: '4.18.1', since: 1_000_000 }]]]);
    expect(seen).toMatchObject([
      { upgrades: { kind: 'known', data: { outlook: { kind: 'making' } } }, versionChanges },
    ]);
    expect(watch.state()).toMatchObject({ upgrades: { data: { outlook: { kind: 'ready' } } }, versionChanges });
  });

  it('keeps one half when the other fails, tells it once, and ends with the signal', async () => {
    const ended = new AbortController();
    const told: unknown[] = [];
    const watch = createWatch({
      upgrades: async () => failing(at.signal, early) as never,
      shards: async () => {
        setImmediate(() => ended.abort());
        return seeing(at.signal, early);
      },
      ...{ refreshSeconds: 3_600, clock: { now: at.now }, signal: ended.signal, sleep },
      onChange: (...change) => told.push(change),
    });
    expect(watch.state()).toMatchObject({ upgrades: { kind: 'waiting' }, shards: { kind: 'waiting' } });
    await watch.run();
    expect(watch.state()).toMatchObject({ upgrades: { kind: 'failed', error: ERROR }, shards: { kind: 'known' } });
    expect(told).toEqual([['clusters', 'it is down [X]']]);
  });

  it('never looks twice at once', async () => {
    const ended = new AbortController();
    let looking = 0;
    let most = 0;
    let looks = 0;
    const watch = createWatch({
      upgrades: async () => ({ kind: 'absent', message: '', hint: '' }),
      shards: async () => {
        looking += 1;
        most = Math.max(most, looking);
        await new Promise((resolve) => setImmediate(resolve));
        looking -= 1;
        looks += 1;
        if (looks === 5) ended.abort();
        return seeing(at.signal, early);
      },
      ...{ refreshSeconds: 0, clock: { now: at.now }, signal: ended.signal, sleep },
      onChange: () => undefined,
    });
    await watch.run();
    expect({ looks, most }).toEqual({ looks: 5, most: 1 });
  });
});
