/** Longer cells are cut: a table is for reading. */
const LONGEST_CELL = 300;
const MARKUP = /[\\`*_{}[\]()#+!|~$]/g;

/** Text of others as Markdown that shows it as typed: no markup, no HTML, no mention, no second line. */
export function plain(text: string): string {
  const cut = text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text;
  return cut
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll(MARKUP, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@\u200b')
    .replaceAll('://', ':\u200b//');
}

/** Longest run of backquotes that stays whole inside a fence, so that the fence itself can be told from the text. */
const FENCE = '```';

/**
 * A code block that its text cannot leave: no run of backquotes in it is long enough, whatever length a reader looks for. A line
 * does not begin with a slash, which some forges take for a command.
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
