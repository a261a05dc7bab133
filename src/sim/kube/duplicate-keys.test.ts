import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { duplicateKeys } from './duplicate-keys.ts';

describe('keys that are there twice', () => {
  it.each([
    { text: '{"a":1,"a":2}', found: ['a'] },
    { text: '{"a":{"b":1,"c":2,"b":3}}', found: ['a.b'] },
    { text: '[{"a":1},{"a":1,"a":2}]', found: ['[1].a'] },
    { text: '{"a":[{"b":1,"b":{"c":1,"c":2}}]}', found: ['a[0].b', 'a[0].b.c'] },
    { text: '{"a\\"b":1,"a\\"b":2}', found: ['a"b'] },
    { text: ' { "a" : "{\\"x\\":1,\\"x\\":2}" , "b" : [ ] } ', found: [] },
    { text: '{}', found: [] },
    { text: '"a"', found: [] },
  ])('in $text are $found', ({ text, found }) => {
    expect(duplicateKeys(text)).toEqual(found);
  });

  it('are never in what JSON.stringify writes', () => {
    holds(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, space) => {
        expect(duplicateKeys(JSON.stringify(value, undefined, space))).toEqual([]);
      }),
    );
  });
});
