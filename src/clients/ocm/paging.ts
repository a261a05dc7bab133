import { isJson, type Json } from '../../base/index.ts';
import { OcmError } from './transport.ts';

/** A million rows: the labels of more than a hundred thousand clusters. */
export const MAX_PAGES = 10_000;
/** A list that is incomplete, or changes while it is read, is read again; this often in all. */
export const MAX_READINGS = 3;

/** A list without rows may come without `items`, but not without its total as well: that could be anything. */
export function pageOf(request: string, body: Json): Page {
  const { items } = body;
  const total = totalOf(request, body['total']);
  if (items === undefined && total === undefined) throw notAList(request, 'it has neither items nor a total');
  if (items === undefined || items === null) return { items: [], total };
  if (!Array.isArray(items)) throw notAList(request, 'its items are not a list');
  return { items, total };
}

function totalOf(request: string, total: unknown): number | undefined {
  if (total === undefined || total === null) return undefined;
  if (Number.isSafeInteger(total) && Number(total) >= 0) return Number(total);
  throw notAList(request, 'its total is not a number of rows');
}

/**
 * All rows of a list, each id once: exactly as many as its latest total. A list that has another number of rows, or that
 * shrinks while it is read, is read again, and then an error: never a shorter list. A list without any total ends with its
 * first empty page; whether rows are missing cannot be known. Not noticed: between two pages one row of the first ones is
 * removed and one of the later ones added.
 */
export async function readPages(
  request: string,
  read: ReadPage,
  pause: (reading: number) => Promise<void>,
): Promise<readonly unknown[]> {
  for (let reading = 1; ; reading += 1) {
    const found = await readOnce(request, read);
    if (!('flaw' in found)) return found;
    if (reading === MAX_READINGS) throw incomplete(request, found.flaw);
    await pause(reading);
  }
}

/** Why a reading does not count. */
interface Flawed {
  readonly flaw: string;
}

async function readOnce(request: string, read: ReadPage): Promise<readonly unknown[] | Flawed> {
  const rows = new Map<unknown, unknown>();
  let [received, found] = [0, 0];
  let total: number | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const slice = await pageSlice(read, page, received);
    if (hasShrunk(total, slice)) return { flaw: 'rows were removed, so others may be missing' };
    total = slice.total ?? total;
    for (const item of slice.items) rows.set(keyOf(item), item);
    const count = slice.items.length;
    received += count;
    if (isLast(count, received, total)) return counted([...rows.values()], total);
    const before = found;
    found = rows.size;
    if (found === before) return { flaw: `page ${page} has only rows of the pages before it` };
  }
  throw new OcmError({
    code: 'OCM_LIST_TOO_LONG',
    message: `${request} has more than ${MAX_PAGES} pages of ${PAGE_SIZE}`,
    hint: 'narrow the query',
  });
}

/** A server may give fewer rows than were asked for, or more: only a total or an empty page is an end. */
function isLast(count: number, received: number, total: number | undefined): boolean {
  return count === 0 || (total !== undefined && received >= total);
}

/** A row that moved to the next page came twice and counts once: the one in its place was not read. */
function counted(rows: readonly unknown[], total: number | undefined): readonly unknown[] | Flawed {
  if (total === undefined || rows.length === total) return rows;
  return { flaw: `${rows.length} rows, but a total of ${total}` };
}

/** A server that gives fewer rows than asked for has its own page size: its pages cannot be split by ours. */
async function pageSlice(read: ReadPage, page: number, received: number): Promise<Slice> {
  const offset = (page - 1) * PAGE_SIZE;
  return received === offset ? sliceOf(read, offset) : { ...(await read(page, PAGE_SIZE)), shrunk: false };
}

function keyOf(item: unknown): unknown {
  return isJson(item) && typeof item['id'] === 'string' ? item['id'] : item;
}

function incomplete(request: string, flaw: string): OcmError {
  return new OcmError({
    code: 'OCM_LIST_INCOMPLETE',
    message: `${request} returned an incomplete list ${MAX_READINGS} times: ${flaw}`,
    hint: 'try again later; check the OCM status page. Nothing is decided on a part of a list',
  });
}

function notAList(request: string, why: string): OcmError {
  return new OcmError({
    code: 'OCM_ANSWER',
    message: `${request} did not return a list: ${why}`,
    hint: 'check that the URL is that of the OCM API',
  });
}

export const PAGE_SIZE = 100;
/**
 * Each divides the one before, so that smaller pages cover exactly the rows of a larger one. Few steps: each one down to a
 * row that is too large costs a response of the size limit.
 */
const SIZES: readonly number[] = [PAGE_SIZE, 10, 1];

export interface Page {
  readonly items: readonly unknown[];
  /** Rows of all pages, as the server counts them at that moment; not every answer says. */
  readonly total: number | undefined;
}

/** Pages count from 1. */
export type ReadPage = (page: number, size: number) => Promise<Page>;

interface Slice extends Page {
  /** Rows went away between smaller pages. */
  readonly shrunk: boolean;
}

/** The rows of a page of the usual size; in smaller pages where the response is over the size limit. */
async function sliceOf(read: ReadPage, offset: number, step = 0): Promise<Slice> {
  const size = SIZES[step] ?? 1;
  try {
    return { ...(await read(offset / size + 1, size)), shrunk: false };
  } catch (thrown) {
    if (!(thrown instanceof OcmError && thrown.tooLarge)) throw thrown;
    if (size === 1) throw rowTooLarge(thrown, offset + 1);
    return inSmaller(read, { offset, size, step: step + 1 }, thrown);
  }
}

/** What such a row says, and of whom, stays unknown: nothing is decided without it. */
function rowTooLarge({ message }: OcmError, row: number): OcmError {
  return new OcmError({
    code: 'OCM_ANSWER',
    message: `${message}, for row ${row} alone`,
    hint: 'find that record in OCM and delete or shorten it; or check that the URL is that of the OCM API',
    tooLarge: true,
  });
}

interface Range {
  readonly offset: number;
  readonly size: number;
  readonly step: number;
}

/** Whether fewer rows are counted than before, or than at the beginning of the slice. */
function hasShrunk(before: number | undefined, { total, shrunk }: Slice): boolean {
  return shrunk || (before !== undefined && total !== undefined && total < before);
}

/** A short page that may not be the last: the server has its own page size, and the next one would skip rows. */
function isCutShort(count: number, size: number, left: number): boolean {
  return count > 0 && count < size && count < left;
}

async function inSmaller(read: ReadPage, { offset, size, step }: Range, tooLarge: OcmError): Promise<Slice> {
  const items: unknown[] = [];
  const smaller = SIZES[step] ?? 1;
  let total: number | undefined;
  let shrunk = false;
  for (let from = offset; from < offset + size; from += smaller) {
    const part = await sliceOf(read, from, step);
    items.push(...part.items);
    shrunk ||= hasShrunk(total, part);
    total = part.total ?? total;
    const count = part.items.length;
    if (isCutShort(count, smaller, (total ?? Number.POSITIVE_INFINITY) - from)) throw tooLarge;
    if (count < smaller || from + smaller === total) break;
  }
  return { items, total, shrunk };
}
