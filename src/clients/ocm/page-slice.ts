import { OcmError } from './ocm-error.ts';

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

export interface Slice extends Page {
  /** Rows went away between smaller pages. */
  readonly shrunk: boolean;
}

/** The rows of a page of the usual size; in smaller pages where the response is over the size limit. */
export async function sliceOf(read: ReadPage, offset: number, step = 0): Promise<Slice> {
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
export function hasShrunk(before: number | undefined, { total, shrunk }: Slice): boolean {
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
