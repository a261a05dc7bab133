import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { parallelLimit } from './limits.ts';

describe('how many clusters may be upgraded at once', () => {
  it.each([
    { text: '50%', of: 1, limit: 1 },
    { text: '50%', of: 3, limit: 2 },
    { text: '50%', of: 5, limit: 2 },
    { text: '50%', of: 7, limit: 4 },
    { text: '50%', of: 9, limit: 4 },
    { text: '33%', of: 5, limit: 2 },
    { text: '2%', of: 5, limit: 1 },
    { text: '0%', of: 5, limit: 1 },
    { text: '100%', of: 5, limit: 5 },
    { text: '150%', of: 4, limit: 6 },
    { text: '5 %', of: 100, limit: 5 },
    { text: '3', of: 1, limit: 3 },
    { text: '0', of: 5, limit: 1 },
    { text: '-1', of: 5, limit: -1 },
  ])('is $limit with $text of $of', ({ text, of, limit }) => {
    expect(parallelLimit(text, of)).toBe(limit);
  });

  it.each(['', '%', 'abc', '1.5', '50%%', '1e1', '0x1'])('is unknown with %j', (text) => {
    expect(parallelLimit(text, 5)).toBeUndefined();
  });

  it('is at least one, and never more than half a cluster away from the share', () => {
    holds(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 10_000 }), (percent, clusters) => {
        const limit = parallelLimit(`${percent}%`, clusters)!;
        const twice = 2 * limit * 100 - 2 * clusters * percent;
        expect(limit).toBeGreaterThanOrEqual(1);
        if (limit > 1) expect(Math.abs(twice)).toBeLessThanOrEqual(100);
        if (limit > 1 && Math.abs(twice) === 100) expect(limit % 2).toBe(0);
      }),
    );
  });
});
