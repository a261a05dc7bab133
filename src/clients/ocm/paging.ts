import { isJson, type Json } from '../../base/index.ts';
import { OcmError } from './ocm-error.ts';

export const PAGE_SIZE = 100;
export const MAX_PAGES = 1000;
/** A list from which rows are removed while it is read is read again; this often in all. */
export const MAX_READINGS = 3;

export interface Page {
  readonly items: readonly unknown[];
  /** Rows of all pages, as the server counts them at that moment; not every answer says. */
  readonly total: number | undefined;
}

interface Rows {
  readonly rows: readonly unknown[];
  /** Rows went away during every reading, so that others may have slipped to a page that was read before. */
  readonly unstable: boolean;
}

/** A list without rows may come without `items`. */
export function pageOf(request: string, { items, total }: Json): Page {
  if (items === undefined || items === null) return { items: [], total: undefined };
  if (!Array.isArray(items)) throw notAList(request, 'its items are not a list');
  return { items, total: typeof total === 'number' && total >= 0 ? total : undefined };
}

/**
 * All rows of a list, each id once. A row that comes while it is read may be missed; of those that stay none is, unless
 * the result says so.
 */
export async function readPages(request: string, read: (page: number) => Promise<Page>): Promise<Rows> {
  for (let reading = 1; ; reading += 1) {
    const { rows, shrunk } = await readOnce(request, read);
    if (!shrunk || reading === MAX_READINGS) return { rows, unstable: shrunk };
  }
}

async function readOnce(
  request: string,
  read: (page: number) => Promise<Page>,
): Promise<{ rows: unknown[]; shrunk: boolean }> {
  const rows = new Map<unknown, unknown>();
  let [received, lastTotal, shrunk] = [0, 0, false];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { items, total } = await read(page);
    const before = rows.size;
    for (const item of items) rows.set(keyOf(item), item);
    received += items.length;
    shrunk ||= total !== undefined && total < lastTotal;
    lastTotal = total ?? lastTotal;
    if (isLast(items.length, received, total)) return { rows: [...rows.values()], shrunk };
    if (rows.size === before) throw notAList(request, `page ${page} has only rows of the pages before it`);
  }
  throw new OcmError({
    code: 'OCM_LIST_TOO_LONG',
    message: `${request} has more than ${MAX_PAGES} pages of ${PAGE_SIZE}`,
    hint: 'narrow the query',
  });
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

function notAList(request: string, why: string): OcmError {
  return new OcmError({
    code: 'OCM_ANSWER',
    message: `${request} did not return a list: ${why}`,
    hint: 'check that the URL is that of the OCM API',
  });
}
