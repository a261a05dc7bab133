import { describe, expect, it } from 'vitest';
import { cleanMembers, splitCsv } from './label-keys.ts';

describe('a list in a label', () => {
  it.each([
    { text: '', strict: [], lenient: [] },
    { text: '  ', strict: [], lenient: ['  '] },
    { text: 'a', strict: ['a'], lenient: ['a'] },
    { text: 'a, b ,,c', strict: ['a', ' b ', '', 'c'], lenient: ['a', ' b ', '', 'c'] },
    { text: ',', strict: ['', ''], lenient: ['', ''] },
  ])('$text is split at commas', ({ text, strict, lenient }) => {
    expect(splitCsv(text, { strict: true })).toEqual(strict);
    expect(splitCsv(text, { strict: false })).toEqual(lenient);
  });

  it.each([
    { given: ['a', ' b ', 'a'], members: ['a', 'b'], hasBlank: false },
    { given: ['a', ''], members: ['a'], hasBlank: true },
    { given: [' '], members: [], hasBlank: true },
    { given: [], members: [], hasBlank: false },
  ])('$given is $members', ({ given, members, hasBlank }) => {
    expect(cleanMembers(given)).toEqual({ members, hasBlank });
  });
});
