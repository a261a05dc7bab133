import { describe, expect, it } from 'vitest';
import { OcmError } from './ocm-error.ts';
import { MAX_OVERSIZED, PAGE_SIZE, type Page } from './page-slice.ts';
import { MAX_PAGES, MAX_READINGS, pageOf, readPages } from './paging.ts';

const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ id: `r${from + index}` }));
const LIST = 'GET https://ocm/things';

/** Reads a list whose pages are given in the order they are asked for; tells what was asked and what came of it. */
async function read(pages: readonly (Page | undefined)[]) {
  const asked: number[] = [];
  const result = await readPages(LIST, async (page) => {
    const answer = pages[asked.length];
    asked.push(page);
    if (answer === undefined) throw new Error(`page ${page} was not expected`);
    return answer;
  });
  return { asked, count: result.rows.length, unstable: result.unstable };
}

describe('a list is read', () => {
  const page = (from: number, to: number, total?: number): Page => ({ items: rows(from, to), total });
  const empty = (total?: number): Page => ({ items: [], total });
  it.each([
    { given: 'no rows', pages: [empty(0)], asked: [1], count: 0 },
    { given: 'no rows and no total', pages: [empty()], asked: [1], count: 0 },
    { given: 'one short page', pages: [page(1, 7, 7)], asked: [1], count: 7 },
    { given: 'one short page and no total', pages: [page(1, 7)], asked: [1], count: 7 },
    { given: 'one full page', pages: [page(1, 100, 100)], asked: [1], count: 100 },
    { given: 'one full page and no total', pages: [page(1, 100), empty()], asked: [1, 2], count: 100 },
    {
      given: 'several pages',
      pages: [page(1, 100, 250), page(101, 200, 250), page(201, 250, 250)],
      asked: [1, 2, 3],
      count: 250,
    },
    { given: 'full pages only', pages: [page(1, 100, 200), page(101, 200, 200)], asked: [1, 2], count: 200 },
    {
      given: 'a total that grows',
      pages: [page(1, 100, 200), page(101, 200, 201), page(201, 201, 201)],
      asked: [1, 2, 3],
      count: 201,
    },
    {
      given: 'a row that slips to the next page',
      pages: [page(1, 100, 120), page(100, 120, 121)],
      asked: [1, 2],
      count: 120,
    },
    { given: 'a total that is too small', pages: [page(1, 100, 3), page(101, 130, 3)], asked: [1, 2], count: 130 },
    { given: 'a total that is too large', pages: [page(1, 90, 500), empty(500)], asked: [1, 2], count: 90 },
    {
      given: 'a server with smaller pages',
      pages: [page(1, 50, 120), page(51, 100, 120), page(101, 120, 120)],
      asked: [1, 2, 3],
      count: 120,
    },
  ])('to its end with $given', async ({ pages, asked, count }) => {
    expect(await read(pages)).toEqual({ asked, count, unstable: false });
  });

  it('again when rows go away, as others may have slipped to a page before', async () => {
    const torn = [page(1, 100, 150), page(102, 150, 149)];
    const whole = [page(2, 101, 149), page(102, 150, 149)];
    expect(await read([...torn, ...whole])).toEqual({ asked: [1, 2, 1, 2], count: 149, unstable: false });
  });

  it('not for ever when rows go away each time, and then it says so', async () => {
    const torn = Array.from({ length: MAX_READINGS }, () => [page(1, 100, 150), page(102, 150, 149)]).flat();
    expect(await read(torn)).toEqual({ asked: [1, 2, 1, 2, 1, 2], count: 149, unstable: true });
  });

  it('with the newest of rows that come twice', async () => {
    const pages: Page[] = [
      { items: [...rows(1, 99), { id: 'r100', age: 1 }], total: 101 },
      { items: [{ id: 'r100', age: 2 }], total: 101 },
    ];
    const { rows: found } = await readPages(LIST, async (number) => pages[number - 1]!);
    expect(found.filter((row) => (row as { id: string }).id === 'r100')).toEqual([{ id: 'r100', age: 2 }]);
  });

  it('with all of its rows that have no id', async () => {
    const { rows: found } = await readPages(LIST, async () => ({
      items: [{ name: 'a' }, { name: 'a' }, null],
      total: 3,
    }));
    expect(found).toEqual([{ name: 'a' }, { name: 'a' }, null]);
  });
});

/** A server whose responses may have this weight; rows weigh 1 unless said otherwise. */
function weighing(count: number, weights: Readonly<Record<number, number>>, limit: number, ownSize = PAGE_SIZE) {
  const asked: string[] = [];
  const all = rows(1, count).map((row, index) => ({ ...row, weight: weights[index + 1] ?? 1 }));
  const read = async (page: number, size: number): Promise<Page> => {
    asked.push(`${page}/${size}`);
    const capped = Math.min(size, ownSize);
    const items = all.slice((page - 1) * capped, page * capped);
    if (items.reduce((sum, { weight }) => sum + weight, 0) <= limit) return { items, total: count };
    throw new OcmError({ code: 'OCM_ANSWER', message: `${LIST}: too large`, hint: 'none', tooLarge: true });
  };
  return { asked, read };
}

