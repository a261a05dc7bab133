import { describe, expect, it } from 'vitest';
import { memoize } from './memoize.ts';

describe('a memo', () => {
  it('computes once, and again only after more keys than it keeps', () => {
    const computed: string[] = [];
    const length = memoize(2, (key) => {
      computed.push(key);
      return key.length;
    });
    expect(['a', 'a', 'bb', 'a', 'ccc', 'a'].map(length)).toEqual([1, 1, 2, 1, 3, 1]);
    expect(computed).toEqual(['a', 'bb', 'ccc', 'a']);
  });
});
