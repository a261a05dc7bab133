import { describe, expect, it } from 'vitest';
import { type Instant, instantOf, later, MICROS, pass, wait } from '../../gates/index.ts';
import type { RolloutsDecision } from '../decide/decide-rollouts.ts';
import type { RolloutEvent } from '../record/history.ts';
import { EMPTY_RECORD, emptyScope, type RolloutRecord } from '../record/record.ts';
import { explainView } from './explain-view.ts';
import { forecastView } from './forecast-view.ts';
import { historyView } from './history-view.ts';
import { statusView } from './status-view.ts';

const AT = instantOf(Date.UTC(2026, 10, 16, 10, 0, 0, 1));
const IMAGE = `quay.io/o/r:8c41f7e@sha256:${'a'.repeat(64)}`;
const SCOPE = { track: 't', environment: 'prod', upstream: 'u', target: IMAGE };
const DECISION: RolloutsDecision = {
  tracks: [
    {
      ...SCOPE,
      ...{ state: 'halted', moves: [], holds: [], returns: [], unseen: [], uncounted: [] },
      waves: [
        {
          name: 'canary',
          state: 'open',
          shards: ['a/one'],
          counting: 1,
          onTarget: 1,
          soaked: 0,
          soak: 4 * MICROS.hour,
          reason: 'r',
        },
        {
          name: 'rest',
          state: 'closed',
          shards: ['a/two', 'b/two'],
          counting: 2,
          onTarget: 0,
          soaked: 0,
          soak: MICROS.day,
        },
      ],
      shadows: [],
      verdicts: [
        {
          id: 'a/two',
          wave: 'rest',
          image: IMAGE,
          verdicts: [pass('pinned', 'p'), wait('freeze', 'f', { until: AT })],
        },
        { id: 'b/two', wave: 'rest', image: IMAGE, verdicts: [pass('pinned', 'p')] },
      ],
      stopped: [{ shard: 'a/one', stop: 'paused' }],
      queries: [{ shard: 'a/one', query: 'errors', answer: 'wrong', text: '3, expected at most 0', isUnderWay: true }],
      alerts: [{ kind: 'halted', shard: 'a/one', image: IMAGE, reason: 'two restarts', at: AT }],
    },
  ],
  orphans: [{ ...SCOPE, id: 'c/left', image: IMAGE, verdicts: [wait('wave', 'it left the track')] }],
  record: EMPTY_RECORD,
};

describe('what users see of rollouts', () => {
  it('says what needs a human, and which shards left their track', () => {
    const { rows, notes, isWrong } = statusView(DECISION);
    expect(notes).toEqual([
      'prod/t: halted: a/one on 8c41f7e@sha256:aaaaaaaaaaaa…: two restarts',
      'prod: c/left: it left the track',
    ]);
    expect(isWrong).toBe(true);
    expect(rows.items()).toMatchObject([
      {
        wave: 'canary',
        soak: '4h',
        rollout: 'halted',
        alerts: [{ kind: 'halted', at: '2026-11-16T10:00:00.001000Z' }],
        queries: [{ shard: 'a/one', query: 'errors', answer: 'wrong', text: '3, expected at most 0' }],
      },
      { wave: 'rest', alerts: [], queries: [] },
    ]);
  });

  it.each([
    { wanted: 'a/two', ends: [/^a\/two can move to .* at the earliest: 2026-11-16T10:00:01Z$/] },
    { wanted: 'two', ends: [/^a\/two can move/, /^b\/two can move to .* in the next pass of its manager$/] },
    { wanted: 'left', ends: [/^c\/left can move/] },
    {
      wanted: 'one',
      ends: [
        /^one runs what is declared for it$/,
        /^a\/one does not soak: it is stopped \(paused\)$/,
        /^a\/one does not soak: query errors: 3, expected at most 0$/,
      ],
    },
  ])('explains $wanted by its name or id', ({ wanted, ends }) => {
    expect(explainView(DECISION, wanted).notes).toEqual(ends.map((end) => expect.stringMatching(end)));
  });

  it('knows no shard that is in no track', () => {
    expect(() => explainView(DECISION, 'tow')).toThrow('no shard tow in a track');
  });

  it.each([
    { given: { completesAt: AT }, ends: 'prod/t: complete at 2026-11-16T10:00:01Z if everything stays healthy' },
    { given: {}, ends: 'prod/t: not complete within the time of the forecast' },
    {
      given: { blocked: { id: 'a/two', verdict: wait('halted', 'it failed') } },
      ends: 'prod/t: does not complete by itself: a/two: halted: it failed',
    },
  ])('forecasts how a track ends: $ends', ({ given, ends }) => {
    const { rows, notes } = forecastView([{ ...SCOPE, waves: [{ name: 'canary', startsAt: AT }], ...given }]);
    expect(notes).toEqual([ends]);
    expect(rows.cells('usual').rows).toEqual([
      ['t', 'prod', '8c41f7e@sha256:aaaaaaaaaaaa…', 'canary', '2026-11-16T10:00:01Z', '-'],
    ]);
  });
});

