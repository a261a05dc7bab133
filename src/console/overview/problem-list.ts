import { count } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import { type Html, html } from '../html.ts';
import { pageOf, pager } from '../list-parts.ts';
import type { Query } from '../query.ts';
import type { ConsoleState } from '../state.ts';
import { timeWithAge } from '../times.ts';
import { type AgedProblem, agedProblems } from './problems.ts';

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
