import type { WatchedView } from './watched-view.ts';

/** What became of a row since the observation before. */
export interface RowChange {
  readonly key: string;
  /** `lab/fleet Deployment x: STATE missing → lagging: it is set to another image` */
  readonly text: string;
}

type Compared = Pick<WatchedView, 'table' | 'rows'>;

/** Rows that are new, gone or different. A reason in which only numbers differ, such as the time to go, is the same. Linear. */
export function rowChanges(before: Compared, after: Compared): RowChange[] {
  const known = new Map(before.rows.map(({ key }, at) => [key, before.table.rows[at] ?? []]));
  const left = new Set(after.rows.map(({ key }) => key));
  const changes = after.rows.flatMap(({ key, name }, at) => {
    const row = after.table.rows[at] ?? [];
    const text = known.has(key) ? difference(after.table.titles, known.get(key) ?? [], row) : ['new'];
    return text === undefined ? [] : [{ key, text: [name, ...text, ...reason(row)].join(': ') }];
  });
  const gone = before.rows.filter(({ key }) => !left.has(key)).map(({ key, name }) => ({ key, text: `${name}: gone` }));
  return [...changes, ...gone];
}

/** Undefined if there is none; empty if only the reason differs. */
function difference(
  titles: readonly string[],
  before: readonly string[],
  after: readonly string[],
): readonly string[] | undefined {
  const last = titles.length - 1;
  const changed = titles
    .map((title, column) => ({ title, from: before[column] ?? '', to: after[column] ?? '', column }))
    .filter(({ from, to, column }) => from !== to && (column !== last || withoutNumbers(from) !== withoutNumbers(to)));
  if (changed.length === 0) return undefined;
  const cells = changed.filter(({ column }) => column !== last);
  return cells.length === 0 ? [] : [cells.map(({ title, from, to }) => `${title} ${from} → ${to}`).join(', ')];
}

/** Neither numbers nor durations such as `1h30m`. */
function withoutNumbers(text: string): string {
  return text.replaceAll(/(?:\d+[smhd]?)+/g, '0');
}

function reason(row: readonly string[]): string[] {
  const text = row.at(-1) ?? '';
  return text === '' || text === '-' ? [] : [text];
}
