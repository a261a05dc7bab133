import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { sharedParts } from './shared-parts.ts';

describe('a value with shared parts', () => {
  it('is equal to what it was', () => {
    holds(
      fc.property(fc.json(), (text) => {
        expect(JSON.stringify(sharedParts(JSON.parse(text)))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('has equal objects and lists once, however deep', () => {
    const one = () => ({ labels: { app: 'x' }, env: [{ name: 'A', value: '1' }], name: 'same' });
    const [first, second, third] = sharedParts([one(), { ...one(), name: 'other' }, one()]);
    expect(third).toBe(first);
    expect(second?.env).toBe(first?.env);
    expect(second?.labels).toBe(first?.labels);
  });

  it.each([
    { one: [], other: {} },
    { one: ['a', 1], other: { a: 1 } },
    { one: [1], other: ['1'] },
    { one: [null], other: [false] },
    { one: { a: 1, b: 2 }, other: { b: 2, a: 1 } },
    { one: { a: 'b', c: 'd' }, other: ['a', 'b', 'c', 'd'] },
    { one: ['0,1'], other: ['0', '1'] },
  ])('does not take $one for $other', ({ one, other }) => {
    expect(JSON.stringify(sharedParts([one, other]))).toBe(JSON.stringify([one, other]));
  });

  it('keeps a field of any name', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
    expect(JSON.stringify(sharedParts(value))).toBe(JSON.stringify(value));
  });
});
