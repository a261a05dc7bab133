import { cut, cutName, widthOf, wrapped } from './cell-width.ts';

/** A table as it fits a terminal. */
export interface FittedTable {
  /** Columns with one value for all rows, left out of the table: title and value. */
  readonly common: readonly (readonly [string, string])[];
  /** The columns that stand side by side, by their number. */
  readonly columns: readonly number[];
  readonly widths: readonly number[];
  /** Between columns. */
  readonly gap: string;
  /** A last column of sentences that stands below each row. */
  readonly below?: number;
  /** The lines of every row, each with a cell for each column. Absent where no columns fit side by side. */
  readonly rows?: readonly (readonly (readonly string[])[])[];
}

export const GAP = '   ';
const SMALL_GAP = '  ';
export const BELOW = '    ';

/** Columns whose cells are cut before all others, in this order; and those that keep their end when they are. */
const CUT_FIRST = ['FILE', 'HINT', 'UUID', 'URL', 'IMAGE', 'RUNNING', 'DECLARED', 'TARGET', 'OBJECT', 'NAMESPACE'];
const KEEPS_END = new Set(['FILE', 'IMAGE', 'RUNNING', 'DECLARED', 'TARGET', 'OBJECT']);
const NARROWEST = { sentence: 24, early: 12, late: 8 };

type Rows = readonly (readonly string[])[];

interface Column {
  readonly number: number;
  readonly title: string;
  readonly natural: number;
  readonly isSentence: boolean;
}

/**
 * First sentences are wrapped and the columns of `CUT_FIRST` cut; then the last column, if it is one of sentences, goes below its row;
 * then all other names and titles are cut, the widest first and the first column last. What still does not fit is not drawn side by side.
 */
export function fitTable(titles: readonly string[], rows: Rows, width: number): FittedTable {
  const { common, columns } = withoutCommon(titles, rows);
  const last = columns.at(-1);
  const beside = columns.slice(0, -1);
  const early = shrunk(columns, width, GAP, ['sentence', 'early']);
  if (early !== undefined) return { common, gap: GAP, ...drawn(columns, rows, early) };
  const above = last?.isSentence ? shrunk(beside, width, GAP, ['sentence', 'early']) : undefined;
  if (above !== undefined && last !== undefined)
    return { common, gap: GAP, ...drawn(beside, rows, above), below: last.number };
  const late = shrunk(columns, width, SMALL_GAP, ['sentence', 'early', 'late']);
  if (late !== undefined) return { common, gap: SMALL_GAP, ...drawn(columns, rows, late) };
  return {
    common,
    gap: GAP,
    columns: columns.map(({ number }) => number),
    widths: columns.map(({ natural }) => natural),
  };
}

function withoutCommon(titles: readonly string[], rows: Rows): { common: [string, string][]; columns: Column[] } {
  const isCommon = (column: number): boolean =>
    rows.length > 1 && rows.every((row) => row[column] === rows[0]?.[column]);
  const all = titles.map((title, number) => ({
    ...{ number, title },
    natural: [titles, ...rows].reduce((most, row) => Math.max(most, widthOf(row[number] ?? '')), 0),
    isSentence: rows.some((row) => row[number]?.includes(' ') === true),
  }));
  const varying = all.filter(({ number }) => !isCommon(number));
  if (varying.length === 0) return { common: [], columns: all };
  const common = all
    .filter(({ number }) => isCommon(number))
    .map(({ number, title }): [string, string] => [title, rows[0]?.[number] ?? ''])
    .filter(([, value]) => value !== '-' && value !== '');
  return { common, columns: varying };
}

type Kind = keyof typeof NARROWEST;

function kindOf({ title, isSentence }: Column): Kind {
  if (isSentence) return 'sentence';
  return CUT_FIRST.includes(title) ? 'early' : 'late';
}

/** Widths whose sum fits when only columns of these kinds shrink, or none. */
function shrunk(columns: readonly Column[], width: number, gap: string, kinds: readonly Kind[]): number[] | undefined {
  const widths = columns.map(({ natural }) => natural);
  const used = widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1));
  let excess = used - width;
  for (const at of shrinkOrder(columns, kinds)) {
    const column = columns[at];
    if (excess <= 0 || column === undefined) break;
    const least = Math.max(NARROWEST[kindOf(column)], kinds.includes('late') ? 0 : widthOf(column.title));
    const spared = Math.max(0, Math.min(excess, column.natural - least));
    widths[at] = column.natural - spared;
    excess -= spared;
  }
  return excess > 0 ? undefined : widths;
}

function shrinkOrder(columns: readonly Column[], kinds: readonly Kind[]): number[] {
  const rank = (at: number): number => {
    const column = columns[at];
    if (column === undefined || column.isSentence) return 0;
    const early = CUT_FIRST.indexOf(column.title);
    if (early !== -1) return 1 + early;
    return at === 0 ? Number.MAX_SAFE_INTEGER : 1 + CUT_FIRST.length;
  };
  return columns
    .flatMap((column, at) => (kinds.includes(kindOf(column)) ? [at] : []))
    .sort((a, b) => rank(a) - rank(b) || (columns[b]?.natural ?? 0) - (columns[a]?.natural ?? 0));
}

function drawn(columns: readonly Column[], rows: Rows, widths: readonly number[]) {
  const lines = rows.map((row) => {
    const cells = columns.map(({ number, title, isSentence }, at) => {
      const text = row[number] ?? '';
      const most = widths[at] ?? 0;
      if (isSentence) return wrapped(text, most);
      return [KEEPS_END.has(title) ? cut(text, most, 'start') : cutName(text, most)];
    });
    const height = cells.reduce((most, cell) => Math.max(most, cell.length), 1);
    return Array.from({ length: height }, (_, line) => cells.map((cell) => cell[line] ?? ''));
  });
  return { columns: columns.map(({ number }) => number), widths, rows: lines };
}
