import { describe, expect, it } from 'vitest';
import { type Columns, foundRows, matches, readQuery, searchOf } from './list.ts';

const NAMES = ['org', 'version'];

describe('a query', () => {
  it.each([
    { search: '', same: '' },
    { search: '?org=a&org=b&q=x+y&sort=-org&page=2', same: '?org=a&org=b&q=x+y&sort=-org&page=2' },
    { search: '?q=x&org=a', same: '?org=a&q=x' },
    { search: '?org=&q=&sort=&page=1', same: '' },
    { search: '?stranger=1&constructor=2', same: '' },
    { search: '?page=-3', same: '' },
    { search: '?page=x', same: '' },
    { search: '?org=a&org=a', same: '?org=a' },
    { search: '?org=%3Cb%3E%26', same: '?org=%3Cb%3E%26' },
  ])('$search is written $same', ({ search, same }) => {
    expect(searchOf(readQuery(search, NAMES))).toBe(same);
  });

  it('is cut where nobody types so much', () => {
    expect(readQuery(`?q=${'a'.repeat(1_000)}`, NAMES).q).toHaveLength(200);
  });
});

interface Row {
  readonly org: string;
  readonly versions: readonly string[];
}
const ROWS: readonly Row[] = [
  { org: 'b', versions: ['1', '2'] },
  { org: 'a', versions: ['2'] },
  { org: 'c', versions: ['3'] },
];
const COLUMNS: Columns<Row> = {
  filters: { org: ({ org }) => [org], version: ({ versions }) => versions },
  text: ({ org }) => org,
  sorts: { org: (x, y) => (x.org < y.org ? -1 : 1) },
};

describe('rows', () => {
  it.each([
    { search: '', orgs: 'bac' },
    { search: '?version=2', orgs: 'ba' },
    { search: '?version=1&version=3', orgs: 'bc' },
    { search: '?version=2&org=a', orgs: 'a' },
    { search: '?org=nobody', orgs: '' },
    { search: '?sort=org', orgs: 'abc' },
    { search: '?sort=-org', orgs: 'cba' },
    { search: '?sort=constructor', orgs: 'bac' },
    { search: '?sort=--org', orgs: 'bac' },
    { search: '?q=C', orgs: 'c' },
    { search: '?q=a+c', orgs: '' },
  ])('of $search are $orgs', ({ search, orgs }) => {
    const found = foundRows(ROWS, readQuery(search, NAMES), COLUMNS);
    expect(found.map(({ org }) => org).join('')).toBe(orgs);
  });

  it.each([
    { q: '', found: true },
    { q: 'SOAK', found: true },
    { q: 'days  soak', found: true },
    { q: 'soaks', found: false },
  ])('with words $q: $found', ({ q, found }) => {
    expect(matches('has soaked 2 of 7 days', q)).toBe(found);
  });
});
