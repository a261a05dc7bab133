import { describe, expect, it } from 'vitest';
import { listedRows } from './listing.ts';

const FRUIT = listedRows<{ name: string; colour?: string }>({
  kind: 'Fruit',
  noun: 'fruit',
  rows: [{ name: 'apple', colour: 'red' }, { name: 'pear' }, { name: 'apple', colour: 'green' }],
  columns: [
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'COLOUR', cell: ({ colour }) => colour ?? '', wide: true },
  ],
  name: ({ name }) => name,
  item: (row) => row,
});

describe('a listing', () => {
  it('shows wide columns only when asked, and an empty cell as -', () => {
    expect(FRUIT.cells('usual')).toEqual({ titles: ['NAME'], rows: [['apple'], ['pear'], ['apple']] });
    expect(FRUIT.cells('wide')).toEqual({
      titles: ['NAME', 'COLOUR'],
      rows: [
        ['apple', 'red'],
        ['pear', '-'],
        ['apple', 'green'],
      ],
    });
  });

  it.each([
    { names: [], left: ['apple', 'pear', 'apple'] },
    { names: ['apple'], left: ['apple', 'apple'] },
    { names: ['pear', 'plum'], left: ['pear'] },
    { names: ['plum'], left: [] },
  ])('narrowed to $names has the rows $left', ({ names, left }) => {
    expect(FRUIT.only(names).names()).toEqual(left);
    expect(FRUIT.only(names).items()).toHaveLength(left.length);
  });
});
