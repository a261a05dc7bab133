import { describe, expect, it } from 'vitest';
import { isDeeperThan } from './nesting.ts';

const nested = (depth: number): unknown => JSON.parse(`${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`);

describe('nesting', () => {
  it.each([
    { given: 'a scalar', value: 1, levels: 0, deeper: false },
    { given: 'an empty list', value: [], levels: 0, deeper: true },
    { given: 'a list', value: [1, null], levels: 1, deeper: false },
    { given: 'a list in a mapping', value: { a: 1, b: [[]] }, levels: 2, deeper: true },
    { given: 'a list in a mapping', value: { a: 1, b: [[]] }, levels: 3, deeper: false },
    { given: '40,000 levels', value: nested(20_000), levels: 100, deeper: true },
  ])('of $given is deeper than $levels: $deeper', ({ value, levels, deeper }) => {
    expect(isDeeperThan(value, levels)).toBe(deeper);
  });
});
