import { describe, expect, it } from 'vitest';
import { enabledGates, findBlock, MAX_PATTERN_LENGTH, parseSoakDays, patternFault } from './fields.ts';

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

describe('days of soak', () => {
  it.each([
    ['0', 0],
    ['7', 7],
    [' 3 ', 3],
    ['+3', 3],
    ['007', 7],
    ['1_000', 1000],
    ['1.0', 1],
    ['-1', -1],
  ])('"%s" are %d', (text, days) => {
    expect(parseSoakDays(text)).toBe(days);
  });

  it.each(['', 'abc', '1.5', '1e2', '٣', '1__0', '_1', '0x1', '1,0'])('are not "%s"', (text) => {
    expect(parseSoakDays(text)).toBeUndefined();
  });
});

describe('gates that may be agreed to', () => {
  it.each([
    { label: undefined, gates: ['api.openshift.com/gate-ocp'] },
    { label: '', gates: ['api.openshift.com/gate-ocp'] },
    { label: ' , ', gates: ['api.openshift.com/gate-ocp'] },
    { label: 'a, b ,a', gates: ['a', 'b'] },
  ])('by $label are $gates', ({ label, gates }) => {
    expect([...enabledGates(label, { strict: true })]).toEqual(gates);
  });
});
