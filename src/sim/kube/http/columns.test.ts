import { describe, expect, it } from 'vitest';
import { ageText } from './columns.ts';

describe('an age', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [200, '3m20s'],
    [3600, '60m'],
    [4 * 3600, '4h'],
    [4 * 3600 + 300, '4h5m'],
    [30 * 3600, '30h'],
    [3 * 86_400 + 7200, '3d2h'],
    [100 * 86_400, '100d'],
    [3 * 365 * 86_400, '3y'],
  ])('of %i seconds is %s', (seconds, text) => {
    expect(ageText(new Date(now.getTime() - seconds * 1000).toISOString(), now)).toBe(text);
  });

  it('of nothing is unknown', () => {
    expect(ageText(undefined, now)).toBe('<unknown>');
  });
});
