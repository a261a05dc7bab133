import type * as z from 'zod';
import { byText, defined, isJson, type Json, mapLimited } from '../../base/index.ts';
import { pauseBefore } from '../http/index.ts';
import { OcmError } from './ocm-error.ts';
import { pageOf, readPages } from './paging.ts';
import { mappingIn, type Transport } from './transport.ts';

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
