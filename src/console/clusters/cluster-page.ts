import type { Instant } from '../../gates/index.ts';
import type { CandidateExplanation, ClusterForecast, PastUpgrade, PolicyProblem } from '../../upgrades/index.ts';
import type { Moment } from '../answers.ts';
import { gateTable } from '../gate-table.ts';
import { type Html, html, type Markup } from '../html.ts';
import { badge, outlookNote } from '../parts.ts';
import { pastOf } from '../past.ts';
import { filteredHref } from '../query.ts';
import type { Sighted, UpgradesData } from '../state.ts';
import { openingTime, timeWithAge } from '../times.ts';
import { CLUSTERS_PATH } from './list-page.ts';
import { type ClusterRow, forecastOf, toneOf, verdictText, whyText } from './rows.ts';

/** Everything that determines the upgrades of one cluster. */
export interface ClusterDetail {
  readonly row: ClusterRow;
  readonly forecast: ClusterForecast | undefined;
  readonly recorded: readonly string[];
  readonly sighted: readonly Sighted[];
  readonly scheduled: readonly PastUpgrade[];
  readonly problems: readonly PolicyProblem[];
  readonly assumptions: readonly string[];
  /** The notice when this observation has no forecast. */
  readonly outlook: Markup;
}

export function clusterDetail(row: ClusterRow, data: UpgradesData, { state, now }: Moment): ClusterDetail {
  const { id, environment, orgId } = row.cluster;
  const organization = data.plan.organizations.find((each) => each.environment === environment && each.orgId === orgId);
  return {
    row,
    forecast: forecastOf(data, row.cluster),
    recorded: data.recorded.get(id) ?? [],
    sighted: pastOf(data, state, id),
    scheduled: data.past.get(id)?.scheduled ?? [],
    problems: (organization?.problems ?? []).filter(
      ({ scope }) => scope.kind === 'organization' || scope.cluster.id === id,
    ),
    assumptions: data.forecast.assumptions,
    outlook: outlookNote(data, now),
  };
}

export function clusterPage(detail: ClusterDetail, now: Instant): Html {
  const { cluster } = detail.row;
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="${CLUSTERS_PATH}">Clusters</a> <span aria-hidden="true">/</span> <a href="${filteredHref(CLUSTERS_PATH, 'org', cluster.organization)}">${cluster.environment}/${cluster.organization}</a></nav>
<h1>${cluster.name} <span class="version">${cluster.version}</span></h1>
<p class="lead">${badge(toneOf(cluster.action), verdictText(detail.row))} <span>${whyText(cluster)}</span></p>
${detail.problems.map(problemBox)}
<div class="columns"><section aria-labelledby="policy"><h2 id="policy">Policy</h2>${facts(detail)}</section>
<section aria-labelledby="forecast"><h2 id="forecast">Forecast</h2>${forecastList(detail, now)}</section>
<section aria-labelledby="past"><h2 id="past">Past</h2>${pastList(detail, now)}</section></div>
<section aria-labelledby="verdicts"><h2 id="verdicts">Verdicts</h2>
<p class="hint">Every version that it could go to and what each gate says, in the order of the gates. As of ${cluster.decidedAt}.</p>
${cluster.before.length === 0 ? '' : gateTable(cluster.before, 'Why it has no candidates', now)}
${cluster.candidates.map((candidate) => candidateBox(candidate, now))}</section>`;
}

function problemBox({ severity, key, message, hint }: PolicyProblem): Html {
  return html`<div class="notice ${severity === 'error' ? 'bad' : 'wait'}"><p><strong>${message}</strong> <code>${key}</code></p><p>${hint}</p></div>`;
}

function facts({ row: { cluster } }: ClusterDetail): Html {
  const { policy } = cluster;
  const all: readonly (readonly [string, Markup])[] = [
    ['Schedule', policy.schedule === undefined ? '' : html`<code>${policy.schedule}</code> UTC`],
    ['Soak', policy.soakDays === undefined ? '' : `${policy.soakDays} days`],
    ['Workloads', (policy.workloads ?? []).join(', ')],
    ['Sector', policy.sector],
    ['Mutexes', (policy.mutexes ?? []).join(', ')],
    ['Blocked', (policy.blockedVersions ?? []).map((pattern) => html`<code>${pattern}</code> `)],
    ['Channel', cluster.channel],
    ['UUID', html`<code>${cluster.uuid}</code>`],
    ['Id', html`<code>${cluster.id}</code>`],
    ['Organization', html`<code>${cluster.orgId}</code>`],
  ];
  const given = all.filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return html`<dl>${given.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function forecastList({ forecast, assumptions, outlook }: ClusterDetail, now: Instant): Html {
  if (forecast === undefined)
    return html`${outlook === '' ? html`<p>The forecast does not include this cluster.</p>` : outlook}`;
  const { upgrades } = forecast;
  const last = forecast.waiting.at(-1);
  const list = upgrades.map(
    ({ version, nodePool, startsAt, decidedAt }) =>
      html`<li><strong>${version}</strong>${nodePool === undefined ? '' : ` (node pool ${nodePool})`} ${timeWithAge(startsAt, now)}${decidedAt === undefined ? ', already scheduled' : ''}</li>`,
  );
  return html`${outlook}${upgrades.length === 0 ? html`<p>No upgrade is forecast.</p>` : html`<ol class="steps">${list}</ol>`}
${last === undefined || last.action === 'none' ? '' : html`<p>At the end of the forecast: ${last.gate ?? last.action}: ${last.reason}.</p>`}
<details><summary>Assumptions of the forecast</summary><ul>${assumptions.map((text) => html`<li>${text}</li>`)}</ul></details>`;
}

/** Upgrades that are listed; `upgrades history` has all that are kept. */
const MOST_SCHEDULED = 10;

function pastList({ recorded, sighted, scheduled }: ClusterDetail, now: Instant): Html {
  const dated = new Set(sighted.map(({ version }) => version));
  const undated = recorded.filter((version) => !dated.has(version));
  const seen = sighted.toReversed().map(({ version, since }, index) => {
    const first = index === sighted.length - 1;
    return html`<li><strong>${version}</strong> ${first ? 'since before' : 'first observed'} ${timeWithAge(since, now)}</li>`;
  });
  const upgrades = scheduled
    .slice(-MOST_SCHEDULED)
    .toReversed()
    .map(
      ({ version, nodePool, at, startsAt }) =>
        html`<li><strong>${version}</strong>${nodePool === undefined ? '' : ` (node pool ${nodePool})`} scheduled ${timeWithAge(at, now)} to start ${timeWithAge(startsAt, now)}</li>`,
    );
  return html`<ol class="steps">${seen}</ol>
${upgrades.length === 0 ? '' : html`<h3>Scheduled</h3><ol class="steps">${upgrades}</ol>`}
${undated.length === 0 ? '' : html`<p>In the history of its organization, without dates: ${undated.join(', ')}.</p>`}
<p class="hint">OCM keeps no history. Dates are from observations of the scheduler and of this console, as precise as the time between two of them.</p>`;
}

function candidateBox(candidate: CandidateExplanation, now: Instant): Html {
  const { version, nodePool, chosen, opens, gates } = candidate;
  const name = nodePool === undefined ? version : `${version} (node pool ${nodePool})`;
  const summary = chosen ? 'chosen now' : opens === undefined ? 'possible' : html`opens ${openingTime(opens, now)}`;
  const tone = chosen ? 'good' : opens === undefined ? 'idle' : 'wait';
  return html`<article class="candidate"><h3>${name} ${badge(tone, summary)}</h3>${gateTable(gates, `Gates for ${name}`, now)}</article>`;
}
