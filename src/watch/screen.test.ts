import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { cut } from '../base/index.ts';
import { instantOf } from '../gates/index.ts';
import { liveScreen } from './screen.ts';
import type { WatchState } from './view.ts';

const plain = (_: string, text: string): string => text;
const NOW = Date.parse('2026-03-02T10:00:00Z');
const ROWS = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, name < 'e' ? 'ok' : 'lagging', 'because of reasons']);

function state(rows: readonly string[][], more: Partial<WatchState> = {}): WatchState {
  return {
    view: {
      awaited: { what: '2 of 6 shards', causes: [{ number: 2, text: 'lagging', detail: 'because of reasons' }] },
      table: { titles: ['NAME', 'STATE', 'WHY'], rows },
      rows: rows.map(([name = '', is]) => ({ key: name, name, isAwaited: is === 'lagging' })),
      notes: ['4 ok, 2 lagging.'],
    },
    ...{ observedAt: instantOf(NOW), changed: new Set(), now: instantOf(NOW), interval: 2_000, ...more },
  };
}

describe('a live screen', () => {
  it('begins with what is waited for, and marks what changed', () => {
    expect(liveScreen(state(ROWS, { changed: new Set(['b', 'f']) }), { columns: 60, rows: 20 }, plain)).toEqual([
      'waiting for 2 of 6 shards: 2 lagging (because of reasons)',
      'observed 2026-03-02T10:00:00Z, every 2 s; 2 rows changed (*)',
      '',
      '  WHY: because of reasons',
      '  NAME   STATE',
      '  a      ok',
      '* b      ok',
      '  c      ok',
      '  d      ok',
      '  e      lagging',
      '* f      lagging',
      '4 ok, 2 lagging.',
    ]);
  });

  it.each([
    { height: 11, rows: ['a', 'b', 'c', 'd', 'e', 'f'], left: undefined },
    { height: 10, rows: ['a', 'b', 'e', 'f'], left: '2 rows not shown, none of them waited for' },
    { height: 8, rows: ['e', 'f'], left: '4 rows not shown, none of them waited for' },
    { height: 7, rows: ['e'], left: '5 rows not shown, 1 of them waited for' },
    { height: 6, rows: [], left: '6 rows not shown, 2 of them waited for' },
    { height: 3, rows: [], left: '6 rows not shown, 2 of them waited for' },
  ])('of $height lines shows $rows', ({ height, rows, left }) => {
    const lines = liveScreen(state(ROWS), { columns: 60, rows: height }, plain);
    expect(lines.flatMap((line) => /^ {2}([a-f]) /.exec(line)?.[1] ?? [])).toEqual(rows);
    expect(lines.find((line) => line.includes('not shown'))).toBe(left);
    expect(lines.length).toBeLessThanOrEqual(height);
  });

  it('keeps the table with its age and the error while observations fail', () => {
    const failed = state(ROWS, { failure: 'no route to host [X]', now: instantOf(NOW + 40_000) });
    const [first, second, third, ...rest] = liveScreen(failed, { columns: 60, rows: 20 }, plain);
    expect([first, second, third]).toEqual([
      'waiting for 2 of 6 shards: 2 lagging (because of reasons)',
      'observed 2026-03-02T10:00:00Z (40 s ago), every 2 s',
      'error: no route to host [X]',
    ]);
    expect(rest).toEqual(liveScreen(state(ROWS), { columns: 60, rows: 20 }, plain).slice(2));
  });

  it('of any size fits, whatever cells, notes and errors contain, and is not steered', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a\u001b[2Jb', '\n\n\n', '\u009b31m', '中文字', 'word '.repeat(40)),
    );
    holds(
      fc.property(
        fc.array(fc.tuple(text, text, text), { maxLength: 12 }),
        text,
        fc.integer({ min: 20, max: 200 }),
        fc.integer({ min: 1, max: 40 }),
        (rows, failure, columns, height) => {
          const given = state(
            rows.map((row) => [...row]),
            { failure },
          );
          const notes = [failure, failure];
          const lines = liveScreen({ ...given, view: { ...given.view, notes } }, { columns, rows: height }, plain);
          expect(lines.length).toBeLessThanOrEqual(height);
          for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
        },
      ),
    );
  });

  it('has no line that is wider than the terminal', () => {
    for (const columns of [30, 40, 60, 80, 120]) {
      const lines = liveScreen(state(ROWS, { failure: 'word '.repeat(30) }), { columns, rows: 30 }, plain);
      for (const line of lines) expect(cut(line, columns)).toBe(line);
    }
  });
});
