import { escapeControls } from '../../../base/index.ts';
import { type Opening, openingText } from '../../../gates/index.ts';
import type { CandidateExplanation, ClusterExplanation, GateExplanation } from '../../../upgrades/index.ts';
import type { Colour, Paint } from '../../output/colour.ts';
import { API_VERSION } from '../../output/format.ts';
import { markdownTable, textTable } from '../../output/table.ts';
import { documentWriters, type Writer, type Writers } from '../../output/writers.ts';

const TITLES = ['VERSION', 'GATE', 'STATE', 'WHY', 'OPENS'] as const;
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
  const table = textTable(TITLES, rowsOf(cluster), paint);
  const states = rowsOf(cluster).map(([, , state]) => state as GateExplanation['state']);
  const [title = '', ...lines] = table.split('\n');
  const painted = lines.map((line, index) => {
    const state = states[index];
    return state === undefined ? line : line.replace(` ${state} `, ` ${paint(COLOURS[state], state)} `);
  });
  const facts = factsOf(cluster).map(([name, value]) => `${paint('dim', `${name}:`)} ${escapeControls(value)}\n`);
  const ends = endings(cluster).map((line) => `${escapeControls(line.trimEnd())}\n`);
  return `${paint('bold', escapeControls(headline(cluster)))}\n${facts.join('')}\n${[title, ...painted].join('\n')}\n${ends.join('')}`;
}

function markdownText(cluster: ClusterExplanation): string {
  const facts = markdownTable(['', ''], factsOf(cluster));
  const list = endings(cluster).map((line) => `- ${plain(line.trimEnd())}\n`);
  const gates = markdownTable(TITLES, rowsOf(cluster));
  return `### ${plain(headline(cluster))}\n\n${facts}\n${gates}\n${list.join('')}`;
}

/** User text must not become markup. */
function plain(text: string): string {
  return escapeControls(text).replaceAll('<', '&lt;').replaceAll('@', '@\u200b').replaceAll('`', "'");
}

function headline({ name, version, action, to, startsAt, gate, reason }: ClusterExplanation): string {
  const target = to === undefined ? '' : ` to ${to}`;
  if (action === 'upgrade' || action === 'upgrade-node-pool')
    return `${name} ${version}: ${action}${target}, starts ${startsAt}`;
  return `${name} ${version}: ${action}${target}${gate === undefined ? '' : ` at ${gate}`}: ${reason}`;
}

function factsOf(cluster: ClusterExplanation): [string, string][] {
  const { environment, organization, orgId, uuid, channel, policy, decidedAt } = cluster;
  const { schedule = '', soakDays, workloads = [], sector = '', mutexes = [] } = policy;
  const facts: [string, string][] = [
    ['organization', `${environment}/${organization}${organization === orgId ? '' : ` (${orgId})`}`],
    ['uuid', uuid],
    ['channel', channel],
    ['schedule', schedule],
    ['soak days', soakDays === undefined ? '' : String(soakDays)],
    ['workloads', workloads.join(', ')],
    ['sector', sector],
    ['mutexes', mutexes.join(', ')],
    ['as of', decidedAt],
  ];
  return facts.filter(([, value]) => value !== '');
}

function rowsOf({ before, candidates }: ClusterExplanation): string[][] {
  return [
    ...before.map((gate) => rowOf('-', gate)),
    ...candidates.flatMap((candidate) =>
      candidate.gates.map((gate, index) => rowOf(index === 0 ? nameOf(candidate) : '', gate)),
    ),
  ];
}

function nameOf({ version, nodePool }: CandidateExplanation): string {
  return nodePool === undefined ? version : `${version} (${nodePool})`;
}

function rowOf(version: string, { gate, state, reason, opens }: GateExplanation): string[] {
  return [version, gate, state, reason, opens === undefined ? '-' : openingText(opens)];
}

/** One line per candidate: taken, or the earliest time. */
function endings({ candidates, action, to }: ClusterExplanation): string[] {
  return candidates.map((candidate) => {
    if (candidate.chosen) return `${nameOf(candidate)}: taken now\n`;
    if (candidate.opens !== undefined) return `${nameOf(candidate)}: ${openingLine(candidate.opens)}\n`;
    return `${nameOf(candidate)}: could be taken${action === 'upgrade' ? `, but ${to} is later` : ' after that'}\n`;
  });
}

function openingLine(opens: Opening): string {
  return 'at' in opens ? `not before ${openingText(opens)}` : `only ${openingText(opens)}`;
}
