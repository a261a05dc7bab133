import { describe, expect, it } from 'vitest';
import { seededRandom, systemRandom } from './random.ts';

const take = (random: () => number, count: number): number[] => Array.from({ length: count }, random);

describe('seeded random numbers', () => {
  it('repeat with their seed and differ between seeds', () => {
    expect(take(seededRandom(7), 50)).toEqual(take(seededRandom(7), 50));
    const firsts = Array.from({ length: 1000 }, (_, seed) => seededRandom(seed)());
    expect(new Set(firsts).size).toBe(1000);
  });

  it.each([0, 1, -1, 42, 2 ** 31, 1e12])('of seed %d fill the range from 0 to 1 evenly', (seed) => {
    const numbers = take(seededRandom(seed), 10_000);
    const tenths = Array.from({ length: 10 }, (_, n) => numbers.filter((x) => Math.floor(x * 10) === n).length);
    expect(tenths.reduce((sum, n) => sum + n)).toBe(10_000);
    expect(Math.min(...tenths)).toBeGreaterThan(850);
    expect(Math.max(...tenths)).toBeLessThan(1150);
  });
});

it('the random numbers of the system are in the same range', () => {
  expect(take(systemRandom, 1000).every((x) => x >= 0 && x < 1)).toBe(true);
});