describe('what users see of the history', () => {
  const hours = (n: number) => later(AT, n * MICROS.hour);
  const SHARDS = ['a/one', 'a/two', 'b/one', 'b/two'];
  const RECORD: RolloutRecord = {
    scopes: new Map([
      [
        'x',
        {
          ...emptyScope(SCOPE),
          shards: new Map([['c/idle', { integration: 'c', shard: 'idle' }]]),
          history: [
            { at: hours(0), track: 't', kind: 'target', image: IMAGE, shards: [] },
            { at: hours(1), track: 't', kind: 'moved', image: IMAGE, wave: 'canary', shards: SHARDS },
            { at: hours(3), track: 'u', kind: 'pause', reason: 'INC-1', shards: [] },
          ],
        },
      ],
      ['y', { ...emptyScope({ environment: 'stage', upstream: 'u' }), history: [failedAt(hours(2))] }],
    ]),
  };

  function failedAt(at: Instant): RolloutEvent {
    return { at, track: 't', kind: 'failed', image: IMAGE, shards: ['a/one'], reason: 'two restarts' };
  }

  it('is newest first over all environments, with a few shards of many', () => {
    const { rows } = historyView(RECORD, { now: hours(4) });
    expect(rows.cells('usual').rows.map((row) => row.slice(1).join(' '))).toEqual([
      'u prod pause - - - INC-1',
      't stage failed 8c41f7e@sha256:aaaaaaaaaaaa… - a/one two restarts',
      't prod moved 8c41f7e@sha256:aaaaaaaaaaaa… canary a/one, a/two, b/one and 1 more -',
      't prod target 8c41f7e@sha256:aaaaaaaaaaaa… - - -',
    ]);
    expect(rows.cells('wide').rows[2]).toContain('a/one a/two b/one b/two');
  });

  it.each([
    { asked: { of: 't' }, kinds: ['failed', 'moved', 'target'] },
    { asked: { of: 'u' }, kinds: ['pause'] },
    { asked: { of: 'two' }, kinds: ['moved'], shards: ['a/two', 'b/two'] },
    { asked: { of: 'b/one' }, kinds: ['moved'], shards: ['b/one'] },
    { asked: { of: 'idle' }, kinds: [] },
    { asked: { since: '2h' }, kinds: ['pause', 'failed'] },
    { asked: { since: '2026-11-16T12:30:00Z' }, kinds: ['pause'] },
    { asked: { since: '1s', of: 't' }, kinds: [] },
  ])('of $asked has $kinds', ({ asked, kinds, shards }) => {
    const items = historyView(RECORD, { ...asked, now: hours(4) }).rows.items() as {
      event: string;
      shards: string[];
    }[];
    expect(items.map(({ event }) => event)).toEqual(kinds);
    if (shards !== undefined) expect(items[0]?.shards).toEqual(shards);
  });

  it.each([
    { asked: { of: 'tow' }, code: 'TRACK_UNKNOWN' },
    { asked: { of: '__proto__' }, code: 'TRACK_UNKNOWN' },
    { asked: { since: 'yesterday' }, code: 'FLAG_INVALID' },
    { asked: { since: '' }, code: 'FLAG_INVALID' },
  ])('of $asked is an error', ({ asked, code }) => {
    expect(() => historyView(RECORD, { ...asked, now: hours(4) })).toThrow(expect.objectContaining({ code }));
  });
});
