import { describe, expect, it } from 'vitest';
import { rowChanges } from './row-changes.ts';

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
