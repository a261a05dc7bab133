import { escapeControls } from '../../../base/index.ts';
import { type ClusterExplanation, explanationText, type GateExplanation } from '../../../upgrades/index.ts';
import type { Colour, Paint } from '../../output/colour.ts';
import { API_VERSION } from '../../output/format.ts';
import { markdownTable, textTable } from '../../output/table.ts';
import { documentWriters, type Writer, type Writers } from '../../output/writers.ts';

const COLOURS: Readonly<Record<GateExplanation['state'], Colour>> = { pass: 'green', wait: 'yellow', broken: 'red' };

const printText: Writer<readonly ClusterExplanation[]> = (io, found, paint) =>
  io.stdout.write(found.map((each) => plainText(each, paint)).join('\n'));

export const EXPLANATION_WRITERS: Writers<readonly ClusterExplanation[]> = {
  table: printText,
  wide: printText,
  ...documentWriters((clusters: readonly ClusterExplanation[]) => ({
    apiVersion: API_VERSION,
    kind: 'UpgradeExplanation',
    clusters,
  })),
  name: undefined,
  markdown: (io, found) => io.stdout.write(found.map(markdownText).join('\n')),
};

function plainText(cluster: ClusterExplanation, paint: Paint): string {
  const { headline, facts, titles, rows, endings } = explanationText(cluster);
  const [title = '', ...lines] = textTable(titles, rows, paint).split('\n');
  const painted = lines.map((line, index) => {
    const state = rows[index]?.[2];
    return state === undefined ? line : line.replace(` ${state} `, ` ${paint(COLOURS[state], state)} `);
  });
  const known = facts.map(([name, value]) => `${paint('dim', `${name}:`)} ${escapeControls(value)}\n`);
  const ends = endings.map((line) => `${escapeControls(line)}\n`);
  return `${paint('bold', escapeControls(headline))}\n${known.join('')}\n${[title, ...painted].join('\n')}\n${ends.join('')}`;
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
