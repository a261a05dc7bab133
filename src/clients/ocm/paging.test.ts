import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsAsync } from '../../../test/support/property.ts';
import { MAX_PAGES, MAX_READINGS, PAGE_SIZE, type Page, pageOf, type ReadPage, readPages } from './paging.ts';
import { OcmError } from './transport.ts';

type Row = { readonly id: string };
const rows = (from: number, to: number): Row[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ id: `r${from + index}` }));
const LIST = 'GET https://ocm/things';

/** Reads a list without waiting in between. */
const readAll = (read: ReadPage) => readPages(LIST, read, async () => undefined);

/** Reads a list whose pages are given in the order they are asked for; tells what was asked and what came of it. */
async function read(pages: readonly (Page | undefined)[]) {
  const asked: number[] = [];
  const pauses: number[] = [];
  const take: ReadPage = async (page) => {
    const answer = pages[asked.length];
    asked.push(page);
    if (answer === undefined) throw new Error(`page ${page} was not expected`);
    return answer;
  };
  const reading = readPages(LIST, take, async (times) => void pauses.push(times));
  return { outcome: await reading.then((found) => found.length, messageAndCode), asked, pauses };
}

const messageAndCode = ({ code, message }: OcmError): string => `${code} ${message}`;
const incomplete = (why: string): string =>
  `OCM_LIST_INCOMPLETE ${LIST} returned an incomplete list ${MAX_READINGS} times: ${why}`;
const REMOVED = 'rows were removed, so others may be missing';

const page = (from: number, to: number, total?: number): Page => ({ items: rows(from, to), total });
const empty = (total?: number): Page => ({ items: [], total });

describe('a list is read', () => {
  it.each([
    { given: 'no rows', pages: [empty(0)], asked: [1], count: 0 },
    { given: 'no rows and no total', pages: [empty()], asked: [1], count: 0 },
    { given: 'one short page', pages: [page(1, 7, 7)], asked: [1], count: 7 },
    { given: 'one full page', pages: [page(1, 100, 100)], asked: [1], count: 100 },
    { given: 'more rows than asked for', pages: [page(1, 250, 250)], asked: [1], count: 250 },
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
    { given: 'a total on the first page only', pages: [page(1, 100, 150), page(101, 150)], asked: [1, 2], count: 150 },
    { given: 'a total on the last page only', pages: [page(1, 100), page(101, 150, 150)], asked: [1, 2], count: 150 },
    {
      given: 'a server with smaller pages',
      pages: [page(1, 50, 120), page(51, 100, 120), page(101, 120, 120)],
      asked: [1, 2, 3],
      count: 120,
    },
  ])('to its end with $given', async ({ pages, asked, count }) => {
    expect(await read(pages)).toEqual({ outcome: count, asked, pauses: [] });
  });

  it.each([
    { given: 'a short page', pages: [page(1, 7), empty()], asked: [1, 2], count: 7 },
    { given: 'a full page', pages: [page(1, 100), empty()], asked: [1, 2], count: 100 },
    { given: 'smaller pages', pages: [page(1, 50), page(51, 70), empty()], asked: [1, 2, 3], count: 70 },
  ])('to its first empty page without a total: $given', async ({ pages, asked, count }) => {
    expect(await read(pages)).toEqual({ outcome: count, asked, pauses: [] });
  });
});

