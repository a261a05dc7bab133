import { describe, expect, it } from 'vitest';
import { consoleFacts, consoleState } from '../../../test/support/console-state.ts';
import { type Instant, instantOf, later, MICROS, parseInstant } from '../../gates/index.ts';
import type { BoardShard, BoardTrack, BoardWave, RolloutBoard } from '../../rollouts/index.ts';
import type { ClusterExplanation, PlannedOrganization } from '../../upgrades/index.ts';
import { agedProblems, problemsOf } from '../derive.ts';
import { endedFreezes } from '../observe.ts';
import type { ConsoleShard, ConsoleState, ShardsData, UpgradesData } from '../state.ts';
import { upgradeProblems } from './problem-sources.ts';

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

const HOUR_AGO = later(NOW, -MICROS.hour);
const CELL: BoardShard = { id: 'i/s', environment: 'prod', state: 'held', reason: 'held' };

function boardOf(track: Partial<BoardTrack>): RolloutBoard {
  return { tracks: [{ ...TRACK, ...track }], orphans: [], ended: [] };
}

function alert(kind: BoardTrack['alerts'][number]['kind'], reason: string): BoardTrack['alerts'][number] {
  return { kind, shard: 'i/s', image: 'r:2', reason, at: HOUR_AGO };
}

function gate(name: string, ok: boolean, reason = ''): NonNullable<BoardShard['gates']>[number] {
  return { gate: name, ok, reason } as NonNullable<BoardShard['gates']>[number];
}

function wave(gates: NonNullable<BoardShard['gates']>, more: { name?: string | undefined } = { name: 'w' }): BoardWave {
  const counts = { state: 'closed', counting: 1, onTarget: 0, soaked: 0 } as const;
  return { ...counts, ...more, shards: [{ ...CELL, gates }] } as BoardWave;
}

function ended(kind: 'overrule' | 'freeze'): RolloutBoard['ended'][number] {
  return { kind, name: 'the x', reason: 'why', until: HOUR_AGO };
}

function pin(days: number | undefined, more: object = {}): ShardsData['pins'][number] {
  const about = { integration: 'i', shard: 's', cluster: 'lab', namespace: 'ns', imageRef: 'abc', environment: 'prod' };
  const since = days === undefined ? {} : { since: new Date(Date.parse('2026-11-16T10:00:00Z') - days * 86_400_000) };
  return { pin: { ...about, file: '/f.yml' }, expired: false, ...since, ...more };
}

function stateOf(shards: Partial<ShardsData>, error?: typeof FAULT): ConsoleState {
  const data: ShardsData = { revision: 'r', shards: [], faults: [], errors: 0, pins: [], versions: [], ...shards };
  const half = { kind: 'known' as const, asOf: NOW, data, ...(error === undefined ? {} : { error }) };
  return consoleState(consoleFacts({ startedAt: NOW, shards: half }));
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
          ...{ orphans: [], ended: [] },
        },
      },
      says: ['error prod/t: the rollout of 2 is halted: i/s: w'],
    },
    {
      given: 'a rejected image',
      shards: { rollouts: boardOf({ state: 'rejected' }) },
      says: ['warning prod/t: the rollout of 2 is rejected'],
    },
    {
      given: 'a paused track',
      shards: { rollouts: boardOf({ state: 'paused', stoppedBy: { reason: 'INC-1', at: HOUR_AGO } }) },
      says: ['warning prod/t: the rollout of 2 is paused: INC-1'],
    },
    {
      given: 'a difference that nobody accepted',
      shards: { rollouts: boardOf({ alerts: [alert('shadow-differs', 'its shadow differs')] }) },
      says: ['error prod/t: i/s: its shadow differs'],
    },
    {
      given: 'a query that is not as expected, and one that is',
      shards: { rollouts: boardOf({ waves: [wave([gate('pinned', true), gate('queries', false, 'errors is 7')])] }) },
      says: ['warning prod/t: the rollout of 2 waits for its queries: errors is 7'],
    },
    {
      given: 'gates that only time opens',
      shards: {
        rollouts: boardOf({ waves: [wave([gate('wave', false), gate('window', false), gate('queries', true)])] }),
      },
      says: [],
    },
    {
      given: 'shards that no wave selects',
      shards: { rollouts: boardOf({ waves: [wave([], { name: undefined })] }) },
      says: ['warning prod/t: 1 shard of the track in no wave: i/s'],
    },
    {
      given: 'the same of a completed rollout',
      shards: { rollouts: boardOf({ state: 'complete', waves: [wave([], { name: undefined })] }) },
      says: [],
    },
    {
      given: 'a shard without a track',
      shards: { rollouts: { ...boardOf({}), orphans: [CELL] } },
      says: ['warning rollouts: 1 shard held without a track: i/s: held'],
    },
    {
      given: 'decisions that are over',
      shards: { rollouts: { ...boardOf({}), ended: [ended('overrule'), ended('freeze'), ended('freeze')] } },
      says: [
        'warning rollouts.yml: the x (why) is over and still in the file',
        'warning rollouts.yml: the x (why) and 1 other are over and still in the file',
      ],
    },
    { given: 'a pin of 14 days', shards: { pins: [pin(14)] }, says: [] },
    { given: 'a pin of more', shards: { pins: [pin(14.01)] }, says: ['warning i/s: pinned to abc, without a reason'] },
    { given: 'a pin of unknown age', shards: { pins: [pin(undefined)] }, says: [] },
    { given: 'errors', shards: { errors: 2 }, says: ['error instance: 2 errors in the instance'] },
  ] satisfies { given: string; shards: Partial<ShardsData>; says: string[] }[])('with $given', ({ shards, says }) => {
    expect(told(stateOf(shards))).toEqual(says);
  });

  it('is also an observation that failed, whose data is kept', () => {
    expect(told(stateOf({}, FAULT))).toEqual(['error shards: observation failed: far: no response']);
  });
});

