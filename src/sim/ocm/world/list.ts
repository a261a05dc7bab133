import { type Service, SimOcmError } from '../ocm-error.ts';
import type { RandomStream } from '../random.ts';
import { compile, type Fields, type Test, UnknownField } from '../search/compile.ts';
import { SearchFault } from '../search/lexer.ts';
import { type Compare, OrderFault, parseOrder } from '../search/order.ts';
import { type Condition, parseSearch } from '../search/parser.ts';
import { revisionOf, type View } from './state.ts';
import type { Table } from './table.ts';

export interface ListQuery {
  readonly search?: string;
  /** `orderBy` of accounts and service logs, `order` of clusters. */
  readonly order?: string;
  /** From 1. */
  readonly page?: number;
  /** Below 0: all items. */
  readonly size?: number;
}

export interface Page<T> {
  readonly kind: string;
  readonly page: number;
  /** Items of this page. */
  readonly size: number;
  /** Items of all pages. */
  readonly total: number;
  readonly items: readonly T[];
}

const DEFAULT_PAGE_SIZE = 100;

/** A collection that can be searched. */
export interface Collection<Row extends { readonly id: string }, Index extends string = never> {
  readonly service: Service;
  /** `Label`; a page of them is a `LabelList`. */
  readonly kind: string;
  readonly table: (view: View) => Table<Row, Index>;
  readonly fields: (view: View) => Fields<Row>;
  /** Indexed fields, with the index key of a value. */
  readonly indexed?: Readonly<Record<string, { readonly index: Index; readonly key: (value: string) => string }>>;
  /** Whether the caller may see a row. */
  readonly visible?: (row: Row, view: View) => boolean;
  /** Replaces the test of the row's own fields, where a search may use fields of related records. */
  readonly test?: (condition: Condition, view: View) => Test<Row>;
}

/** One page of matches. Without an order the rows are shuffled each time, as a database may do. */
export function listPage<Row extends { readonly id: string }, Index extends string, T>(
  collection: Collection<Row, Index>,
  view: View,
  query: ListQuery,
  item: (row: Row) => T,
): Page<T> {
  const matching = remembered(collection, view, query);
  return pageOf(collection, view, query, inOrder(matching, view.shuffle), item);
}

/** One page of a small collection, in its own order. */
export function pageOf<Row extends { readonly id: string }, Index extends string, T>(
  { service, kind }: Pick<Collection<Row, Index>, 'service' | 'kind'>,
  { limits }: View,
  query: ListQuery,
  rows: readonly Row[],
  item: (row: Row) => T,
): Page<T> {
  const page = query.page ?? 1;
  const asked = query.size ?? DEFAULT_PAGE_SIZE;
  if (!Number.isInteger(page) || page < 1) throw new SimOcmError(service, 'bad-request', `bad page value '${page}'`);
  if (!Number.isInteger(asked)) throw new SimOcmError(service, 'bad-request', `bad size value '${asked}'`);
  const size = asked < 0 ? limits.pageSize : Math.min(asked, limits.pageSize);
  const items = rows.slice((page - 1) * size, page * size).map(item);
  return { kind: `${kind}List`, page, size: items.length, total: rows.length, items };
}

/** Rows of a small collection that match a search, in the order of the collection or the requested one. */
export function matchingRows<Row>(
  service: Service,
  rows: readonly Row[],
  fields: Fields<Row>,
  query: ListQuery,
): Row[] {
  return explained(service, query, () => {
    const condition = parseSearch(query.search ?? '');
    const test = condition === undefined ? undefined : compile(condition, fields);
    const order = parseOrder(query.order ?? '', fields);
    const found = rows.filter((row) => test === undefined || test(row) === true);
    return order === undefined ? found : found.sort(order);
  });
}

interface Matching<Row> {
  readonly rows: readonly Row[];
  /** Ranges (end exclusive) of rows that are equal in the order. */
  readonly ties: readonly (readonly [number, number])[];
}

const MAX_ANSWERS = 64;

