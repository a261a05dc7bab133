import { escapeControls } from './text.ts';

export type Colour = 'red' | 'yellow' | 'green' | 'cyan' | 'dim' | 'bold';

/** The way to write a text for a terminal. */
export interface Pen {
  /** Colours text, or returns it unchanged. Colour never carries information of its own. */
  readonly paint: (colour: Colour, text: string) => string;
  /** One line with its end, whatever the text contains; colours are kept. */
  readonly line: (text: string) => string;
  /** The columns of the terminal; undefined where nothing is cut. */
  readonly width?: number;
}

/** `Pen.paint` for callers that need only some colours. */
type Paint<Name extends string> = (colour: Name, text: string) => string;
type Emphasis = Paint<'bold' | 'dim'>;

interface TableStyle<Name extends string> {
  /** The columns of the terminal; undefined for `-o wide` and for output that is not a terminal, which are never cut. */
  readonly width?: number | undefined;
  /** The shown part of a cell; all of it by default. */
  readonly cell?: (text: string) => string;
  /** The colour of a cell; it only repeats what the text says. */
  readonly colour?: (row: number, column: number) => Name | undefined;
}

/** A table in lines. */
interface TableLines {
  /** The lines above the rows. */
  readonly head: readonly string[];
  /** The lines of each row. */
  readonly rows: readonly (readonly string[])[];
}

/** Columns separated by spaces, as kubectl prints them; no trailing spaces. */
export function textTable<Name extends string>(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint<Name> & Emphasis,
  style: TableStyle<Name> = {},
): string {
  const lines = tableLines<Name>(titles, rows, paint, style);
  return [...lines.head, ...lines.rows.flat()].map((line) => `${line}\n`).join('');
}

/** The lines of a table, for callers that show only some of the rows. */
export function tableLines<Name extends string>(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint<Name> & Emphasis,
  { width, colour, cell = (text) => text }: TableStyle<Name> = {},
): TableLines {
  const escaped = rows.map((row) => row.map((text) => escapeControls(cell(text))));
  const colourOf = (row: number, column: number, text: string): string => {
    const found = colour?.(row, column);
    return found === undefined ? text : paint(found, text);
  };
  const fitted = width === undefined ? wholeTable(titles, escaped) : fitTable(titles, escaped, width);
  const above = commonLines(fitted.common, paint, width ?? 0);
  if (fitted.rows === undefined) return { head: above, rows: records(titles, escaped, paint, fitted, width ?? 0) };
  const drawn = (cells: readonly string[], painted: (column: number, text: string) => string): string =>
    cells
      .map((cell, at) => {
        const text = painted(fitted.columns[at] ?? 0, cell);
        return at === lastCell(cells) ? text : text + ' '.repeat(Math.max(0, (fitted.widths[at] ?? 0) - widthOf(cell)));
      })
      .slice(0, lastCell(cells) + 1)
      .join(fitted.gap);
  const head = drawn(
    fitted.columns.map((column, at) => cut(titles[column] ?? '', fitted.widths[at] ?? 0)),
    (_, text) => text,
  );
  const lines = fitted.rows.map((parts, row) => [
    ...parts.map((cells) => drawn(cells, (column, text) => colourOf(row, column, text))),
    ...(fitted.below === undefined ? [] : sentenceBelow(escaped[row]?.[fitted.below] ?? '', width ?? 0)),
  ]);
  return { head: [...above, paint('bold', head)], rows: lines };
}

function sentenceBelow(text: string, width: number): string[] {
  if (text === '-' || text === '') return [];
  return wrapped(text, width - BELOW.length).map((line) => `${BELOW}${line}`);
}

/** `ENVIRONMENT: stage   STATE: ok` */
function commonLines(common: FittedTable['common'], paint: Emphasis, width: number): string[] {
  if (common.length === 0) return [];
  let used = 0;
  return common
    .map(([title, value], at) => {
      const length = widthOf(`${title}: ${value}`);
      const isNew = at === 0 || used + GAP.length + length > width;
      used = isNew ? length : used + GAP.length + length;
      return `${at === 0 ? '' : isNew ? '\n' : GAP}${paint('dim', `${title}:`)} ${cut(value, Math.max(1, width - title.length - 2))}`;
    })
    .join('')
    .split('\n');
}

function lastCell(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== '');
}

function wholeTable(titles: readonly string[], rows: readonly (readonly string[])[]): FittedTable {
  const columns = titles.map((_, column) => column);
  const widths = columns.map((column) =>
    [titles, ...rows].reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0),
  );
  return {
    common: [],
    columns,
    widths,
    gap: GAP,
    rows: rows.map((row) => [columns.map((column) => row[column] ?? '')]),
  };
}

