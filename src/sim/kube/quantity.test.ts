import { describe, expect, it } from 'vitest';
import { canonicalQuantity } from './quantity.ts';

describe('the canonical form', () => {
  it.each([
    ['0.5', '500m'],
    ['1000m', '1'],
    ['100m', '100m'],
    ['1', '1'],
    [1, '1'],
    [1.5, '1500m'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['512Mi', '512Mi'],
    ['128974848', '128974848'],
    ['1e3', '1e3'],
    ['1000', '1k'],
    ['1500000', '1500k'],
    ['0', '0'],
    ['0Mi', '0'],
    ['-1', '-1'],
    ['0.1m', '100u'],
    ['.5', '500m'],
  ])('of %s is %s', (given, canonical) => {
    expect(canonicalQuantity(given)).toBe(canonical);
  });

  it.each(['', 'abc', '1 Gi', 'Gi', '1.2.3', '1GiB', '--1'])('"%s" has none', (given) => {
    expect(canonicalQuantity(given)).toBeUndefined();
  });
});
