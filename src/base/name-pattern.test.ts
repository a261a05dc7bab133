import { describe, expect, it } from 'vitest';
import { namesMatching } from './name-pattern.ts';

describe('F1: names', () => {
  it.each([
    { patterns: undefined, name: 'x', matches: true },
    { patterns: [], name: 'x', matches: false },
    { patterns: ['terraform-*'], name: 'terraform-x', matches: true },
    { patterns: ['terraform-*'], name: 'my-terraform-x', matches: false },
    { patterns: ['*-a*b-*'], name: 'x-a-b-y', matches: true },
    { patterns: ['ab*ba'], name: 'aba', matches: false },
    { patterns: ['a.c'], name: 'abc', matches: false },
  ])('$name matches $patterns: $matches', ({ patterns, name, matches }) => {
    expect(namesMatching(patterns)(name)).toBe(matches);
  });
});
