import { byText } from '../base/index.ts';
import { oncePer } from './once.ts';

/** Filters, order and page of a view, as in its URL. A name may occur more than once. */
export interface Query {
  readonly filters: ReadonlyMap<string, readonly string[]>;
  /** Words that a row must contain. */
  readonly q: string;
  /** The name of a column; with a leading `-`, descending. */
  readonly sort: string;
  /** From 1. */
  readonly page: number;
}

/** Longer values are truncated. */
const MOST_LETTERS = 200;
const MOST_VALUES = 20;

/** Reads the parameters that a view supports; other parameters are ignored. */
export function readQuery(search: string, filterNames: readonly string[]): Query {
  const given = new URLSearchParams(search);
  const filters = filterNames.flatMap((name) => {
    const values = [...new Set(given.getAll(name).filter((value) => value !== ''))].slice(0, MOST_VALUES);
    return values.length === 0 ? [] : [[name, values.map((value) => value.slice(0, MOST_LETTERS))] as const];
  });
  return {
    filters: new Map(filters),
    q: (given.get('q') ?? '').trim().slice(0, MOST_LETTERS),
    sort: (given.get('sort') ?? '').slice(0, MOST_LETTERS),
    page: Math.max(1, Math.trunc(Number(given.get('page') ?? 1)) || 1),
  };
}

/** The canonical form of a query, so that the same view has the same URL. */
export function searchOf({ filters, q, sort, page }: Query): string {
  const written = new URLSearchParams();
  for (const [name, values] of filters) for (const value of values) written.append(name, value);
  if (q !== '') written.set('q', q);
  if (sort !== '') written.set('sort', sort);
  if (page > 1) written.set('page', String(page));
  const text = written.toString();
  return text === '' ? '' : `?${text}`;
}

const NO_QUERY: Query = { filters: new Map(), q: '', sort: '', page: 1 };

/** The URL of a view with one filter: rows with one of the values. */
export function filteredHref(path: string, name: string, ...values: readonly string[]): string {
  return path + searchOf({ ...NO_QUERY, filters: new Map([[name, values]]) });
}

/** How the rows of a view are filtered and ordered. */
export interface Columns<Row> {
  /** Values of a row for filters. */
  readonly filters: Readonly<Record<string, (row: Row) => readonly string[]>>;
  /** The text that `q` searches. */
  readonly text: (row: Row) => string;
  readonly sorts: Readonly<Record<string, (a: Row, b: Row) => number>>;
}

/** Rows that pass the filters and have all words of the search, in order. */
export function foundRows<Row>(rows: readonly Row[], query: Query, columns: Columns<Row>): readonly Row[] {
  const tests = [...query.filters].map(([name, wanted]) => {
    const valuesOf = columns.filters[name];
    return (row: Row): boolean => valuesOf?.(row).some((value) => wanted.includes(value)) ?? true;
  });
  if (query.q !== '') tests.push((row) => matches(columns.text(row), query.q));
  const all = ordered(rows, query.sort, columns);
  return tests.length === 0 ? all : all.filter((row) => tests.every((test) => test(row)));
}

/** Rows in the orders that were asked for so far; only orders that exist are kept. */
const ordersOf = oncePer((_: readonly unknown[]) => new Map<string, readonly unknown[]>());

function ordered<Row>(rows: readonly Row[], sort: string, { sorts }: Columns<Row>): readonly Row[] {
  const key = sort.replace(/^-/, '');
  const compare = Object.hasOwn(sorts, key) ? sorts[key] : undefined;
  if (compare === undefined) return rows;
  const orders = ordersOf(rows) as Map<string, readonly Row[]>;
  const known = orders.get(sort) ?? rows.toSorted(sort === key ? compare : (a, b) => compare(b, a));
  orders.set(sort, known);
  return known;
}

/** Whether a text contains all words, case-insensitively. */
export function matches(text: string, q: string): boolean {
  const within = text.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}

/** Values to choose from, in order. */
export function valuesIn<Row>(rows: readonly Row[], valuesOf: (row: Row) => readonly string[]): string[] {
  return [...new Set(rows.flatMap(valuesOf))].filter((value) => value !== '').sort(byText);
}
