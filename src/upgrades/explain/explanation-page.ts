import { escapeControls, markdownTable, textTable, wrapped } from '../../base/index.ts';
import type { ClusterExplanation, GateExplanation } from './explain-cluster.ts';
import { explanationText } from './explanation-text.ts';

type Colour = 'green' | 'yellow' | 'red';

const COLOURS: Readonly<Record<GateExplanation['state'], Colour>> = { pass: 'green', wait: 'yellow', broken: 'red' };

/** An explanation for a terminal; its table fits the width, where one is given. */
export function explanationPage(
  cluster: ClusterExplanation,
  paint: (colour: Colour | 'bold' | 'dim', text: string) => string,
  fit: { readonly width?: number; readonly cell?: (text: string) => string },
): string {
  const shown = fit.cell ?? ((text: string) => text);
  const { headline, facts, titles, rows, endings } = explanationText(cluster);
  const colour = (row: number, column: number): Colour | undefined => {
    const state = titles[column] === 'STATE' ? rows[row]?.[2] : undefined;
    return state === undefined ? undefined : COLOURS[state];
  };
  const table = textTable(titles, rows, paint, { ...fit, colour });
  const sentence = (text: string): string =>
    wrapped(escapeControls(shown(text)), fit.width ?? Number.POSITIVE_INFINITY).join('\n');
  const known = facts.map(([name, value]) => `${paint('dim', `${name}:`)} ${escapeControls(shown(value))}\n`);
  const ends = endings.map((line) => `${sentence(line)}\n`);
  return `${paint('bold', sentence(headline))}\n${known.join('')}\n${table}\n${ends.join('')}`;
}

export function explanationMarkdown(cluster: ClusterExplanation): string {
  const { headline, facts, titles, rows, endings } = explanationText(cluster);
  const list = endings.map((line) => `- ${plain(line)}\n`);
  return `### ${plain(headline)}\n\n${markdownTable(['', ''], facts)}\n${markdownTable(titles, rows)}\n${list.join('')}`;
}

/** User text must not become markup. */
function plain(text: string): string {
  return escapeControls(text).replaceAll('<', '&lt;').replaceAll('@', '@\u200b').replaceAll('`', "'");
}
