import { OcmError } from './ocm-error.ts';

export const PAGE_SIZE = 100;
/**
 * Each divides the one before, so that smaller pages cover exactly the rows of a larger one. Few steps: each one down to a
 * row that is too large costs a response of the size limit.
 */
const SIZES: readonly number[] = [PAGE_SIZE, 10, 1];
/** Rows over the size limit in one list; one with more of them is not read: each costs one to three large responses. */
export const MAX_OVERSIZED = 1000;
/** After the rows of any list: the response has their number and none of them. */
export const PAGE_AFTER_ALL = 1_000_000;

export interface Page {
  readonly items: readonly unknown[];
  /** Rows of all pages, as the server counts them at that moment; not every answer says. */
  readonly total: number | undefined;
}

/** Pages count from 1. */
export type ReadPage = (page: number, size: number) => Promise<Page>;

export interface Slice extends Page {
  /** Messages of rows that are over the size limit of a response by themselves. */
  readonly oversized: readonly string[];
  /** Rows went away between smaller pages. */
  readonly shrunk: boolean;
}

/** The rows of a page of the usual size; in smaller pages where the response is over the size limit. */
export async function sliceOf(read: ReadPage, offset: number): Promise<Slice> {
  return slice(read, offset, 0);
}

/** Whether the row is over the size limit by itself. */
export async function isOversized(read: ReadPage, row: number): Promise<boolean> {
  return (await slice(read, row - 1, SIZES.length - 1)).oversized.length > 0;
}

async function slice(read: ReadPage, offset: number, step: number): Promise<Slice> {
  const size = SIZES[step] ?? 1;
  try {
    return { ...(await read(offset / size + 1, size)), oversized: [], shrunk: false };
  } catch (thrown) {
    if (!(thrown instanceof OcmError && thrown.tooLarge)) throw thrown;
    if (size === 1) return { items: [], total: undefined, oversized: [thrown.message], shrunk: false };
    if (step + 2 === SIZES.length) await requireList(read);
    return inSmaller(read, { offset, size, step: step + 1 }, thrown);
  }
}

/** Before single rows are read, an empty page must prove that not every response of this endpoint is too large. */
async function requireList(read: ReadPage): Promise<void> {
  await read(PAGE_AFTER_ALL, 1);
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
  const oversized: string[] = [];
  const smaller = SIZES[step] ?? 1;
  let total: number | undefined;
  let shrunk = false;
  for (let from = offset; from < offset + size; from += smaller) {
    const part = await slice(read, from, step);
    items.push(...part.items);
    oversized.push(...part.oversized);
    shrunk ||= hasShrunk(total, part);
    total = part.total ?? total;
    if (oversized.length > MAX_OVERSIZED) throw tooLarge;
    const count = part.items.length + part.oversized.length;
    if (isCutShort(count, smaller, (total ?? Number.POSITIVE_INFINITY) - from)) throw tooLarge;
    if (count < smaller || from + smaller === total) break;
  }
  return { items, total, oversized, shrunk };
}
