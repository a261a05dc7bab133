import { describe, expect, it } from 'vitest';
import { instantOf, later, MICROS } from '../../gates/index.ts';
import type { BoardTrack } from '../../rollouts/index.ts';
import type { ConsoleShard, ConsoleState, ShardsData } from '../state.ts';
import { agedProblems, firstSeenNow, problemsOf } from './problems.ts';

const NOW = instantOf(Date.parse('2026-11-16T10:00:00Z'));
const FAULT = { code: 'KUBE_UNREACHABLE', message: 'far: no response', hint: 'check it' };

function shard(more: Partial<ConsoleShard>): ConsoleShard {
  return {
    ...{ cluster: 'lab', namespace: 'ns', kind: 'Deployment', name: 'x', integration: 'i', shard: 's' },
    ...{ state: 'converged', ready: 1, wanted: 1, ...more },
  };
}

const TRACK: BoardTrack = {
  ...{ track: 't', environment: 'prod', upstream: 'u', target: 'r:2', version: '2', state: 'under-way' },
  ...{ alerts: [], waves: [] },
};

function pin(days: number | undefined, more: object = {}): ShardsData['pins'][number] {
  const about = { integration: 'i', shard: 's', cluster: 'lab', namespace: 'ns', imageRef: 'abc', environment: 'prod' };
  const since = days === undefined ? {} : { since: new Date(Date.parse('2026-11-16T10:00:00Z') - days * 86_400_000) };
  return { pin: { ...about, file: '/f.yml' }, expired: false, ...since, ...more };
}

function stateOf(shards: Partial<ShardsData>, more: Partial<ConsoleState> = {}): ConsoleState {
  const data: ShardsData = { revision: 'r', shards: [], faults: [], errors: 0, pins: [], versions: [], ...shards };
  return {
    ...{ startedAt: NOW, version: 0, refreshSeconds: 300, upgrades: { kind: 'absent', message: '', hint: '' } },
    ...{ shards: { kind: 'known', asOf: NOW, data }, sighted: new Map(), firstSeen: new Map(), links: [], ...more },
  };
}

const told = (state: ConsoleState): string[] =>
  problemsOf(state).map(({ severity, where, message }) => `${severity} ${where}: ${message}`);

describe('what needs a human', () => {
  it.each([
    { given: 'nothing', shards: {}, says: [] },
    {
      given: 'shards that are settled',
      shards: { shards: (['converged', 'pinned', 'held', 'disabled'] as const).map((state) => shard({ state })) },
      says: [],
    },
    {
      given: 'a cluster that cannot be reached',
      shards: {
        faults: [FAULT],
        shards: Array.from({ length: 57 }, () => shard({ state: 'unknown', cluster: 'far', reason: FAULT.message })),
      },
      says: ['error far: 57 shards unknown: far: no response'],
    },
    {
      given: 'a namespace without shards that cannot be read',
      shards: { faults: [FAULT] },
      says: ['error shards: far: no response'],
    },
    {
      given: 'shards of one integration that crash, and one that lags',
      shards: {
        shards: [
          shard({ state: 'lagging', reason: '0 of 1 pods are ready' }),
          shard({ state: 'lagging', reason: 'CrashLoopBackOff' }),
          shard({ state: 'lagging', reason: 'ImagePullBackOff' }),
        ],
      },
      says: ['error i: 2 shards crashing: s: CrashLoopBackOff', 'warning i: 1 shard lagging: s: 0 of 1 pods are ready'],
    },
    {
      given: 'a reason that only looks like a crash',
      shards: { shards: [shard({ state: 'lagging', reason: 'conflict: Error' })] },
      says: ['warning i: 1 shard lagging: s: conflict: Error'],
    },
    {
      given: 'a halted rollout',
      shards: {
        rollouts: {
          tracks: [
            {
              ...TRACK,
              state: 'halted',
              alerts: [{ kind: 'halted', shard: 'i/s', image: 'r:2', reason: 'w', at: NOW }],
            },
          ],
          orphans: [],
        },
      },
      says: ['error prod/t: the rollout of 2 is halted: i/s: w'],
    },
    {
      given: 'a rejected image',
      shards: { rollouts: { tracks: [{ ...TRACK, state: 'rejected' }], orphans: [] } },
      says: ['warning prod/t: the rollout of 2 is rejected'],
    },
    { given: 'a pin of 14 days', shards: { pins: [pin(14)] }, says: [] },
    { given: 'a pin of more', shards: { pins: [pin(14.01)] }, says: ['warning i/s: pinned to abc, without a reason'] },
    { given: 'a pin of unknown age', shards: { pins: [pin(undefined)] }, says: [] },
    { given: 'errors', shards: { errors: 2 }, says: ['error instance: 2 errors in the instance'] },
  ] satisfies { given: string; shards: Partial<ShardsData>; says: string[] }[])('with $given', ({ shards, says }) => {
    expect(told(stateOf(shards))).toEqual(says);
  });

  it('is also an observation that failed, whose data is kept', () => {
    const { shards } = stateOf({});
    expect(told(stateOf({}, { shards: { ...shards, error: FAULT } as ConsoleState['shards'] }))).toEqual([
      'error shards: observation failed: far: no response',
    ]);
  });
});

describe('the age of a problem', () => {
  const lag = (reason: string) => stateOf({ shards: [shard({ state: 'lagging', reason })] });
  it('is counted from the first observation that saw it, while it lasts', () => {
    const first = firstSeenNow(new Map(), problemsOf(lag('1 of 2')), NOW);
    const second = firstSeenNow(first, problemsOf(lag('0 of 2')), later(NOW, MICROS.hour));
    expect([...second.values()]).toEqual([NOW]);
    const over = firstSeenNow(second, problemsOf(stateOf({})), later(NOW, 2 * MICROS.hour));
    expect(over.size).toBe(0);
    expect([...firstSeenNow(over, problemsOf(lag('x')), later(NOW, MICROS.day)).values()]).toEqual([
      later(NOW, MICROS.day),
    ]);
  });

  it('is its own where it has a date', () => {
    const [problem] = agedProblems(stateOf({ pins: [pin(20)] }));
    expect(problem).toMatchObject({ since: later(NOW, -20 * MICROS.day), isFirstSeen: false });
  });
});
