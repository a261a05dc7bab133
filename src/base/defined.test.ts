import { describe, expect, it } from 'vitest';
import { defined } from './defined.ts';

describe('defined', () => {
  it.each([
    { given: 'no field', fields: {}, kept: [] as string[] },
    { given: 'only fields without a value', fields: { a: undefined, b: undefined }, kept: [] as string[] },
    {
      given: 'values that are false, empty, zero or null',
      fields: { a: false, b: '', c: 0, d: null },
      kept: ['a', 'b', 'c', 'd'],
    },
    { given: 'some of each, in their order', fields: { b: 1, a: undefined, c: 2 }, kept: ['b', 'c'] },
  ])('with $given it keeps $kept', ({ fields, kept }) => {
    expect(Object.keys(defined(fields))).toEqual(kept);
    expect({ ...defined(fields) }).toEqual(
      Object.fromEntries(Object.entries(fields).filter(([key]) => kept.includes(key))),
    );
  });
});
