import { count } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import { type Html, html, timeWithAge } from '../html.ts';
import { pageOf, pager, type Query } from '../list.ts';
import { BOTH, isForecastAwaited, type View } from '../page.ts';
import type { AgedProblem, ConsoleState } from '../state.ts';

export const problems: View<ConsoleState> = {
  path: '/problems',
  title: 'Problems',
  within: '/',
  half: BOTH,
  isAwaiting: isAnythingAwaited,
  page: (state, query, { now }) => problemsPage(state, query, now),
  jsonPath: '/overview.json',
};

export function isAnythingAwaited(state: ConsoleState): boolean {
  return isForecastAwaited(state) || state.shards.kind === 'waiting';
}

/** On the overview; all of them have pages. */
const FIRST_PROBLEMS = 12;

/** The first problems, and the number of the others. */
export function firstProblems(state: ConsoleState, now: Instant): Html {
  const all = state.problems;
  const rest = all.length - FIRST_PROBLEMS;
  if (all.length === 0) return noProblems(state);
  return html`${list(all.slice(0, FIRST_PROBLEMS), now)}
${rest > 0 ? html`<p><a href="${problems.path}">${rest} more</a></p>` : ''}`;
}

function problemsPage(state: ConsoleState, query: Query, now: Instant): Html {
  const paged = pageOf(problems.path, query, state.problems);
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

function list(aged: readonly AgedProblem[], now: Instant): Html {
  return html`<ul class="problems">${aged.map((problem) => problemItem(problem, now))}</ul>`;
}

function problemItem({ where, message, hint, href, severity, since, isFirstSeen }: AgedProblem, now: Instant): Html {
  const name = href === undefined ? where : html`<a href="${href}">${where}</a>`;
  return html`<li class="${severity}"><strong>${name}</strong> <span class="kind">${severity}</span> ${message}.${hint === '' ? '' : html` <small>${hint}</small>`} <small class="age">${isFirstSeen ? 'seen since' : 'since'} ${timeWithAge(since, now)}</small></li>`;
}