/** One reading each, as it goes wrong; and a good one of the same list. */
const FLAWED: readonly { given: string; torn: Page[]; whole: Page[]; why: string }[] = [
  {
    given: 'half a page, and then an empty one',
    ...{ torn: [page(1, 50, 100), empty(100)], whole: [page(1, 100, 100)], why: '50 rows, but a total of 100' },
  },
  {
    given: 'half a page before others',
    torn: [page(1, 50, 250), page(101, 200, 250), page(201, 250, 250), empty(250)],
    whole: [page(1, 100, 250), page(101, 200, 250), page(201, 250, 250)],
    why: '200 rows, but a total of 250',
  },
  {
    given: 'half a last page',
    torn: [page(1, 100, 150), page(101, 120, 150), empty(150)],
    whole: [page(1, 100, 150), page(101, 150, 150)],
    why: '120 rows, but a total of 150',
  },
  {
    given: 'no rows and a total',
    ...{ torn: [empty(100)], whole: [page(1, 100, 100)], why: '0 rows, but a total of 100' },
  },
  {
    given: 'an empty page without the total of those before it',
    ...{ torn: [page(1, 50, 100), empty()], whole: [page(1, 100, 100)], why: '50 rows, but a total of 100' },
  },
  {
    given: 'rows and a total of 0',
    ...{ torn: [page(1, 7, 0)], whole: [page(1, 7, 7)], why: '7 rows, but a total of 0' },
  },
  {
    given: 'more rows than its total',
    torn: [page(1, 100, 3)],
    whole: [page(1, 100, 130), page(101, 130, 130)],
    why: '100 rows, but a total of 3',
  },
  {
    given: 'a row that moved to the next page',
    torn: [page(1, 100, 120), page(100, 120, 121)],
    whole: [page(1, 100, 121), page(101, 121, 121)],
    why: '120 rows, but a total of 121',
  },
  {
    given: 'a page of rows that came before',
    torn: [page(1, 100, 250), page(1, 100, 250)],
    whole: [page(1, 100, 250), page(101, 200, 250), page(201, 250, 250)],
    why: 'page 2 has only rows of the pages before it',
  },
  {
    given: 'a total that shrinks',
    torn: [page(1, 100, 150), page(102, 150, 149)],
    whole: [page(2, 101, 149), page(102, 150, 149)],
    why: REMOVED,
  },
  {
    given: 'a total that shrinks to what was read',
    ...{ torn: [page(1, 50, 100), empty(50)], whole: [page(51, 100, 50)], why: REMOVED },
  },
];

describe('a list that cannot be whole', () => {
  it.each(FLAWED)('is read again with $given', async ({ torn, whole }) => {
    const { outcome, pauses } = await read([...torn, ...whole]);
    expect([outcome, pauses]).toEqual([whole.flatMap(({ items }) => items).length, [1]]);
  });

  it.each(FLAWED)('is an error if it persists, never a shorter list: $given', async ({ torn, why }) => {
    const { outcome, asked, pauses } = await read(Array.from({ length: MAX_READINGS }, () => torn).flat());
    expect([outcome, asked.length, pauses]).toEqual([incomplete(why), torn.length * MAX_READINGS, [1, 2]]);
  });

  it.each([
    { what: 'rows are removed', change: (all: Row[], at: number) => all.toSpliced(at, 1), isHalf: false },
    {
      what: 'rows are added',
      change: (all: Row[], at: number) => all.toSpliced(at, 0, { id: `new${all.length}` }),
      isHalf: false,
    },
    { what: 'pages lack half of their rows', change: (all: Row[]) => all, isHalf: true },
  ])('never lacks a row that was there all the time, wherever $what', async ({ change, isHalf }) => {
    const moments = fc.array(fc.option(fc.nat(), { nil: undefined }), { maxLength: 20 });
    await holdsAsync(
      fc.asyncProperty(fc.integer({ min: 0, max: 450 }), moments, async (count, given) => {
        let all = rows(1, count);
        const queue = [...given];
        const reading = readAll(async (number, size) => {
          const at = queue.shift();
          if (at !== undefined) all = change(all, at % (all.length + 1));
          const items = all.slice((number - 1) * size, number * size);
          const given = isHalf && at !== undefined ? items.slice(items.length >> 1) : items;
          return { items: given, total: all.length };
        });
        const result = await reading.catch(messageAndCode);
        const found = typeof result === 'string' ? all : (result as readonly Row[]);
        if (typeof result === 'string') expect(result).toMatch(/^OCM_LIST_INCOMPLETE/);
        const ids = new Set(found.map(({ id }) => id));
        expect(all.filter(({ id }) => id.startsWith('r') && !ids.has(id))).toEqual([]);
      }),
    );
  });
});

