import { describe, expect, it } from 'vitest';
import type { Relation } from '../ports.ts';
import { type Range, rollbackNotes } from './ranges.ts';

const range = (relation: Relation, from = 'a'): Range => ({
  ...{ from: from.repeat(40), to: 'f'.repeat(40), relation, commits: [], total: 0, targets: [`target ${from}`] },
});
const CLONE = { wholeClone: '/src/clone', whenUnknown: 'fetch it' };

describe('a promotion', () => {
  it.each([
    { given: 'forward', ranges: [range('ahead')], rules: [] },
    { given: 'to where it is', ranges: [range('identical')], rules: [] },
    { given: 'of what nobody knows', ranges: [range('unknown')], rules: ['history-unknown'] },
    {
      given: 'of what a clone knows in part',
      ranges: [range('unknown'), range('ahead', 'b')],
      rules: ['history-unknown'],
    },
  ])('$given is allowed', ({ ranges, rules }) => {
    const history = ranges.length > 1 ? CLONE : {};
    expect(rollbackNotes(ranges, false, history).map(({ rule }) => rule)).toEqual(rules);
  });

  it.each([
    { given: 'back', ranges: [range('behind')], code: 'PROMOTION_ROLLBACK', says: 'fffffff is older than aaaaaaa' },
    { given: 'aside', ranges: [range('diverged')], code: 'PROMOTION_ROLLBACK', says: 'have diverged' },
    {
      given: 'with a clone that has none of the old commits',
      ranges: [range('unknown'), range('unknown', 'b')],
      code: 'UPSTREAM_CLONE',
      says: '/src/clone has none of the currently promoted commits (aaaaaaa, bbbbbbb)',
    },
  ])('$given must be asked for', ({ ranges, code, says }) => {
    expect(() => rollbackNotes(ranges, false, CLONE)).toThrow(says);
    expect(() => rollbackNotes(ranges, false, CLONE)).toThrow(expect.objectContaining({ code }));
    expect(rollbackNotes(ranges, true, CLONE)).toHaveLength(ranges.length);
  });

  it('whose history is not known says what to do about it', () => {
    expect(rollbackNotes([range('unknown')], true, CLONE)[0]?.hint).toBe('fetch it');
    expect(rollbackNotes([range('unknown')], false)[0]?.hint).toContain('--upstream-clone');
  });
});
