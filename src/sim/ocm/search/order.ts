import { type Fields, type Scalar, UnknownField } from './compile.ts';

/** An invalid order. */
export class OrderFault extends Error {}

export type Compare<Row> = (a: Row, b: Row) => number;

const TERM = /^([A-Za-z_][A-Za-z_./0-9]*)(?:\s+(asc|desc))?$/;

/** `f1 [asc|desc][, f2 …]`; undefined for a blank one. Throws `OrderFault` or `UnknownField`. */
export function parseOrder<Row>(order: string, fields: Fields<Row>): Compare<Row> | undefined {
  if (order.trim() === '') return undefined;
  const terms = order.split(',').map((term) => orderTerm(term.trim(), fields));
  return (a, b) => {
    for (const term of terms) {
      const found = term(a, b);
      if (found !== 0) return found;
    }
    return 0;
  };
}

function orderTerm<Row>(term: string, fields: Fields<Row>): Compare<Row> {
  const [, name, direction] = TERM.exec(term) ?? [];
  if (name === undefined) throw new OrderFault(`bad order value '${term}'`);
  const field = fields(name);
  if (field === undefined) throw new UnknownField(name);
  const sign = direction === 'desc' ? -1 : 1;
  return (a, b) => sign * compareScalars(field.read(a), field.read(b));
}

/** Missing values come last in ascending order, as in PostgreSQL. */
function compareScalars(a: Scalar, b: Scalar): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -1 : 1;
}
