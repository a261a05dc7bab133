import { describe, expect, it } from 'vitest';
import { findBlock, MAX_PATTERN_LENGTH, patternFault } from './patterns.ts';

describe('a block', () => {
  it.each([
    { given: 'part of the version', patterns: ['4.12.2'], found: '4.12.2' },
    { given: 'an anchored pattern', patterns: ['^4\\.12\\..*$'], found: '^4\\.12\\..*$' },
    { given: 'an anchor elsewhere', patterns: ['^12'], found: undefined },
    { given: 'the second of two', patterns: ['rc', '29$'], found: '29$' },
    { given: 'the first of two that match', patterns: ['29$', '^4'], found: '29$' },
    { given: 'nothing in a pattern', patterns: [''], found: '' },
    { given: 'no pattern', patterns: [], found: undefined },
  ])('with $given is $found', ({ patterns, found }) => {
    expect(findBlock(patterns, '4.12.29')?.pattern).toBe(found);
  });

  it('is one that cannot be read, even behind one that matches', () => {
    expect(findBlock(['29$', '['], '4.12.29')).toEqual({ pattern: '[', fault: expect.stringContaining('missing') });
  });
});

describe('a pattern', () => {
  it.each(['^4\\.13\\..*$', '(?i)RC', '(?P<n>a)', '-rc\\.', ''])('is %j', (pattern) => {
    expect(patternFault(pattern)).toBeUndefined();
  });

  it.each(['[', '(', '*', '(?!a)', '(a)\\1', '((a{100}){100}){100}', 'a'.repeat(MAX_PATTERN_LENGTH + 1)])(
    'is not %j',
    (pattern) => {
      expect(patternFault(pattern)).toMatch(/^(?!error parsing)./);
    },
  );

  it('that makes other engines run for ever does not here', () => {
    const nested = '(((((((\\d*)*)*)*)*)*)*)*x';
    expect(findBlock([nested], '4.14.0-rc.1111111111111111111111111111')).toBeUndefined();
  });
});
