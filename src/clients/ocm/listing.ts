import * as z from 'zod';
import { byText, defined, isJson, type Json, mapLimited, shortened } from '../../base/index.ts';
import { pauseBefore } from '../http/index.ts';
import { pageOf, readPages } from './paging.ts';
import { mappingIn, OcmError, type Transport } from './transport.ts';

/** A record that does not fit and was left out. */
export interface OcmProblem {
  /** `GET https://api.openshift.com/api/clusters_mgmt/v1/clusters` */
  readonly endpoint: string;
  readonly id: string | undefined;
  /** What else could be read of it, under its own names: `name`, `subscription.id`, `key`. */
  readonly known: Readonly<Record<string, string>>;
  readonly message: string;
}

/** A caller that acts on an absence must check the problems first. */
export interface OcmList<T> {
  readonly items: readonly T[];
  readonly problems: readonly OcmProblem[];
}

/** How records of one kind are read. */
export interface RecordKind<T> {
  readonly shape: z.ZodType<T>;
  /** Dotted names of fields that tell which record it is. */
  readonly known: readonly string[];
}

export interface Collection<T> extends RecordKind<T> {
  readonly path: string;
  /** In metrics. */
  readonly name: string;
  /** The parameter that orders rows, which the services call differently; some lists have none. */
  readonly orderBy?: 'order' | 'orderBy';
  readonly query?: Readonly<Record<string, string>>;
}

/** Searches of one list in flight at once, so that one long list leaves room for others. */
const SEARCHES_AT_ONCE = 4;

/** All records of a collection, by id; with searches, those that any of them finds. Throws where a list is incomplete. */
export async function listRecords<T>(
  transport: Transport,
  collection: Collection<T>,
  searches?: readonly string[],
): Promise<OcmList<T>> {
  const endpoint = transport.nameOf({ method: 'GET', path: collection.path });
  const lists = await mapLimited(searches ?? [undefined], SEARCHES_AT_ONCE, (search) =>
    readPages(
      endpoint,
      (page, size) => readPage(transport, collection, { page, size, search }),
      (reading) => transport.clock.sleep(pauseBefore(reading, transport.random), transport.signal),
    ),
  );
  const rows = new Map(lists.flatMap((list) => list as readonly Row<T>[]).map((row) => [row.id ?? row, row]));
  return separated([...rows.values()].sort(byId));
}

/** Reads each row by itself: one that does not fit is a problem and takes no other with it. */
export function readRecords<T>(endpoint: string, kind: RecordKind<T>, rows: readonly unknown[]): OcmList<T> {
  return separated(rows.map((row) => readRow(endpoint, kind, row)));
}

/** A row as it was read. Rows of a page are read when it arrives, so that a long list does not keep them in full. */
interface Row<T> {
  readonly id: string | undefined;
  readonly read: { readonly item: T } | { readonly problem: OcmProblem };
}

function readRow<T>(endpoint: string, { shape, known }: RecordKind<T>, row: unknown): Row<T> {
  const result = shape.safeParse(row);
  return {
    id: idOf(row),
    read: result.success ? { item: result.data } : { problem: problemOf(endpoint, known, row, result.error) },
  };
}

function separated<T>(rows: readonly Row<T>[]): OcmList<T> {
  const items: T[] = [];
  const problems: OcmProblem[] = [];
  for (const { read } of rows) {
    if ('item' in read) items.push(read.item);
    else problems.push(read.problem);
  }
  return { items, problems };
}

/** The one record of an answer. */
export function readRecord<T>(request: string, kind: RecordKind<T>, body: unknown): T {
  const { items, problems } = readRecords(request, kind, [mappingIn(request, body)]);
  const [record] = items;
  if (record !== undefined) return record;
  throw new OcmError({
    code: 'OCM_ANSWER',
    message: `${request} returned an invalid record: ${problems[0]?.message}`,
    hint: 'OCM may have changed: report this with the version of Echelon',
    mayHaveArrived: true,
  });
}

interface Asked {
  readonly page: number;
  readonly size: number;
  readonly search: string | undefined;
}

async function readPage<T>(transport: Transport, collection: Collection<T>, { page, size, search }: Asked) {
  const { path, name, orderBy, query } = collection;
  const request = { method: 'GET', path } as const;
  const body = await transport.send({
    ...{ ...request, collection: name },
    query: {
      ...query,
      ...defined({ search }),
      ...(orderBy === undefined ? {} : { [orderBy]: 'id' }),
      ...{ page: String(page), size: String(size) },
    },
  });
  const named = transport.nameOf(request);
  const { items, total } = pageOf(named, mappingIn(named, body));
  return { items: items.map((row) => readRow(named, collection, row)), total };
}

