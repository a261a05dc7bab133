import { count } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import { type Html, html, timeWithAge } from '../html.ts';
import { pageOf, pager, type Query } from '../list.ts';
import { oncePer } from '../once.ts';
import type { ConsoleState, Half } from '../state.ts';
import { type FleetProblem, pinProblems, rolloutProblems, shardProblems, upgradeProblems } from './problem-sources.ts';

export const PROBLEMS_PATH = '/problems';

/** On the overview; all of them have pages. */
const FIRST_PROBLEMS = 12;

/** What needs a human first, and how much more there is. */
export function firstProblems(state: ConsoleState, now: Instant): Html {
  const all = agedProblems(state);
  const rest = all.length - FIRST_PROBLEMS;
  if (all.length === 0) return noProblems(state);
  return html`${list(all.slice(0, FIRST_PROBLEMS), now)}
${rest > 0 ? html`<p><a href="${PROBLEMS_PATH}">${rest} more</a></p>` : ''}`;
}

export function problemsPage(state: ConsoleState, query: Query, now: Instant): Html {
  const paged = pageOf(PROBLEMS_PATH, query, agedProblems(state));
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Overview</a></nav>
<h1>Problems</h1>
<p class="count" role="status">${count(paged.found, 'problem')}</p>
${pager(paged)}
${paged.found === 0 ? noProblems(state) : list(paged.rows, now)}
${pager(paged, 'Pages, below')}`;
}

function noProblems({ upgrades, shards }: ConsoleState): Html {
  const isWaiting = [upgrades, shards].some(({ kind }) => kind === 'waiting');
  return html`<p>${isWaiting ? 'The first observation is in progress.' : 'No problems found.'}</p>`;
}

function list(problems: readonly AgedProblem[], now: Instant): Html {
  return html`<ul class="problems">${problems.map((problem) => problemItem(problem, now))}</ul>`;
}

function problemItem({ where, message, hint, href, severity, since, isFirstSeen }: AgedProblem, now: Instant): Html {
  const name = href === undefined ? where : html`<a href="${href}">${where}</a>`;
  return html`<li class="${severity}"><strong>${name}</strong> <span class="kind">${severity}</span> ${message}.${hint === '' ? '' : html` <small>${hint}</small>`} <small class="age">${isFirstSeen ? 'seen since' : 'since'} ${timeWithAge(since, now)}</small></li>`;
}

/** Since when, and whether that is only when this console first saw it. */
interface AgedProblem extends FleetProblem {
  readonly since: Instant;
  readonly isFirstSeen: boolean;
}

/** Everything that needs a human: errors first, and in the order in which they stop others. */
export function problemsOf(state: Pick<ConsoleState, 'upgrades' | 'shards'>): FleetProblem[] {
  const { upgrades, shards } = state;
  const all = [
    ...unobserved('clusters', upgrades),
    ...unobserved('shards', shards),
    ...(shards.kind === 'known' ? [...rolloutProblems(shards.data), ...shardProblems(shards.data)] : []),
    ...(upgrades.kind === 'known' ? upgradeProblems(upgrades.data) : []),
    ...(shards.kind === 'known' ? pinProblems(shards.data, shards.asOf) : []),
  ];
  return all.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
}

/** A half whose last observation failed. */
function unobserved(half: string, known: Half<unknown>): FleetProblem[] {
  if ((known.kind !== 'known' && known.kind !== 'failed') || known.error === undefined) return [];
  const { message, hint } = known.error;
  return [
    { id: `unobserved ${half}`, where: half, message: `observation failed: ${message}`, hint, severity: 'error' },
  ];
}

/** Since when problems are seen: what lasts keeps its time, what is over is forgotten. */
export function firstSeenNow(
  before: ReadonlyMap<string, Instant>,
  problems: readonly FleetProblem[],
  now: Instant,
): ReadonlyMap<string, Instant> {
  return new Map(problems.map(({ id }) => [id, before.get(id) ?? now]));
}

/** The problems with their age. */
export const agedProblems = oncePer((state: ConsoleState): readonly AgedProblem[] =>
  problemsOf(state).map((problem) => ({
    ...problem,
    since: problem.since ?? state.firstSeen.get(problem.id) ?? state.startedAt,
    isFirstSeen: problem.since === undefined,
  })),
);
