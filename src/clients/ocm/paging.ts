import { isJson, type Json } from '../../base/index.ts';
import { OcmError } from './ocm-error.ts';
import { hasShrunk, MAX_OVERSIZED, PAGE_SIZE, type Page, type ReadPage, type Slice, sliceOf } from './page-slice.ts';

/** A million rows: the labels of more than a hundred thousand clusters. */
export const MAX_PAGES = 10_000;
/** A list from which rows are removed while it is read is read again; this often in all. */
export const MAX_READINGS = 3;

interface Rows {
  readonly rows: readonly unknown[];
  /** Rows went away during every reading, so that others may have slipped to a page that was read before. */
  readonly unstable: boolean;
  /** Messages of rows that are over the size limit of a response by themselves. */
  readonly oversized: readonly string[];
}

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
 * All rows of a list, each id once. A row that comes while it is read may be missed; of those that stay none is, unless
 * the result says so.
 */
export async function readPages(request: string, read: ReadPage): Promise<Rows> {
  for (let reading = 1; ; reading += 1) {
    const { rows, shrunk, oversized } = await readOnce(request, read);
    if (!shrunk || reading === MAX_READINGS) return { rows, unstable: shrunk, oversized };
  }
}

async function readOnce(
  request: string,
  read: ReadPage,
): Promise<{ rows: unknown[]; shrunk: boolean; oversized: readonly string[] }> {
  const rows = new Map<unknown, unknown>();
  const oversized: string[] = [];
  let [received, lastTotal, shrunk] = [0, 0, false];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const slice = await pageSlice(read, page, received);
    const { items, total } = slice;
    const count = items.length + slice.oversized.length;
    oversized.push(...slice.oversized);
    if (oversized.length > MAX_OVERSIZED) throw tooManyOversized(oversized[0]);
    const before = rows.size;
    for (const item of items) rows.set(keyOf(item), item);
    received += count;
    shrunk ||= slice.shrunk || hasShrunk(lastTotal, total);
    lastTotal = total ?? lastTotal;
    if (isLast(count, received, total)) return { rows: [...rows.values()], shrunk, oversized };
    if (rows.size === before && slice.oversized.length === 0)
      throw notAList(request, `page ${page} has only rows of the pages before it`);
  }
  throw new OcmError({
    code: 'OCM_LIST_TOO_LONG',
    message: `${request} has more than ${MAX_PAGES} pages of ${PAGE_SIZE}`,
    hint: 'narrow the query',
  });
}

/** A server that gives fewer rows than asked for has its own page size: its pages cannot be split by ours. */
async function pageSlice(read: ReadPage, page: number, received: number): Promise<Slice> {
  const offset = (page - 1) * PAGE_SIZE;
  return received === offset
    ? sliceOf(read, offset)
    : { ...(await read(page, PAGE_SIZE)), oversized: [], shrunk: false };
}

/**
 * The count that came with this very page says whether there is more; an older one may be outdated. A server may
 * give fewer rows than were asked for and still have more, and one that counts wrongly is asked until a page is empty.
 */
function isLast(items: number, received: number, total: number | undefined): boolean {
  if (items === 0) return true;
  if (total === undefined) return items < PAGE_SIZE;
  return items < PAGE_SIZE ? received >= total : received === total;
}

function keyOf(item: unknown): unknown {
  return isJson(item) && typeof item['id'] === 'string' ? item['id'] : item;
}

function tooManyOversized(message = ''): OcmError {
  return new OcmError({
    code: 'OCM_ANSWER',
    message: `${message} for each of more than ${MAX_OVERSIZED} single rows`,
    hint: 'check that the URL is that of the OCM API',
    tooLarge: true,
  });
}

function notAList(request: string, why: string): OcmError {
  return new OcmError({
    code: 'OCM_ANSWER',
    message: `${request} did not return a list: ${why}`,
    hint: 'check that the URL is that of the OCM API',
  });
}