const MAX_ISSUES = 3;

function problemOf(endpoint: string, names: readonly string[], row: unknown, error: z.ZodError): OcmProblem {
  const issues = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  const more = issues.length > MAX_ISSUES ? ` and ${issues.length - MAX_ISSUES} more` : '';
  const known = names.flatMap((name) => {
    const value = valueAt(row, name);
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const message = `${issues.slice(0, MAX_ISSUES).join('; ')}${more}`;
  return { endpoint, id: idOf(row), known: Object.fromEntries(known), message };
}

function idOf(row: unknown): string | undefined {
  return isJson(row) && typeof row['id'] === 'string' ? row['id'] : undefined;
}

function byId(a: { readonly id: string | undefined }, b: { readonly id: string | undefined }): number {
  return byText(a.id ?? '', b.id ?? '');
}

function valueAt(row: unknown, name: string): unknown {
  return name.split('.').reduce((node: unknown, key) => (isJson(node) ? (node as Json)[key] : undefined), row);
}

/** OCM leaves out what is empty; null and the empty text mean the same. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value || undefined);

/** Absent is false. */
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

export const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);

/** A text that an id or a name must have. */
export const required = z.string().min(1);

const UNSET_YEAR = '0001-';

/** RFC 3339, as it came; the services write the year 1 for none. */
export const time = z
  .string()
  .refine((value) => !Number.isNaN(Date.parse(value)), 'Invalid input: expected a date and time')
  .nullish()
  .transform((value) => (value?.startsWith(UNSET_YEAR) ? undefined : (value ?? undefined)));

/** Rows inside a record, read later one by one. */
export const rows = z
  .array(z.unknown())
  .nullish()
  .transform((value) => value ?? []);

/** Rows whose field has one of these values. There may be many: they are asked for in several searches. */
export interface Selection<Field extends string = string> {
  readonly field: Field;
  readonly values: readonly string[];
}

/** Of a search as it stands in a URL: longer ones are cut off by gateways. */
export const MAX_SEARCH_BYTES = 4096;
/** As many as fit on a page, where each value has one row. */
export const MAX_SEARCH_VALUES = 100;

export function equal(field: string, value: string): string {
  return `${field}='${quoted(value)}'`;
}

/** Sorted and without repetition, so that equal questions are equal texts. Of no values nothing is one: undefined. */
export function oneOf(field: string, values: readonly string[]): string | undefined {
  const [only, ...more] = distinct(values);
  if (only === undefined) return undefined;
  if (more.length === 0) return equal(field, only);
  return `${field} in (${[only, ...more].map((value) => `'${quoted(value)}'`).join(',')})`;
}

/** `_` and `%` in the prefix match any text, and cannot be escaped: check what comes back. */
export function startsWith(field: string, prefix: string): string {
  return `${field} like '${quoted(prefix)}%'`;
}

export function atLeast(field: string, value: string): string {
  return `${field} >= '${quoted(value)}'`;
}

/**
 * The searches that together find the rows of a selection that fulfil all terms, each short enough to be sent.
 * Undefined asks for everything; no search at all, where nothing can be found, for nothing.
 */
export function searches(given: readonly (string | undefined)[], selection?: Selection): string[] | undefined {
  const terms = given.filter((term) => term !== undefined);
  if (terms.length < given.length) return [];
  if (selection === undefined) return terms.length === 0 ? undefined : [fitting(terms.join(' and '))];
  return chunks(terms, { field: selection.field, values: distinct(selection.values) });
}

function chunks(terms: readonly string[], { field, values }: Selection): string[] {
  const found: string[] = [];
  const render = (some: readonly string[]): string => [...terms, oneOf(field, some)].join(' and ');
  for (let start = 0; start < values.length; ) {
    let end = Math.min(start + MAX_SEARCH_VALUES, values.length);
    while (end > start + 1 && sizeOf(render(values.slice(start, end))) > MAX_SEARCH_BYTES) end -= 1;
    found.push(fitting(render(values.slice(start, end))));
    start = end;
  }
  return found;
}

function fitting(search: string): string {
  if (sizeOf(search) <= MAX_SEARCH_BYTES) return search;
  throw new OcmError({
    code: 'OCM_SEARCH_TOO_LONG',
    message: `a search of ${sizeOf(search)} bytes exceeds the limit of ${MAX_SEARCH_BYTES}`,
    hint: `shorten the value that starts with ${shortened(search)}`,
  });
}

function sizeOf(search: string): number {
  return new URLSearchParams({ search }).toString().length;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort(byText);
}

function quoted(value: string): string {
  return value.replaceAll("'", "''");
}
