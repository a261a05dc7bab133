import { describe, expect, it } from 'vitest';
import { type Awaited, awaitedText, rowChanges } from './view.ts';

const AWAITED: Awaited = {
  what: '3 of 12 shards',
  causes: [
    { number: 2, text: 'lagging', detail: 'it is set to another image' },
    { number: 1, text: 'missing' },
  ],
};

describe('what is waited for', () => {
  it.each<{ given: string; awaited: Awaited; which: 'brief' | 'detailed'; text: string }>([
    {
      given: 'in detail',
      awaited: AWAITED,
      which: 'detailed',
      text: 'waiting for 3 of 12 shards: 2 lagging (it is set to another image), 1 missing',
    },
    {
      given: 'without what changes by itself',
      awaited: AWAITED,
      which: 'brief',
      text: 'waiting for 3 of 12 shards: 2 lagging, 1 missing',
    },
    {
      given: 'with what is not waited for',
      awaited: { ...AWAITED, aside: [{ number: 4, text: 'held', detail: 'by a wave' }] },
      which: 'detailed',
      text: 'waiting for 3 of 12 shards: 2 lagging (it is set to another image), 1 missing; not waited for: 4 held (by a wave)',
    },
    { given: 'without causes', awaited: { what: 'x', causes: [] }, which: 'detailed', text: 'waiting for x' },
  ])('$given', ({ awaited, which, text }) => {
    expect(awaitedText(awaited, which)).toBe(text);
  });
});

const TITLES = ['NAME', 'STATE', 'IMAGE', 'WHY'];
const seen = (...rows: string[][]) => ({
  table: { titles: TITLES, rows },
  rows: rows.map(([name = '']) => ({ key: name, name, isAwaited: true })),
});
const BEFORE = seen(['a', 'lagging', 'v1 → v2', 'soaked 3m of 1h, at least 57m to go']);

describe('a row', () => {
  it.each([
    { given: 'the same', row: BEFORE.table.rows[0] ?? [], changes: [] },
    {
      given: 'only its times differ',
      row: ['a', 'lagging', 'v1 → v2', 'soaked 59m of 1h, at least 1h30m to go'],
      changes: [],
    },
    {
      given: 'its state differs',
      row: ['a', 'ok', 'v1 → v2', '-'],
      changes: ['a: STATE lagging → ok'],
    },
    {
      given: 'a number that is no part of the reason differs',
      row: ['a', 'lagging', 'v1 → v3', 'soaked 3m of 1h, at least 57m to go'],
      changes: ['a: IMAGE v1 → v2 → v1 → v3: soaked 3m of 1h, at least 57m to go'],
    },
    {
      given: 'another reason',
      row: ['a', 'lagging', 'v1 → v2', 'CrashLoopBackOff'],
      changes: ['a: CrashLoopBackOff'],
    },
  ])('$given', ({ row, changes }) => {
    expect(rowChanges(BEFORE, seen(row)).map(({ text }) => text)).toEqual(changes);
  });

  it('that is new or gone is a change, in whatever order rows are', () => {
    const [a, b, c] = [
      ['a', 'ok', '', '-'],
      ['b', 'ok', '', '-'],
      ['c', 'lagging', '', 'why'],
    ] as const;
    expect(rowChanges(seen([...a], [...b]), seen([...c], [...a]))).toEqual([
      { key: 'c', text: 'c: new: why' },
      { key: 'b', text: 'b: gone' },
    ]);
  });
});
