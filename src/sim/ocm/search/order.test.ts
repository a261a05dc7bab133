import { describe, expect, it } from 'vitest';
import { type Field, UnknownField } from './compile.ts';
import { OrderFault, parseOrder } from './order.ts';

type Row = { readonly a?: number; readonly b: string };

const FIELDS: Readonly<Record<string, Field<Row>>> = {
  a: { type: 'number', read: ({ a }) => a },
  b: { type: 'text', read: ({ b }) => b },
};
const ROWS: readonly Row[] = [{ a: 2, b: 'x' }, { a: 10, b: 'x' }, { b: 'y' }, { a: 2, b: 'w' }];

function sorted(order: string): (number | string)[][] {
  const compare = parseOrder(order, (name) => FIELDS[name]);
  return [...ROWS].sort(compare ?? (() => 0)).map(({ a, b }) => [a ?? '-', b]);
}

describe('an order', () => {
  it.each([
    { order: 'a', first: [2, 'x'], last: ['-', 'y'] },
    { order: 'a asc, b', first: [2, 'w'], last: ['-', 'y'] },
    { order: 'a desc', first: ['-', 'y'], last: [2, 'w'] },
    { order: 'b desc,a desc', first: ['-', 'y'], last: [2, 'w'] },
    { order: '', first: [2, 'x'], last: [2, 'w'] },
  ])('$order begins with $first and ends with $last', ({ order, first, last }) => {
    expect(sorted(order).at(0)).toEqual(first);
    expect(sorted(order).at(-1)).toEqual(last);
  });

  it.each(['a up', 'a DESC', 'a,,b', 'a; b', 'a asc desc'])('%s cannot be read', (order) => {
    expect(() => sorted(order)).toThrow(OrderFault);
  });

  it('names a field that there is not', () => {
    expect(() => sorted('c')).toThrow(UnknownField);
  });
});
