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
