import { escapeControls, markdownTable, textTable, wrapped } from '../../base/index.ts';
import { type Opening, openingText } from '../../gates/index.ts';
import type { CandidateExplanation, ClusterExplanation, GateExplanation } from './explanation.ts';

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

/** Version, gate, state, reason, and when it opens. */
type ExplanationRow = readonly [string, string, GateExplanation['state'], string, string];

interface ExplanationText {
  readonly headline: string;
  /** Names and values; those without a value are left out. */
  readonly facts: readonly (readonly [string, string])[];
  readonly titles: readonly string[];
  readonly rows: readonly ExplanationRow[];
  /** One line per candidate. */
  readonly endings: readonly string[];
}

const TITLES = ['VERSION', 'GATE', 'STATE', 'WHY', 'OPENS'] as const;

/** An explanation in words, whatever it is printed as. */
export function explanationText(cluster: ClusterExplanation): ExplanationText {
  return {
    headline: headline(cluster),
    facts: factsOf(cluster),
    titles: TITLES,
    rows: rowsOf(cluster),
    endings: endings(cluster),
  };
}

/** One sentence: what becomes of the cluster, and the time that matters. */
function headline(cluster: ClusterExplanation): string {
  const { name, version, action, to, startsAt, nodePool, reason, channel, candidates } = cluster;
  if (action === 'upgrade') return `${name} upgrades from ${version} to ${to} at ${startsAt}`;
  if (action === 'upgrade-node-pool') return `node pool ${nodePool} of ${name} upgrades to ${to} at ${startsAt}`;
  if (action === 'cancel') return `the upgrade of ${name} to ${to} is cancelled: ${reason}`;
  if (action === 'switch-channel') return `${name} switches from ${channel} to ${to}: ${reason}`;
  const next = candidates.find((candidate) => candidate.version === to);
  const when = next?.opens === undefined ? '' : `${to} ${startText(next, next.opens)}: `;
  return `${name} stays on ${version}: ${when}${reason}`;
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

function rowsOf({ before, candidates }: ClusterExplanation): ExplanationRow[] {
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

function rowOf(version: string, { gate, state, reason, opens }: GateExplanation): ExplanationRow {
  return [version, gate, state, reason, opens === undefined ? '-' : openingText(opens)];
}

/** One line per candidate: taken, or the earliest time. */
function endings({ candidates, action, to }: ClusterExplanation): string[] {
  return candidates.map((candidate) => {
    if (candidate.chosen) return `${nameOf(candidate)}: taken now`;
    if (candidate.opens !== undefined) return `${nameOf(candidate)}: ${startText(candidate, candidate.opens)}`;
    return `${nameOf(candidate)}: could be taken${action === 'upgrade' ? `, but ${to} is later` : ' after that'}`;
  });
}

/** `starts not before 2026-03-02T08:00:00Z, and after canary-1 runs 4.18.3` */
function startText({ startsNotBefore }: CandidateExplanation, opens: Opening): string {
  if (!('at' in opens)) return `only ${openingText(opens)}`;
  const { after } = opens;
  const start = `starts not before ${startsNotBefore ?? opens.at}`;
  return after === undefined ? start : `${start}, and ${openingText({ after })}`;
}
