import { describe, expect, it } from 'vitest';
import { jointOpening, type Opening } from './opening.ts';

const EARLY = '2026-03-02T13:00:00Z';
const LATE = '2026-03-05T08:00:00Z';

describe('gates that are closed together', () => {
  it.each<{ readonly given: string; readonly openings: readonly Opening[]; readonly joint: Opening | undefined }>([
    { given: 'none', openings: [], joint: undefined },
    { given: 'two times', openings: [{ at: EARLY }, { at: LATE }], joint: { at: LATE } },
    { given: 'two times, the later one first', openings: [{ at: LATE }, { at: EARLY }], joint: { at: LATE } },
    {
      given: 'a time and an event',
      openings: [{ after: 'a user agrees' }, { at: EARLY }],
      joint: { at: EARLY, after: 'a user agrees' },
    },
    {
      given: 'events, one of them twice',
      openings: [{ after: 'a user agrees' }, { after: 'the block is removed' }, { after: 'a user agrees' }],
      joint: { after: 'a user agrees, and after the block is removed' },
    },
  ])('open at the latest time and after every event: $given', ({ openings, joint }) => {
    expect(jointOpening(openings)).toEqual(joint);
  });
});
