import { describe, expect, it } from 'vitest';
import { instantOf } from '../../gates/index.ts';
import type { RolloutsDecision, ScopeTrack } from '../decide/decide-rollouts.ts';
import { EMPTY_RECORD } from '../record/record.ts';
import { awaitedTracks, watchedRollouts } from './watched-rollouts.ts';

const NOW = instantOf(Date.parse('2026-03-02T10:28:00Z'));
const WAVE = {
  name: 'w',
  state: 'open',
  shards: ['a/0', 'a/1'],
  counting: 2,
  onTarget: 0,
  soaked: 0,
  soak: 0,
} as const;
const track = (name: string, given: Partial<ScopeTrack> = {}): ScopeTrack => ({
  ...{ track: name, environment: 'e', upstream: '', target: 'repo:v2', state: 'complete', waves: [WAVE] },
  ...{
    moves: [],
    holds: [],
    returns: [],
    verdicts: [],
    shadows: [],
    alerts: [],
    queries: [],
    stopped: [],
    unseen: [],
    uncounted: [],
  },
  ...given,
});
const decision = (...tracks: ScopeTrack[]): RolloutsDecision => ({ tracks, orphans: [], record: EMPTY_RECORD });
const move = (id: string) => ({ id, image: 'repo:v2', isBack: false });
const until = instantOf(Date.parse('2026-03-02T10:40:00Z'));
const held = (id: string) => ({
  ...{ id, wave: 'w', image: 'repo:v2' },
  verdicts: [{ gate: 'wave', ok: false, reason: 'wave canary: 0 of 1 shard soaked 1h', until }],
});

describe('what a watched rollout waits for', () => {
  it.each<{ given: Partial<ScopeTrack>; what: string | undefined }>([
    { given: { state: 'under-way' }, what: '2 of 2 shards of track t to soak v2' },
    { given: { state: 'complete' }, what: undefined },
    { given: { state: 'paused' }, what: undefined },
    { given: { state: 'rejected' }, what: undefined },
    { given: { state: 'halted' }, what: undefined },
    {
      given: { state: 'halted', returns: [{ id: 'a/0', image: 'repo:v1', from: 'repo:v2' }] },
      what: '2 of 2 shards of track t (halted on v2)',
    },
    { given: { state: 'complete', moves: [move('a/0')] }, what: '2 of 2 shards of track t (complete on v2)' },
    { given: { state: 'under-way', uncounted: ['a/1'] }, what: '1 of 1 shard of track t to soak v2' },
  ])('$given: $what', ({ given, what }) => {
    expect(awaitedTracks(decision(track('t', given), track('done')), NOW)?.what).toBe(what);
  });

  it('is split by what becomes of the shards, and by gate with the earliest time', () => {
    const given = { state: 'under-way', moves: [move('a/0')], verdicts: [held('a/1')] } as const;
    expect(awaitedTracks(decision(track('t', given)), NOW)?.causes).toEqual([
      { number: 1, text: 'moved by the next pass of the manager' },
      {
        number: 1,
        text: 'held by the gate wave',
        detail: 'wave canary: 0 of 1 shard soaked 1h; not before 2026-03-02T10:40:00Z (in 12 min)',
      },
    ]);
  });

  it('is a wave that never passes, where no shard counts', () => {
    const given = {
      state: 'under-way',
      uncounted: [...WAVE.shards],
      waves: [{ ...WAVE, reason: 'all are pinned' }],
    } as const;
    expect(awaitedTracks(decision(track('t', given)), NOW)).toEqual({
      what: '0 of 0 shards of track t to soak v2',
      causes: [{ number: 1, text: 'wave not passed', detail: 'all are pinned' }],
      aside: [{ number: 2, text: 'pinned or disabled' }],
    });
  });

  it('names at most three tracks', () => {
    const tracks = ['a', 'b', 'c', 'd', 'e'].map((name) => track(name, { state: 'under-way' }));
    expect(awaitedTracks(decision(...tracks), NOW)?.what).toBe(
      '10 of 10 shards of tracks a to soak v2, b to soak v2, c to soak v2 and 2 more',
    );
  });

  it('sees nothing when no shard of any track was observed', () => {
    const failures = [{ message: 'no route to host', code: 'AWAY' }];
    const blind = (unseen: string[]) =>
      watchedRollouts(decision(track('t', { state: 'under-way', unseen })), { which: 'usual', now: NOW, failures })
        .blind;
    expect(blind(['a/0', 'a/1'])).toBe('no route to host [AWAY]');
    expect(blind(['a/0'])).toBeUndefined();
  });

  it('has a key for each row of its table', () => {
    const tracks = [track('t', { state: 'under-way' }), track('t', { upstream: 'u' })];
    const { table, rows } = watchedRollouts(decision(...tracks), { which: 'usual', now: NOW, failures: [] });
    expect(new Set(rows.map(({ key }) => key)).size).toBe(2);
    expect(rows.map(({ isAwaited }) => isAwaited)).toEqual([true, false]);
    expect(table.rows).toHaveLength(2);
  });
});
