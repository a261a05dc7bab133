import { cut, widthOf, wrapped } from './cell-width.ts';
import { escapeControls } from './controls.ts';
import { BELOW, type FittedTable, fitTable, GAP } from './fit-table.ts';

/** Paints text in a colour, or returns it unchanged. */
type Paint<Colour extends string> = (colour: Colour, text: string) => string;
type Emphasis = Paint<'bold' | 'dim'>;

interface TableStyle<Colour extends string> {
  /** The columns of the terminal; what is not printed to one, and `-o wide`, is never cut. */
  readonly width?: number | undefined;
  /** What is shown of a cell; all of it when absent. */
  readonly cell?: (text: string) => string;
  /** The colour of a cell; it only repeats what the text says. */
  readonly colour?: (row: number, column: number) => Colour | undefined;
}

/** A table in lines. */
interface TableLines {
  /** What stands above the rows. */
  readonly head: readonly string[];
  /** The lines of each row. */
  readonly rows: readonly (readonly string[])[];
}

/** Columns separated by spaces, as kubectl prints them; no trailing spaces. */
export function textTable<Colour extends string>(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint<Colour> & Emphasis,
  style: TableStyle<Colour> = {},
): string {
  const lines = tableLines<Colour>(titles, rows, paint, style);
  return [...lines.head, ...lines.rows.flat()].map((line) => `${line}\n`).join('');
}

/** The same in lines, for those who show only some of the rows. */
export function tableLines<Colour extends string>(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint<Colour> & Emphasis,
  { width, colour, cell = (text) => text }: TableStyle<Colour> = {},
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

export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(' | ')} |\n`;
  return line(titles) + line(titles.map(() => '---')) + rows.map(line).join('');
}

/** Escapes what would end a cell or a row, or become markup or a mention. */
function escapeCell(text: string): string {
  return escapeControls(text.replaceAll(/\r?\n/g, ' '))
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll('@', '@\u200b');
}