/** Caches a search, since the pages of one listing repeat it. */
function remembered<Row extends { readonly id: string }, Index extends string>(
  collection: Collection<Row, Index>,
  view: View,
  query: ListQuery,
): Matching<Row> {
  const { answers, caller } = view;
  if (answers === undefined) return find(collection, view, query);
  const asked = [collection.kind, caller.role, caller.organizationId, query.search ?? '', query.order ?? ''];
  const key = JSON.stringify([...asked, revisionOf(view.state)]);
  const known = answers.get(key) as Matching<Row> | undefined;
  if (known !== undefined) return known;
  if (answers.size >= MAX_ANSWERS) answers.clear();
  const found = find(collection, view, query);
  answers.set(key, found);
  return found;
}

function find<Row extends { readonly id: string }, Index extends string>(
  collection: Collection<Row, Index>,
  view: View,
  query: ListQuery,
): Matching<Row> {
  return explained(collection.service, query, () => {
    const condition = parseSearch(query.search ?? '');
    const fields = collection.fields(view);
    const order = parseOrder(query.order ?? '', fields);
    const rows = filtered(collection, view, condition, fields);
    if (order === undefined) return { rows, ties: [[0, rows.length]] };
    return { rows: rows.sort(order), ties: tiesOf(rows, order) };
  });
}

function filtered<Row extends { readonly id: string }, Index extends string>(
  collection: Collection<Row, Index>,
  view: View,
  condition: Condition | undefined,
  fields: Fields<Row>,
): Row[] {
  const { visible } = collection;
  const test = condition && (collection.test?.(condition, view) ?? compile(condition, fields));
  const rows: Row[] = [];
  for (const row of candidates(collection, view, condition)) {
    if (visible !== undefined && !visible(row, view)) continue;
    if (test === undefined || test(row) === true) rows.push(row);
  }
  return rows;
}

/** Candidate rows from an index; all rows where no index applies. */
function candidates<Row extends { readonly id: string }, Index extends string>(
  { table, indexed }: Collection<Row, Index>,
  view: View,
  condition: Condition | undefined,
): Iterable<Row> {
  const rows = table(view);
  for (const part of partsOf(condition)) {
    const { field, values } = wantedValues(part);
    if (field === 'id') return values.flatMap((id) => rows.get(id) ?? []);
    const found = indexed?.[field];
    if (found !== undefined) return values.flatMap((value) => rows.by(found.index, found.key(value)));
  }
  return rows.all();
}

function partsOf(condition: Condition | undefined): readonly Condition[] {
  if (condition === undefined) return [];
  return condition.is === 'and' ? condition.parts : [condition];
}

/** The values that a simple condition allows for a field. */
function wantedValues(condition: Condition): { readonly field: string; readonly values: readonly string[] } {
  const none = { field: '', values: [] };
  if (condition.is === 'in' && condition.value.is === 'field')
    return { field: condition.value.name, values: [...new Set(condition.list.map(({ value }) => String(value)))] };
  if (condition.is !== 'compare' || condition.sign !== '=') return none;
  const { left, right } = condition;
  if (left.is !== 'field' || right.is !== 'literal') return none;
  return { field: left.name, values: [String(right.literal.value)] };
}

function tiesOf<Row>(rows: readonly Row[], order: Compare<Row>): (readonly [number, number])[] {
  const ties: (readonly [number, number])[] = [];
  let first = 0;
  for (let at = 1; at <= rows.length; at += 1) {
    const [before, row] = [rows[at - 1], rows[at]];
    if (before !== undefined && row !== undefined && order(before, row) === 0) continue;
    if (at - first > 1) ties.push([first, at]);
    first = at;
  }
  return ties;
}

function inOrder<Row>({ rows, ties }: Matching<Row>, random: RandomStream): readonly Row[] {
  if (ties.length === 0) return rows;
  const all = [...rows];
  for (const [from, to] of ties) {
    for (const [index, row] of random.shuffled(all.slice(from, to)).entries()) all[from + index] = row;
  }
  return all;
}

/** Reports an invalid search or order like OCM. */
function explained<T>(service: Service, query: ListQuery, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof SearchFault)
      throw new SimOcmError(service, 'search', `Failed to parse search query: ${query.search ?? ''}`);
    if (thrown instanceof UnknownField || thrown instanceof OrderFault)
      throw new SimOcmError(service, 'bad-request', thrown.message);
    throw thrown;
  }
}
