import { describe, expect, it } from 'vitest';
import { exponentOf } from './exponent.ts';

const SIZES = [100, 1_000, 5_000, 10_000];

describe('the exponent of a curve', () => {
  it.each([
    { curve: 'constant', y: () => 7, exponent: 0 },
    { curve: 'linear', y: (x: number) => 3 * x, exponent: 1 },
    { curve: 'quadratic', y: (x: number) => x * x, exponent: 2 },
    { curve: 'square root', y: (x: number) => Math.sqrt(x), exponent: 0.5 },
  ])('is $exponent when it is $curve', ({ y, exponent }) => {
    expect(exponentOf(SIZES.map((x) => ({ x, y: y(x) })))).toBeCloseTo(exponent, 10);
  });

  it('is below 1 when a fixed cost is added to a linear one, and above when a quadratic one is', () => {
    expect(exponentOf(SIZES.map((x) => ({ x, y: 1_000 + x })))).toBeLessThan(0.9);
    expect(exponentOf(SIZES.map((x) => ({ x, y: x + (x * x) / 5_000 })))).toBeGreaterThan(1.1);
  });

  it('is not a number for a single size', () => {
    expect(exponentOf([{ x: 10, y: 10 }])).toBeNaN();
  });
});