describe('a list has', () => {
  it('the newest of rows that come twice', async () => {
    const pages: Page[] = [
      { items: [...rows(1, 99), { id: 'r100', age: 1 }], total: 101 },
      { items: [{ id: 'r100', age: 2 }, { id: 'r101' }], total: 101 },
    ];
    const found = await readAll(async (number) => pages[number - 1]!);
    expect(found.filter((row) => (row as { id: string }).id === 'r100')).toEqual([{ id: 'r100', age: 2 }]);
  });

  it('all of its rows that have no id', async () => {
    const found = await readAll(async () => ({
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

function untotalled({ asked, read }: ReturnType<typeof weighing>) {
  return { asked, read: async (page: number, size: number) => ({ ...(await read(page, size)), total: undefined }) };
}

describe('a page over the size limit', () => {
  it('is read in smaller pages of the same rows, and the next one in full again', async () => {
    const { asked, read: ask } = weighing(300, { 130: 60 }, 120);
    const found = await readAll(ask);
    expect(found).toHaveLength(300);
    const smaller = Array.from({ length: 10 }, (_, index) => `${11 + index}/10`);
    expect(asked).toEqual(['1/100', '2/100', ...smaller, '3/100']);
  });

  it('is read again when rows go away between its smaller pages', async () => {
    const asked: string[] = [];
    const found = await readAll(async (page, size) => {
      asked.push(`${page}/${size}`);
      if (asked.length === 1)
        throw new OcmError({ code: 'OCM_ANSWER', message: 'too large', hint: 'none', tooLarge: true });
      const left = asked.length <= 2 ? rows(1, 15) : rows(2, 15);
      return { items: left.slice((page - 1) * size, page * size), total: left.length };
    });
    expect(asked).toEqual(['1/100', '1/10', '2/10', '1/100']);
    expect(found).toEqual(rows(2, 15));
  });

  it.each([1, 7, 100, 101, 125, 203])('fails the list where row %i is too large by itself', async (row) => {
    const { asked, read: ask } = weighing(203, { [row]: 200 }, 120);
    await expect(readAll(ask)).rejects.toMatchObject({
      ...{ code: 'OCM_ANSWER', tooLarge: true, message: `${LIST}: too large, for row ${row} alone` },
    });
    expect(asked.length).toBeLessThan(25);
  });

  it.each([
    { given: 'the server has its own page size', list: weighing(60, { 30: 200 }, 120, 20) },
    { given: 'it may have its own page size, and no total', list: untotalled(weighing(57, { 30: 100 }, 120)) },
  ])('fails the list if $given: no row is lost in silence', async ({ list }) => {
    await expect(readAll(list.read)).rejects.toMatchObject({ tooLarge: true });
    expect(list.asked.length).toBeLessThan(25);
  });

  it('fails the list at once where every response is too large', async () => {
    const asked: string[] = [];
    const asking = readAll(async (page, size) => {
      asked.push(`${page}/${size}`);
      throw new OcmError({ code: 'OCM_ANSWER', message: 'too large', hint: 'none', tooLarge: true });
    });
    await expect(asking).rejects.toMatchObject({ tooLarge: true });
    expect(asked).toEqual(['1/100', '1/10', '1/1']);
  });
});

it('a list of 5,000 pages is read to its end, as the labels of 100,000 clusters are', async () => {
  const total = 5_000;
  const found = await readAll(async (page) => ({ items: rows(page, page), total }));
  expect(found).toHaveLength(total);
});

describe('a list that has no end is refused', () => {
  it('when the server gives the same page again and again', async () => {
    const asking = readAll(async () => ({ items: rows(1, PAGE_SIZE), total: undefined }));
    await expect(asking).rejects.toMatchObject({
      code: 'OCM_LIST_INCOMPLETE',
      message: expect.stringContaining('page 2 has only rows of the pages before it'),
    });
  });

  it('when there are more pages than anybody has', async () => {
    const asking = readAll(async (page) => ({ items: rows(page, page), total: 1_000_000_000 }));
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
