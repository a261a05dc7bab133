import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { atLeast, equal, MAX_SEARCH_BYTES, MAX_SEARCH_VALUES, oneOf, searches, startsWith } from './search.ts';

describe('a term', () => {
  it.each([
    { term: equal('state', 'ready'), text: "state='ready'" },
    { term: equal('name', "it's ''"), text: "name='it''s '''''" },
    { term: equal('name', ''), text: "name=''" },
    { term: oneOf('id', ['b']), text: "id='b'" },
    { term: oneOf('id', ['b', 'a', 'b']), text: "id in ('a','b')" },
    { term: oneOf('id', ["o'b", 'a']), text: "id in ('a','o''b')" },
    { term: oneOf('id', []), text: undefined },
    { term: startsWith('key', "a.'b"), text: "key like 'a.''b%'" },
    { term: atLeast('created_at', '2026-01-01T00:00:00Z'), text: "created_at >= '2026-01-01T00:00:00Z'" },
  ])('is $text', ({ term, text }) => {
    expect(term).toBe(text);
  });
});

describe('searches', () => {
  const ids = (count: number, length = 27): string[] =>
    Array.from({ length: count }, (_, index) => String(index).padStart(length, '0'));

  it.each([
    { given: 'nothing', terms: [], by: undefined, found: undefined },
    { given: 'terms', terms: ["a='1'", "b='2'"], by: undefined, found: ["a='1' and b='2'"] },
    { given: 'a selection', terms: [], by: { field: 'id', values: ['x'] }, found: ["id='x'"] },
    { given: 'both', terms: ["a='1'"], by: { field: 'id', values: ['y', 'x'] }, found: ["a='1' and id in ('x','y')"] },
    { given: 'a selection of nothing', terms: ["a='1'"], by: { field: 'id', values: [] }, found: [] },
    { given: 'a term that nothing fulfils', terms: ["a='1'", undefined], by: undefined, found: [] },
  ])('for $given are $found', ({ terms, by, found }) => {
    expect(searches(terms, by)).toEqual(found);
  });

  it.each([
    { what: 'as many as a page has', count: 250, length: 27, chunks: [100, 100, 50] },
    { what: 'fewer when they are long', count: 250, length: 32, chunks: [99, 99, 52] },
    { what: 'one when it is all that fits', count: 2, length: 4000, chunks: [1, 1] },
  ])('for many values have $what', ({ count, length, chunks }) => {
    const found = searches([], { field: 'id', values: ids(count, length) });
    expect(found?.map((search) => search.split("'").length >> 1)).toEqual(chunks);
  });

  it.each([
    { given: 'a value', search: () => searches([], { field: 'id', values: ['x'.repeat(5000)] }) },
    { given: 'a term', search: () => searches([equal('name', 'x'.repeat(5000))]) },
  ])('for $given that is too long are refused', ({ search }) => {
    expect(search).toThrow(expect.objectContaining({ code: 'OCM_SEARCH_TOO_LONG' }));
  });

  it('have each value once, and are short enough to be sent', () => {
    const value = fc.string({ unit: fc.constantFrom('a', 'Z', '7', "'", ' ', 'ä', '€', '%'), maxLength: 60 });
    holds(
      fc.property(
        fc.array(value, { maxLength: 300 }),
        fc.array(fc.constant("managed='true'"), { maxLength: 3 }),
        (values, terms) => {
          const found = searches(terms, { field: 'id', values }) ?? [];
          expect(found.flatMap(valuesIn).sort()).toEqual([...new Set(values)].sort());
          for (const search of found) {
            expect(new URL(`http://x/?${new URLSearchParams({ search })}`).search.length).toBeLessThanOrEqual(
              MAX_SEARCH_BYTES + 1,
            );
            expect(valuesIn(search).length).toBeLessThanOrEqual(MAX_SEARCH_VALUES);
          }
        },
      ),
    );
  });
});

/** The values of the selection, read back as the grammar of searches has it. */
function valuesIn(search: string): string[] {
  const [, list = ''] = /(?:^| and )id(?:=| in \()((?:'(?:[^']|'')*',?)+)\)?$/.exec(search) ?? [];
  return [...list.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"));
}
