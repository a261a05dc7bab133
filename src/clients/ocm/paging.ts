import { isJson, type Json } from '../../base/index.ts';
import { OcmError } from './ocm-error.ts';
import { hasShrunk, PAGE_SIZE, type Page, type ReadPage, type Slice, sliceOf } from './page-slice.ts';

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
