import { escapeControls } from '../../base/index.ts';

/** Longer cells are truncated to keep tables readable. */
const LONGEST_CELL = 300;
const MARKUP = /[\\`*_{}[\]()#+!|~$]/g;

/** Escapes untrusted text for Markdown: no markup, HTML, mentions or line breaks. */
export function plain(text: string): string {
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
export function codeBlock(text: string): string {
  const safe = text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .replaceAll('``', '`\u200b`')
    .replaceAll('~~~', '~\u200b~\u200b~')
    .replaceAll(/^(\s*)\//gm, '$1\u200b/');
  return `${FENCE}text\n${safe.replace(/\n*$/, '\n')}${FENCE}\n`;
}

export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}
