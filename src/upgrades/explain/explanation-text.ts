import { type Opening, openingText } from '../../gates/index.ts';
import type { CandidateExplanation, ClusterExplanation, GateExplanation } from './explain-cluster.ts';

/** Version, gate, state, reason, and when it opens. */
type ExplanationRow = readonly [string, string, GateExplanation['state'], string, string];

export interface ExplanationText {
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
    if (candidate.opens !== undefined) return `${nameOf(candidate)}: ${openingLine(candidate.opens)}`;
    return `${nameOf(candidate)}: could be taken${action === 'upgrade' ? `, but ${to} is later` : ' after that'}`;
  });
}

function openingLine(opens: Opening): string {
  return 'at' in opens ? `not before ${openingText(opens)}` : `only ${openingText(opens)}`;
}
