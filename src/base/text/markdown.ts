import { escapeControls } from './text.ts';

/** Longer cells are truncated to keep tables readable. */
const LONGEST_CELL = 300;
const MARKUP = /[\\`*_{}[\]()#+!|~$]/g;

/** Escapes untrusted text for Markdown: no markup, HTML, mentions or line breaks. */
export function markdownPlain(text: string): string {
  const cut = text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text;
  return escapeControls(cut.toWellFormed().replaceAll(/\p{Cc}+/gu, ' '))
    .replaceAll(MARKUP, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@\u200b')
    .replaceAll('://', ':\u200b//');
}

/** Backquotes inside a fence are broken up, so that the text cannot end it. */
const FENCE = '```';

/**
 * A code block that its text cannot end, since no run of backquotes in it is long enough. No line starts with a slash, which
 * some forges interpret as a command.
 */
export function markdownCode(text: string): string {
  const safe = text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .replaceAll('``', '`\u200b`')
    .replaceAll('~~~', '~\u200b~\u200b~')
    .replaceAll(/^(\s*)\//gm, '$1\u200b/');
  return `${FENCE}text\n${safe.replace(/\n*$/, '\n')}${FENCE}\n`;
}

export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
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
