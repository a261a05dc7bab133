import { describe, expect, it } from 'vitest';
import { defined, fileNamePart } from './values.ts';

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

describe('part of a file name', () => {
  it.each(['../../etc/passwd', '..', '.', '-rf', 'a b', '$(x)', 'a/b', 'a\\b', '', 'ä', 'a\0b', 'x'.repeat(500)])(
    'of %j is one safe name',
    (hostile) => {
      expect(fileNamePart(hostile)).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
      expect(fileNamePart(hostile).length).toBeLessThanOrEqual(80);
    },
  );
});