describe('a page over the size limit', () => {
  it('is read in smaller pages of the same rows, and the next one in full again', async () => {
    const { asked, read: ask } = weighing(300, { 130: 60 }, 120);
    const found = await readPages(LIST, ask);
    expect([found.rows.length, found.oversized]).toEqual([300, []]);
    const smaller = Array.from({ length: 10 }, (_, index) => `${11 + index}/10`);
    expect(asked).toEqual(['1/100', '2/100', ...smaller, '3/100']);
  });

  it('is read again when rows go away between its smaller pages', async () => {
    const asked: string[] = [];
    const found = await readPages(LIST, async (page, size) => {
      asked.push(`${page}/${size}`);
      if (asked.length === 1)
        throw new OcmError({ code: 'OCM_ANSWER', message: 'too large', hint: 'none', tooLarge: true });
      const left = asked.length <= 2 ? rows(1, 15) : rows(2, 15);
      return { items: left.slice((page - 1) * size, page * size), total: left.length };
    });
    expect([asked, found.unstable]).toEqual([['1/100', '1/10', '2/10', '1/100'], false]);
    expect(found.rows).toEqual(rows(2, 15));
  });

  it.each([1, 7, 100, 101, 125, 203])('lacks only the row %i that is too large by itself', async (row) => {
    const { asked, read: ask } = weighing(203, { [row]: 200 }, 120);
    const found = await readPages(LIST, ask);
    const missing = rows(1, 203).filter(({ id }) => !found.rows.some((each) => (each as { id: string }).id === id));
    expect([missing, found.oversized]).toEqual([[{ id: `r${row}` }], [`${LIST}: too large`]]);
    expect(asked.length).toBeLessThan(25);
  });

  it.each([
    { given: 'the server has its own page size', list: weighing(60, { 30: 200 }, 120, 20) },
    { given: 'too many rows are too large', list: weighing(1100, everyNth(1100, 1), 120) },
  ])('fails the list if $given: no row is lost in silence', async ({ list }) => {
    await expect(readPages(LIST, list.read)).rejects.toMatchObject({ tooLarge: true });
    expect(list.asked.length).toBeLessThanOrEqual(2 * MAX_OVERSIZED);
  });

  it.each([50, 100, 950])('lacks all %i rows where each is too large by itself', async (count) => {
    const found = await readPages(LIST, weighing(count, everyNth(count, 1), 120).read);
    expect([found.rows, found.oversized.length, found.unstable]).toEqual([[], count, false]);
  });

  it('fails the list at once where even a page without rows is too large', async () => {
    const asked: string[] = [];
    const asking = readPages(LIST, async (page, size) => {
      asked.push(`${page}/${size}`);
      throw new OcmError({ code: 'OCM_ANSWER', message: 'too large', hint: 'none', tooLarge: true });
    });
    await expect(asking).rejects.toMatchObject({ tooLarge: true });
    expect(asked).toEqual(['1/100', '1/10', '1000000/1']);
  });
});

function everyNth(count: number, nth: number): Record<number, number> {
  return Object.fromEntries(Array.from({ length: count / nth }, (_, index) => [(index + 1) * nth, 200]));
}

it('a list of 5,000 pages is read to its end, as the labels of 100,000 clusters are', async () => {
  const total = 5_000;
  const found = await readPages(LIST, async (page) => ({ items: rows(page, page), total }));
  expect([found.rows.length, found.unstable]).toEqual([total, false]);
});

describe('a list that has no end is refused', () => {
  it('when the server gives the same page again and again', async () => {
    const asking = readPages(LIST, async () => ({ items: rows(1, PAGE_SIZE), total: undefined }));
    await expect(asking).rejects.toMatchObject({
      code: 'OCM_ANSWER',
      message: `${LIST} did not return a list: page 2 has only rows of the pages before it`,
    });
  });

  it('when there are more pages than anybody has', async () => {
    const asking = readPages(LIST, async (page) => ({ items: rows(page, page), total: 1_000_000_000 }));
    await expect(asking).rejects.toMatchObject({
      code: 'OCM_LIST_TOO_LONG',
      message: expect.stringContaining(`${MAX_PAGES} pages`),
    });
  });
});

describe('the answer of a list', () => {
  it.each([
    { given: 'items and total', body: { items: [1], total: 5 }, read: { items: [1], total: 5 } },
    { given: 'no items', body: { kind: 'List', total: 0 }, read: { items: [], total: 0 } },
    { given: 'no items although it counts some', body: { kind: 'List', total: 9 }, read: { items: [], total: 9 } },
    { given: 'null for items', body: { items: null }, read: { items: [], total: undefined } },
    { given: 'no total', body: { items: [1] }, read: { items: [1], total: undefined } },
    { given: 'null for its total', body: { items: [1], total: null }, read: { items: [1], total: undefined } },
  ])('may have $given', ({ body, read: expected }) => {
    expect(pageOf(LIST, body)).toEqual(expected);
  });

  it.each([
    { given: 'items that are no list', body: { items: {} }, why: 'its items are not a list' },
    { given: 'neither items nor a total', body: { kind: 'List' }, why: 'it has neither items nor a total' },
    { given: 'no items and null for its total', body: { total: null }, why: 'it has neither items nor a total' },
    ...['1', -1, 1.5, Number.POSITIVE_INFINITY, {}, true].map((total) => ({
      ...{ given: `the total ${String(total)}`, body: { items: [1], total }, why: 'its total is not a number of rows' },
    })),
  ])('cannot have $given', ({ body, why }) => {
    expect(() => pageOf(LIST, body)).toThrow(`${LIST} did not return a list: ${why}`);
  });
});