/** One row after the other, a line for each column, where they do not fit side by side. */
function records(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Emphasis,
  { columns }: FittedTable,
  width: number,
): string[][] {
  const names = columns.map((column) => titles[column] ?? '');
  const longest = names.reduce((most, name) => Math.max(most, widthOf(name)), 0);
  const least = 10;
  return rows.map((row, number) => [
    ...(number === 0 ? [] : ['']),
    ...columns.flatMap((column, at) =>
      wrapped(row[column] ?? '', Math.max(least, width - longest - GAP.length)).map((text, line) => {
        const name = line === 0 ? paint('bold', names[at] ?? '') : '';
        return `${name}${' '.repeat(longest - widthOf(line === 0 ? (names[at] ?? '') : ''))}${GAP}${text}`;
      }),
    ),
  ]);
}

/** A table as it fits a terminal. */
interface FittedTable {
  /** Columns with one value for all rows, left out of the table: title and value. */
  readonly common: readonly (readonly [string, string])[];
  /** The columns that stand side by side, by their number. */
  readonly columns: readonly number[];
  readonly widths: readonly number[];
  /** The text between two columns. */
  readonly gap: string;
  /** A last column of sentences that stands below each row. */
  readonly below?: number;
  /** The lines of every row, each with a cell for each column. Undefined where columns do not fit side by side. */
  readonly rows?: readonly (readonly (readonly string[])[])[];
}

const GAP = '   ';
const SMALL_GAP = '  ';
const BELOW = '    ';

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
function fitTable(titles: readonly string[], rows: Rows, width: number): FittedTable {
  const { common, columns } = withoutCommon(titles, rows);
  const last = columns.at(-1);
  const beside = columns.slice(0, -1);
  const early = shrunk(columns, width, GAP, ['sentence', 'early']);
  if (early !== undefined) return { common, gap: GAP, ...fittedRows(columns, rows, early) };
  const above = last?.isSentence ? shrunk(beside, width, GAP, ['sentence', 'early']) : undefined;
  if (above !== undefined && last !== undefined)
    return { common, gap: GAP, ...fittedRows(beside, rows, above), below: last.number };
  const late = shrunk(columns, width, SMALL_GAP, ['sentence', 'early', 'late']);
  if (late !== undefined) return { common, gap: SMALL_GAP, ...fittedRows(columns, rows, late) };
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

type ColumnKind = keyof typeof NARROWEST;

function kindOf({ title, isSentence }: Column): ColumnKind {
  if (isSentence) return 'sentence';
  return CUT_FIRST.includes(title) ? 'early' : 'late';
}

/** Widths whose sum fits when only columns of these kinds shrink, or none. */
function shrunk(
  columns: readonly Column[],
  width: number,
  gap: string,
  kinds: readonly ColumnKind[],
): number[] | undefined {
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

function shrinkOrder(columns: readonly Column[], kinds: readonly ColumnKind[]): number[] {
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

function fittedRows(columns: readonly Column[], rows: Rows, widths: readonly number[]) {
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

/** Terminal cells: combining marks take none, East Asian wide characters and emoji take two. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += cellsOf(char);
  return width;
}

function cellsOf(char: string): number {
  if (/\p{Mark}|\p{Cf}/u.test(char)) return 0;
  return /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
    char,
  )
    ? 2
    : 1;
}

/** The text in at most `width` cells; `…` replaces the rest, at the end or at the start. */
export function cut(text: string, width: number, side: 'end' | 'start' = 'end'): string {
  if (widthOf(text) <= width) return text;
  const chars = side === 'end' ? [...text] : [...text].reverse();
  let kept = '';
  let taken = 1;
  for (const char of chars) {
    taken += cellsOf(char);
    if (taken > width) break;
    kept = side === 'end' ? kept + char : char + kept;
  }
  return side === 'end' ? `${kept}…` : `…${kept}`;
}

/** A name keeps its end too: names of one kind often begin alike. */
function cutName(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (!/^[a-z]/i.test(text)) return cut(text, width);
  const head = cut(text, Math.floor(width / 2));
  return `${head.slice(0, -1)}${cut(text, width - widthOf(head) + 1, 'start')}`;
}

/** A space between words that is not inside a short parenthesis, such as `(in 60 min)`. */
const BETWEEN_WORDS = / (?![^()]{0,12}\))/;

/** Lines of at most so many cells, broken between words; a word that fits no line is cut. */
export function wrapped(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(BETWEEN_WORDS).map((each) => cut(each, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** A unified diff for a terminal. */
export function paintedDiff(diff: string, paint: Pen['paint']): string {
  return diff
    .split('\n')
    .map((line) => paintedLine(line, paint))
    .join('\n');
}

function paintedLine(line: string, paint: Pen['paint']): string {
  if (line.startsWith('+++') || line.startsWith('---')) return paint('bold', line);
  if (line.startsWith('@@')) return paint('cyan', line);
  return line.startsWith('+') ? paint('green', line) : line.startsWith('-') ? paint('red', line) : line;
}
