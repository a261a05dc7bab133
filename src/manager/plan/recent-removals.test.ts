import { describe, expect, it } from 'vitest';
import { recentRemovals, removalKey, withRemovals } from './recent-removals.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;
const removal = (name: string, environment?: string) => ({
  cluster: 'c',
  key: removalKey({ cluster: 'c', namespace: 'n', kind: 'Deployment', name }),
  ...(environment === undefined ? {} : { environment }),
});

describe('the record of removals', () => {
  it('remembers an hour and no longer', () => {
    const record = withRemovals(undefined, [removal('a', 'prod'), removal('b')], NOW);
    expect(recentRemovals(record, NOW + 59 * MINUTE)).toEqual([removal('a', 'prod'), removal('b')]);
    expect(recentRemovals(record, NOW + 60 * MINUTE)).toEqual([]);
  });

  it('keeps what is younger, drops what is older, and counts an object once', () => {
    const first = withRemovals(undefined, [removal('a'), removal('b')], NOW);
    const second = withRemovals(first, [removal('b'), removal('c')], NOW + 40 * MINUTE);
    expect(recentRemovals(second, NOW + 50 * MINUTE)).toEqual([removal('a'), removal('b'), removal('c')]);
    expect(recentRemovals(second, NOW + 70 * MINUTE)).toEqual([removal('b'), removal('c')]);
    expect(withRemovals(second, [], NOW + 200 * MINUTE)).toBe('[]');
  });

  it('is empty at first, also where a clock went back', () => {
    expect(recentRemovals(undefined, NOW)).toEqual([]);
    expect(recentRemovals(withRemovals(undefined, [removal('a')], NOW), NOW - 5 * MINUTE)).toEqual([removal('a')]);
  });

  it('of a fleet of 10,000 objects fits into an annotation', () => {
    const many = Array.from({ length: 3_000 }, (_, at) => removal(`x${at}`, 'production'));
    expect(withRemovals(undefined, many, NOW).length).toBeLessThan(60_000);
  });

  it.each(['', '{', '{}', '[1]', '[{"at":"x","cluster":"c","keys":[]}]'])('%j is rejected', (text) => {
    expect(() => recentRemovals(text, NOW)).toThrow(/cannot read the record of deletions/);
  });
});
