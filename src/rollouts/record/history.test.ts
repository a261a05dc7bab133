import { describe, expect, it } from 'vitest';
import type { Instant } from '../../gates/index.ts';
import { boundedHistory, type RolloutEvent, rolloutEvent } from './history.ts';

const events = (track: string, count: number, more: Partial<RolloutEvent> = {}): RolloutEvent[] =>
  Array.from({ length: count }, (_, at) => ({ at: at as Instant, track, kind: 'moved', shards: [], ...more }));

function kept(most: number, ...history: RolloutEvent[][]): Record<string, number[]> {
  const scope = { history: history.flat(), shards: new Map([['known', {}]]) };
  const bounded = boundedHistory(new Map([['scope', scope]]), most).get('scope')?.history ?? [];
  const byTrack = Map.groupBy(bounded, ({ track }) => track);
  return Object.fromEntries([...byTrack].map(([track, own]) => [track, own.map(({ at }) => at)]));
}

describe('A5: the history', () => {
  it.each([
    { given: 'what fits', most: 20, history: [events('a', 3), events('b', 2)], left: { a: [0, 1, 2], b: [0, 1] } },
    { given: 'the newest', most: 12, history: [events('a', 9)], left: { a: [6, 7, 8] } },
    {
      given: 'what a quiet track has',
      most: 16,
      history: [events('busy', 9), events('quiet', 1)],
      left: { busy: [6, 7, 8], quiet: [0] },
    },
    {
      given: 'as much of each busy track',
      most: 16,
      history: [events('a', 5), events('b', 9)],
      left: { a: [3, 4], b: [7, 8] },
    },
    {
      given: 'fewer with shards',
      most: 12,
      history: [events('a', 3, { shards: ['known', 'known'] })],
      left: { a: [1, 2] },
    },
    {
      given: 'fewer with shards that are gone',
      most: 12,
      history: [events('a', 3, { shards: ['x'.repeat(12)] })],
      left: { a: [2] },
    },
    { given: 'fewer with reasons', most: 12, history: [events('a', 3, { reason: 'x'.repeat(20) })], left: { a: [2] } },
  ])('keeps $given', ({ most, history, left }) => {
    expect(kept(most, ...history)).toEqual(left);
  });

  it('cuts a long reason', () => {
    const [event] = events('a', 1, { reason: 'x'.repeat(1_000) });
    expect(rolloutEvent(event!).reason).toHaveLength(301);
  });
});