describe('the age of a problem', () => {
  const lag = (reason: string) => stateOf({ shards: [shard({ state: 'lagging', reason })] });
  it('is counted from the first observation that saw it, while it lasts', () => {
    const first = agedProblems(lag('1 of 2'), [], NOW);
    const second = agedProblems(lag('0 of 2'), first, later(NOW, MICROS.hour));
    expect(second.map(({ since }) => since)).toEqual([NOW]);
    const over = agedProblems(stateOf({}), second, later(NOW, 2 * MICROS.hour));
    expect(over).toEqual([]);
    expect(agedProblems(lag('x'), over, later(NOW, MICROS.day)).map(({ since }) => since)).toEqual([
      later(NOW, MICROS.day),
    ]);
  });

  it.each([
    { of: 'a pin', shards: { pins: [pin(20)] }, since: later(NOW, -20 * MICROS.day) },
    { of: 'a halt', shards: { rollouts: boardOf({ alerts: [alert('halted', 'w')] }) }, since: HOUR_AGO },
    { of: 'a difference', shards: { rollouts: boardOf({ alerts: [alert('shadow-differs', 'w')] }) }, since: HOUR_AGO },
    {
      of: 'a pause',
      shards: { rollouts: boardOf({ state: 'paused', stoppedBy: { reason: '', at: HOUR_AGO } }) },
      since: HOUR_AGO,
    },
    { of: 'what is over', shards: { rollouts: { ...boardOf({}), ended: [ended('freeze')] } }, since: HOUR_AGO },
    {
      of: 'shards that crash',
      shards: {
        shards: ['2026-11-16T09:30:00Z', '2026-11-16T09:00:00Z', undefined].map((since) =>
          shard({ state: 'lagging', reason: 'CrashLoopBackOff', ...(since === undefined ? {} : { since }) }),
        ),
      },
      since: HOUR_AGO,
    },
  ] satisfies { of: string; shards: Partial<ShardsData>; since: number }[])(
    'of $of is from its data, whenever the console started',
    ({ shards, since }) => {
      expect(stateOf(shards).problems).toMatchObject([{ since, isFirstSeen: false }]);
    },
  );

  it('does not change the order: what stops others is first, and errors before warnings', () => {
    const state = stateOf({
      ...{ faults: [FAULT], errors: 1, pins: [pin(20)] },
      shards: [shard({ state: 'lagging', reason: 'slow' }), shard({ state: 'lagging', reason: 'CrashLoopBackOff' })],
      rollouts: {
        ...boardOf({ state: 'halted', alerts: [alert('set-by-hand', 'by hand'), alert('halted', 'w')] }),
        ended: [ended('freeze')],
      },
    });
    expect(told(state)).toEqual([
      'error prod/t: the rollout of 2 is halted: i/s: w',
      'error shards: far: no response',
      'error instance: 1 error in the instance',
      'error i: 1 shard crashing: s: CrashLoopBackOff',
      'warning prod/t: i/s: by hand',
      'warning rollouts.yml: the x (why) is over and still in the file',
      'warning i: 1 shard lagging: s: slow',
      'warning i/s: pinned to abc, without a reason',
    ]);
    for (const { where, hint, href } of problemsOf(state).filter(({ id }) => id.startsWith('rollout')))
      expect({ where, hint, href }).toEqual({
        where,
        hint: expect.stringMatching(/./),
        href: expect.stringMatching(/^\/rollouts/),
      });
  });
});

