import { escapeControls } from '../../base/index.ts';
import type { Paint } from './colour.ts';

/** Columns separated by spaces, as kubectl prints them; no trailing spaces. */
export function textTable(titles: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string {
  const all = [titles, ...rows.map((row) => row.map(escapeControls))];
  const widths = titles.map((_, column) => all.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0));
  return all
    .map((row, index) => {
      const line = row
        .map((cell, column) => (column === row.length - 1 ? cell : pad(cell, widths[column] ?? 0)))
        .join('   ')
        .trimEnd();
      return `${index === 0 ? paint('bold', line) : line}\n`;
    })
    .join('');
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

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Terminal cells: combining marks take none, East Asian wide characters and emoji take two. */
function widthOf(text: string): number {
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
