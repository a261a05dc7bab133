import { describe, expect, it } from 'vitest';
import { type Awaited, awaitedText } from './awaited.ts';

const AWAITED: Awaited = {
  what: '3 of 12 shards',
  causes: [
    { number: 2, text: 'lagging', detail: 'it is set to another image' },
    { number: 1, text: 'missing' },
  ],
};

describe('what is waited for', () => {
  it.each<{ given: string; awaited: Awaited; which: 'brief' | 'detailed'; text: string }>([
    {
      given: 'in detail',
      awaited: AWAITED,
      which: 'detailed',
      text: 'waiting for 3 of 12 shards: 2 lagging (it is set to another image), 1 missing',
    },
    {
      given: 'without what changes by itself',
      awaited: AWAITED,
      which: 'brief',
      text: 'waiting for 3 of 12 shards: 2 lagging, 1 missing',
    },
    {
      given: 'with what is not waited for',
      awaited: { ...AWAITED, aside: [{ number: 4, text: 'held', detail: 'by a wave' }] },
      which: 'detailed',
      text: 'waiting for 3 of 12 shards: 2 lagging (it is set to another image), 1 missing; not waited for: 4 held (by a wave)',
    },
    { given: 'without causes', awaited: { what: 'x', causes: [] }, which: 'detailed', text: 'waiting for x' },
  ])('$given', ({ awaited, which, text }) => {
    expect(awaitedText(awaited, which)).toBe(text);
  });
});
