import { describe, expect, it } from 'vitest';
import { parseSoakDays } from './soak-days.ts';

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
