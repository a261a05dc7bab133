import { escapeControls, markdownTable, textTable, wrapped } from '../../../base/index.ts';
import { type ClusterExplanation, explanationText, type GateExplanation } from '../../../upgrades/index.ts';
import type { Colour, Paint } from '../../output/colour.ts';
import { fitting } from '../../output/fitting.ts';
import { API_VERSION } from '../../output/format.ts';
import { documentWriters, type Writer, type Writers } from '../../output/writers.ts';

const COLOURS: Readonly<Record<GateExplanation['state'], Colour>> = { pass: 'green', wait: 'yellow', broken: 'red' };

const printText =
  (format: 'table' | 'wide'): Writer<readonly ClusterExplanation[]> =>
  (io, found, paint) =>
    io.stdout.write(found.map((each) => plainText(each, paint, fitting(io, format))).join('\n'));

export const EXPLANATION_WRITERS: Writers<readonly ClusterExplanation[]> = {
  table: printText('table'),
  wide: printText('wide'),
  ...documentWriters((clusters: readonly ClusterExplanation[]) => ({
    apiVersion: API_VERSION,
    kind: 'UpgradeExplanation',
    clusters,
  })),
  name: undefined,
  markdown: (io, found) => io.stdout.write(found.map(markdownText).join('\n')),
};

function plainText(cluster: ClusterExplanation, paint: Paint, fit: { readonly width?: number }): string {
  const { headline, facts, titles, rows, endings } = explanationText(cluster);
  const colour = (row: number, column: number): Colour | undefined => {
    const state = titles[column] === 'STATE' ? rows[row]?.[2] : undefined;
    return state === undefined ? undefined : COLOURS[state];
  };
  const table = textTable(titles, rows, paint, { ...fit, colour });
  const sentence = (text: string): string =>
    wrapped(escapeControls(text), fit.width ?? Number.POSITIVE_INFINITY).join('\n');
  const known = facts.map(([name, value]) => `${paint('dim', `${name}:`)} ${escapeControls(value)}\n`);
  const ends = endings.map((line) => `${sentence(line)}\n`);
  return `${paint('bold', sentence(headline))}\n${known.join('')}\n${table}\n${ends.join('')}`;
}

function markdownText(cluster: ClusterExplanation): string {
  const { headline, facts, titles, rows, endings } = explanationText(cluster);
  const list = endings.map((line) => `- ${plain(line)}\n`);
  return `### ${plain(headline)}\n\n${markdownTable(['', ''], facts)}\n${markdownTable(titles, rows)}\n${list.join('')}`;
}

/** User text must not become markup. */
function plain(text: string): string {
  return escapeControls(text).replaceAll('<', '&lt;').replaceAll('@', '@\u200b').replaceAll('`', "'");
}
