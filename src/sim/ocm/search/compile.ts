import { parseInstant } from '../instants.ts';
import { type Literal, SearchFault } from './lexer.ts';
import type { Comparison, Condition, Value } from './parser.ts';

type FieldType = 'text' | 'boolean' | 'number' | 'time';
export type Scalar = string | number | boolean | undefined;

/** The fields of a resource for searches and orders. Times are milliseconds since 1970. */
export interface Field<Row> {
  readonly type: FieldType;
  readonly read: (row: Row) => Scalar;
}

/** The field of a name; undefined when rows have none. */
export type Fields<Row> = (name: string) => Field<Row> | undefined;

/** A search for a field that the resource does not have. */
export class UnknownField extends Error {
  readonly field: string;

  constructor(field: string) {
    super(`${field} is not a valid field name`);
    this.field = field;
  }
}

/** As in SQL: a condition on a missing value is neither true nor false. */
type Truth = boolean | undefined;
export type Test<Row> = (row: Row) => Truth;

/** Throws `UnknownField`, or `SearchFault` where a literal cannot be of the field's type. */
export function compile<Row>(condition: Condition, fields: Fields<Row>): Test<Row> {
  switch (condition.is) {
    case 'and':
      return every(condition.parts.map((part) => compile(part, fields)));
    case 'or':
      return some(condition.parts.map((part) => compile(part, fields)));
    case 'not':
      return negated(compile(condition.part, fields));
    case 'null': {
      const { read } = operand(condition.value, fields);
      return (row) => read(row) === undefined;
    }
    case 'like':
      return like(condition.pattern, condition.foldCase, operand(condition.value, fields));
    case 'in':
      return within(condition.list, operand(condition.value, fields));
    case 'between': {
      const field = operand(condition.value, fields);
      return every([
        compare('>=', field, constant(condition.low, field.type)),
        compare('<=', field, constant(condition.high, field.type)),
      ]);
    }
    case 'compare':
      return comparison(condition.sign, condition.left, condition.right, fields);
  }
}

function every<Row>(tests: readonly Test<Row>[]): Test<Row> {
  return (row) => {
    let result: Truth = true;
    for (const test of tests) {
      const found = test(row);
      if (found === false) return false;
      if (found === undefined) result = undefined;
    }
    return result;
  };
}

function some<Row>(tests: readonly Test<Row>[]): Test<Row> {
  return (row) => {
    let result: Truth = false;
    for (const test of tests) {
      const found = test(row);
      if (found === true) return true;
      if (found === undefined) result = undefined;
    }
    return result;
  };
}

function negated<Row>(test: Test<Row>): Test<Row> {
  return (row) => {
    const found = test(row);
    return found === undefined ? undefined : !found;
  };
}

function like<Row>(pattern: string, foldCase: boolean, field: Field<Row>): Test<Row> {
  const matches = wildcard(pattern, foldCase);
  return (row) => {
    const value = field.read(row);
    return value === undefined ? undefined : matches(String(value));
  };
}

/** A prefix, the most frequent pattern, is fast. */
function wildcard(pattern: string, foldCase: boolean): (text: string) => boolean {
  const prefix = /^([^%_]*)%$/.exec(pattern)?.[1];
  if (prefix !== undefined && !foldCase) return (text) => text.startsWith(prefix);
  if (!foldCase) return (text) => matchesWildcard(text, pattern);
  return (text) => matchesWildcard(text.toLowerCase(), pattern.toLowerCase());
}

/** `%` matches any text, `_` one character; there is no escape. At most text length times pattern length steps. */
function matchesWildcard(text: string, pattern: string): boolean {
  let [at, spot, retryAt, retryIn] = [0, 0, 0, -1];
  while (at < text.length) {
    if (pattern[spot] === '%') {
      [retryAt, retryIn] = [at, spot];
      spot += 1;
    } else if (pattern[spot] === '_' || pattern[spot] === text[at]) {
      at += 1;
      spot += 1;
    } else if (retryIn >= 0) {
      retryAt += 1;
      [at, spot] = [retryAt, retryIn + 1];
    } else {
      return false;
    }
  }
  return /^%*$/.test(pattern.slice(spot));
}

function within<Row>(list: readonly Literal[], field: Field<Row>): Test<Row> {
  const wanted = new Set<Scalar>(list.map((literal) => coerce(literal, field.type)));
  return (row) => {
    const value = field.read(row);
    return value === undefined ? undefined : wanted.has(value);
  };
}

function comparison<Row>(sign: Comparison, left: Value, right: Value, fields: Fields<Row>): Test<Row> {
  const first = operand(left, fields);
  const second = right.is === 'literal' ? constant<Row>(right.literal, first.type) : operand(right, fields);
  return compare(sign, first, second);
}

function compare<Row>(sign: Comparison, left: Field<Row>, right: Field<Row>): Test<Row> {
  const holds = SIGNS[sign];
  return (row) => {
    const [first, second] = [left.read(row), right.read(row)];
    return first === undefined || second === undefined ? undefined : holds(first, second);
  };
}

type Known = string | number | boolean;

const SIGNS: Readonly<Record<Comparison, (a: Known, b: Known) => boolean>> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function operand<Row>(value: Value, fields: Fields<Row>): Field<Row> {
  if (value.is === 'literal') return constant(value.literal, value.literal.type);
  if (value.is === 'math') return math(value.sign, operand(value.left, fields), operand(value.right, fields));
  const field = fields(value.name);
  if (field === undefined) throw new UnknownField(value.name);
  return field;
}

function constant<Row>(literal: Literal, type: FieldType): Field<Row> {
  const value = coerce(literal, type);
  return { type, read: () => value };
}

const MATH: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

function math<Row>(sign: string, left: Field<Row>, right: Field<Row>): Field<Row> {
  const apply = MATH[sign] ?? (() => Number.NaN);
  return {
    type: 'number',
    read: (row) => {
      const [first, second] = [left.read(row), right.read(row)];
      return first === undefined || second === undefined ? undefined : apply(Number(first), Number(second));
    },
  };
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, t: true, false: false, f: false };

/** Clients write `managed = true`, `managed='true'` and `managed='t'`, and dates with and without quotes. */
function coerce({ type, value }: Literal, wanted: FieldType): Known {
  if (wanted === type) return value;
  if (wanted === 'text') return type === 'time' ? new Date(value).toISOString() : String(value);
  const found = { boolean: BOOLEANS[String(value).toLowerCase()], number: numberIn(value), time: timeIn(value) }[
    wanted
  ];
  if (found === undefined) throw new SearchFault(`${value} is not a valid ${wanted}`);
  return found;
}

function numberIn(value: Known): number | undefined {
  const number = typeof value === 'boolean' || value === '' ? Number.NaN : Number(value);
  return Number.isNaN(number) ? undefined : number;
}

function timeIn(value: Known): number | undefined {
  return typeof value === 'string' ? parseInstant(value) : undefined;
}
