import { describe, expect, it } from 'vitest';
import type { ScopeTrack } from '../decide/decide-rollouts.ts';
import { waitingText } from './waiting-text.ts';

const wave = { name: 'w', state: 'open', shards: [], counting: 3, onTarget: 1, soaked: 0, soak: 0 } as const;
const track = (name: string, given: Partial<ScopeTrack>): ScopeTrack => ({
  ...{ track: name, environment: 'e', upstream: '', target: 'repo:v2', state: 'complete', waves: [wave, wave] },
  ...{
    moves: [],
    holds: [],
    returns: [],
    verdicts: [],
    shadows: [],
    alerts: [],
    queries: [],
    unseen: [],
    uncounted: [],
  },
  ...given,
});

describe('what a watched rollout waits for', () => {
  it.each<{ given: Partial<ScopeTrack>; says: string | undefined }>([
    { given: { state: 'under-way' }, says: 'waiting for t: 2 of 6 shards on v2' },
    { given: { state: 'complete' }, says: undefined },
    { given: { state: 'paused' }, says: undefined },
    { given: { state: 'rejected' }, says: undefined },
    { given: { state: 'halted' }, says: undefined },
    {
      given: { state: 'halted', returns: [{ id: 'a/0', image: 'repo:v1', from: 'repo:v2' }] },
      says: 'waiting for t: 2 of 6 shards on v2',
    },
    {
      given: { state: 'complete', moves: [{ id: 'a/0', image: 'repo:v2', isBack: false }] },
      says: 'waiting for t: 2 of 6 shards on v2',
    },
  ])('$given: $says', ({ given, says }) => {
    expect(waitingText({ tracks: [track('t', given), track('done', {})] })).toBe(says);
  });

  it('names every track that goes on', () => {
    const tracks = ['a', 'b'].map((name) => track(name, { state: 'under-way' }));
    expect(waitingText({ tracks })).toBe('waiting for a: 2 of 6 shards on v2; b: 2 of 6 shards on v2');
  });
});
