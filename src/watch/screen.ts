import { count, cut, escapeControls, tableLines, wrapped } from '../base/index.ts';
import { relativeText, secondText, withRelativeTimes } from '../gates/index.ts';
import { awaitedText, type WatchedView, type WatchState } from './view.ts';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export type ScreenPaint = (colour: 'bold' | 'dim' | 'red' | 'yellow', text: string) => string;

const [CHANGED, UNCHANGED] = ['* ', '  '];

/** Below this height no line is left empty. */
const ROOMY = 12;

/** The lines of a screen, never more than fit: what is waited for and why, when that was observed, the table, its notes. */
export function liveScreen(state: WatchState, { columns, rows: height }: ScreenSize, paint: ScreenPaint): string[] {
  const { view, failure } = state;
  const timed = (text: string): string => withRelativeTimes(text, state.now);
  const part = (lines: readonly string[]): string[] => fitted(lines, columns, Math.max(1, Math.floor(height / 4)));
  const head = [
    ...part([headline(view)]).map((line) => paint('bold', line)),
    ...part([observedText(state)]).map((line) => paint('dim', line)),
    ...(failure === undefined ? [] : part([timed(`error: ${failure}`)])).map((line) => paint('red', line)),
    ...(height < ROOMY ? [] : ['']),
  ];
  const notes = view.notes.length === 0 ? [] : part(view.notes.map(timed));
  const table = tableLines(view.table.titles, view.table.rows, paint, {
    width: columns - CHANGED.length,
    cell: timed,
  });
  const titles = view.rows.length === 0 ? [] : table.head.map((line) => `${UNCHANGED}${line}`);
  const shown = shownRows(state, table.rows, height - head.length - titles.length - notes.length);
  const above = shown.length === 0 ? [] : titles;
  const rows = shown.flatMap((at) => marked(table.rows[at] ?? [], state.changed.has(view.rows[at]?.key ?? ''), paint));
  const left = leftText(view, shown);
  return [...head, ...above, ...rows, ...left.map((line) => paint('yellow', line)), ...notes].slice(0, height);
}

function headline({ awaited }: WatchedView): string {
  return awaited === undefined ? 'nothing is waited for' : awaitedText(awaited, 'detailed');
}

/** `observed 2026-03-02T10:28:13Z, every 2 s; 3 rows changed (*)` */
function observedText({ observedAt, changed, failure, now, interval }: WatchState): string {
  const age = failure === undefined ? '' : ` (${relativeText(observedAt, now)})`;
  const changes = changed.size === 0 ? '' : `; ${count(changed.size, 'row')} changed (*)`;
  return `observed ${secondText(observedAt)}${age}, every ${interval / 1_000} s${changes}`;
}

/** Rows that fit, in their order: if not all do, first those that are waited for, then those that changed. */
function shownRows({ view, changed }: WatchState, lines: readonly (readonly string[])[], room: number): number[] {
  const all = lines.map((_, at) => at);
  const height = (rows: readonly number[]): number => rows.reduce((sum, at) => sum + (lines[at]?.length ?? 0), 0);
  if (height(all) <= room) return all;
  const rank = (at: number): number => {
    const row = view.rows[at];
    return (row?.isAwaited === true ? 0 : 2) + (changed.has(row?.key ?? '') ? 0 : 1);
  };
  const chosen: number[] = [];
  let left = room - 1;
  for (const at of all.toSorted((a, b) => rank(a) - rank(b) || a - b)) {
    left -= lines[at]?.length ?? 0;
    if (left < 0) break;
    chosen.push(at);
  }
  return chosen.toSorted((a, b) => a - b);
}

function leftText({ rows }: WatchedView, shown: readonly number[]): string[] {
  if (shown.length === rows.length) return [];
  const seen = new Set(shown);
  const awaited = rows.filter(({ isAwaited }, at) => isAwaited && !seen.has(at)).length;
  const some = awaited === 0 ? 'none of them waited for' : `${awaited} of them waited for`;
  return [`${count(rows.length - shown.length, 'row')} not shown, ${some}`];
}

function marked(lines: readonly string[], isChanged: boolean, paint: ScreenPaint): string[] {
  return lines.map((line, at) => `${isChanged && at === 0 ? paint('bold', CHANGED) : UNCHANGED}${line}`);
}

/** The texts in at most `most` lines; the last ends with `…` if there are more. */
function fitted(texts: readonly string[], columns: number, most: number): string[] {
  const lines = texts.flatMap((text) => wrapped(escapeControls(text), columns));
  const rest = lines.slice(most - 1).join(' ');
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), cut(rest, columns)];
}
