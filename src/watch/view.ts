import type { Table } from '../base/index.ts';
import type { Instant } from '../gates/index.ts';

/** One observation of a watched command, as it is shown. */
export interface WatchedView {
  /** Undefined when nothing is waited for. */
  readonly awaited?: Awaited;
  /** Its last column is a reason in words. */
  readonly table: Table;
  /** One for each row of the table. */
  readonly rows: readonly WatchedRow[];
  /** Lines below the table: totals, errors. */
  readonly notes: readonly string[];
  /** The reason why nothing could be observed; the previous view is more useful then. */
  readonly blind?: string;
}

interface WatchedRow {
  /** Stable between observations, and unique. */
  readonly key: string;
  /** The name that users see. */
  readonly name: string;
  readonly isAwaited: boolean;
}

/** The state of a watched command at one moment. */
export interface WatchState {
  /** The last successful observation. */
  readonly view: WatchedView;
  readonly observedAt: Instant;
  /** Keys of rows that changed in it. */
  readonly changed: ReadonlySet<string>;
  /** The error of later observations. */
  readonly failure?: string;
  readonly now: Instant;
  /** Milliseconds between two observations. */
  readonly interval: number;
}

/** The reasons why a command waits. */
export interface Awaited {
  /** `3 of 12 shards`. */
  readonly what: string;
  readonly causes: readonly AwaitedCause[];
  /** Other differences from what is declared, which the command does not wait for. */
  readonly aside?: readonly AwaitedCause[];
}

export interface AwaitedCause {
  readonly number: number;
  /** `lagging`, `for soak`. */
  readonly text: string;
  /** The reason, or the end of the wait. It may differ between observations although nothing happened. */
  readonly detail?: string;
}

/** `waiting for 3 of 12 shards: 2 lagging (it is set to another image), 1 missing`; brief without what is in parentheses. */
export function awaitedText({ what, causes, aside = [] }: Awaited, which: 'brief' | 'detailed'): string {
  const each = (cause: AwaitedCause): string => causeText(cause, which);
  const why = causes.length === 0 ? '' : `: ${causes.map(each).join(', ')}`;
  const besides = aside.length === 0 ? '' : `; not waited for: ${aside.map(each).join(', ')}`;
  return `waiting for ${what}${why}${besides}`;
}

function causeText({ number, text, detail }: AwaitedCause, which: 'brief' | 'detailed'): string {
  return detail === undefined || which === 'brief' ? `${number} ${text}` : `${number} ${text} (${detail})`;
}

/** The change of a row since the previous observation. */
export interface RowChange {
  readonly key: string;
  /** `lab/fleet Deployment x: STATE missing → lagging: it is set to another image` */
  readonly text: string;
}

type Compared = Pick<WatchedView, 'table' | 'rows'>;

/** Rows that are new, gone or different. A reason in which only numbers differ, such as the time to go, is the same. Linear. */
export function rowChanges(previous: Compared, current: Compared): RowChange[] {
  const rowsByKey = new Map(previous.rows.map(({ key }, at) => [key, previous.table.rows[at] ?? []]));
  const remaining = new Set(current.rows.map(({ key }) => key));
  const changes = current.rows.flatMap(({ key, name }, at) => {
    const row = current.table.rows[at] ?? [];
    const text = rowsByKey.has(key) ? difference(current.table.titles, rowsByKey.get(key) ?? [], row) : ['new'];
    return text === undefined ? [] : [{ key, text: [name, ...text, ...reason(row)].join(': ') }];
  });
  const gone = previous.rows
    .filter(({ key }) => !remaining.has(key))
    .map(({ key, name }) => ({ key, text: `${name}: gone` }));
  return [...changes, ...gone];
}

/** Undefined if there is none; empty if only the reason differs. */
function difference(
  titles: readonly string[],
  previous: readonly string[],
  current: readonly string[],
): readonly string[] | undefined {
  const last = titles.length - 1;
  const changed = titles
    .map((title, column) => ({ title, from: previous[column] ?? '', to: current[column] ?? '', column }))
    .filter(({ from, to, column }) => from !== to && (column !== last || withoutNumbers(from) !== withoutNumbers(to)));
  if (changed.length === 0) return undefined;
  const cells = changed.filter(({ column }) => column !== last);
  return cells.length === 0 ? [] : [cells.map(({ title, from, to }) => `${title} ${from} → ${to}`).join(', ')];
}

/** The text with every number and duration, such as `1h30m`, replaced. */
function withoutNumbers(text: string): string {
  return text.replaceAll(/(?:\d+[smhd]?)+/g, '0');
}

function reason(row: readonly string[]): string[] {
  const text = row.at(-1) ?? '';
  return text === '' || text === '-' ? [] : [text];
}