type Gates = ClusterExplanation['candidates'][number]['gates'];
const BLOCK: Gates[number] = { gate: 'blocked', state: 'wait', reason: 'the block "x" of the organization matches' };
const OPEN: Gates[number] = { gate: 'blocked', state: 'pass', reason: 'no block matches' };
const SOAK: Gates[number] = { gate: 'soak', state: 'wait', reason: 'soaks' };

function cluster(name: string, ...gates: readonly Gates[]): ClusterExplanation {
  return {
    ...{ environment: 'prod', orgId: 'o', organization: 'org', id: name, uuid: name, name, action: 'wait' },
    candidates: gates.map((own, index) => ({ version: `4.18.${9 - index}`, gates: own, chosen: false })),
  } as unknown as ClusterExplanation;
}

function toldOfUpgrades(more: Partial<UpgradesData>): string[] {
  const data = { plan: { environments: [], organizations: [] }, clusters: [], notes: [], ...more };
  return upgradeProblems(data as unknown as UpgradesData).map(
    ({ severity, where, message }) => `${severity} ${where}: ${message}`,
  );
}

describe('versions that are blocked', () => {
  it.each([
    { given: 'all of them', clusters: [cluster('a', [BLOCK, SOAK], [BLOCK]), cluster('b', [BLOCK])], of: '2 clusters' },
    { given: 'all but an older one', clusters: [cluster('a', [BLOCK], [OPEN, SOAK])], of: undefined },
    { given: 'all but a newer one', clusters: [cluster('a', [OPEN], [BLOCK])], of: undefined },
    { given: 'none, since there is none', clusters: [cluster('a')], of: undefined },
  ])('are a problem only where they are all that is newer: $given', ({ clusters, of }) => {
    const problem = `warning prod/org: every version up to 4.18.9 is blocked for ${of}: the block "x" of the organization matches`;
    expect(toldOfUpgrades({ clusters })).toEqual(of === undefined ? [] : [problem]);
  });
});

describe('freezes', () => {
  const at = (text: string): Instant => parseInstant(text) ?? instantOf(0);
  const organization = (...freezes: readonly string[]) =>
    ({
      environment: 'prod',
      name: 'org',
      facts: { freezes, clusters: [{ policy: { freezes: [freezes[0]] } }] },
    }) as unknown as PlannedOrganization;
  const [OLD, OLDER, BAD] = [
    '2026-01-01T00:00:00Z/2026-01-03T00:00:00Z=new year',
    '2025-01-01T00:00:00Z/2025-01-03T00:00:00Z',
    'whenever',
  ];

  it.each([
    { now: '2026-01-02T23:59:59Z', freezes: [OLD], problems: [] },
    {
      now: '2026-01-03T00:00:00Z',
      freezes: [OLD],
      problems: ['warning prod/org: a freeze (new year) is over and still declared'],
    },
    {
      now: '2026-02-01T00:00:00Z',
      freezes: [OLD, OLDER, BAD],
      problems: ['warning prod/org: a freeze and 1 other are over and still declared'],
    },
  ])('that are over at $now are a problem since their end: $problems', ({ now, freezes, problems }) => {
    const ended = endedFreezes([organization(...freezes)], at(now));
    expect(toldOfUpgrades({ endedFreezes: ended })).toEqual(problems);
    const [first] = ended;
    if (first !== undefined)
      expect(first.until).toBe(at(freezes.length === 1 ? '2026-01-03T00:00:00Z' : '2025-01-03T00:00:00Z'));
  });
});
