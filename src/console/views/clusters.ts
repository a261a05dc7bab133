import { byText, count, defined } from '../../base/index.ts';
import { type Instant, secondText } from '../../gates/index.ts';
import type {
  CandidateExplanation,
  ClusterAction,
  ClusterExplanation,
  ClusterForecast,
  PastUpgrade,
  PolicyProblem,
} from '../../upgrades/index.ts';
import { compareVersionTexts } from '../../upgrades/index.ts';
import { type Html, html, type Markup, minuteText, openingTime, timeInRow, timeWithAge, withTimes } from '../html.ts';
import {
  type Columns,
  countLine,
  filteredHref,
  filterForm,
  foundRows,
  pageOf,
  pager,
  type Query,
  sortHead,
  valuesIn,
} from '../list.ts';
import { versionHistory } from '../observe.ts';
import { type RenderContext, UPGRADES, type View } from '../page.ts';
import { badge, gateTable, outlookNote, type Tone, unseenOrganizations } from '../parts.ts';
import type { Choice, ClusterRow, UpgradesView, VersionChange } from '../state.ts';

const byCluster = (a: ClusterRow, b: ClusterRow): number => byText(a.cluster.name, b.cluster.name);

export const CLUSTER_COLUMNS: Columns<ClusterRow> = {
  filters: {
    env: ({ cluster }) => [cluster.environment],
    org: ({ cluster }) => [cluster.organization, cluster.orgId],
    version: ({ cluster }) => [cluster.version],
    gate: ({ gate }) => [gate],
    action: ({ cluster }) => [cluster.action],
    sector: ({ cluster }) => [cluster.policy.sector ?? ''],
    workload: ({ cluster }) => cluster.policy.workloads ?? [],
  },
  text: (row) =>
    [
      row.cluster.name,
      `${row.cluster.environment}/${row.cluster.organization}`,
      row.cluster.version,
      verdictText(row),
      withTimes(whyText(row.cluster)),
      row.cluster.policy.sector ?? '',
      (row.cluster.policy.workloads ?? []).join(', '),
      nextText(row),
    ].join(' '),
  sorts: {
    cluster: byCluster,
    org: (a, b) => byText(a.cluster.organization, b.cluster.organization) || byCluster(a, b),
    version: (a, b) => compareVersionTexts(a.cluster.version, b.cluster.version) || byCluster(a, b),
    verdict: (a, b) => byText(verdictText(a), verdictText(b)) || byCluster(a, b),
    sector: (a, b) => byText(a.cluster.policy.sector ?? '~', b.cluster.policy.sector ?? '~') || byCluster(a, b),
    next: (a, b) => (a.next?.startsAt ?? Infinity) - (b.next?.startsAt ?? Infinity) || byCluster(a, b),
  },
};

export const clusters: View<UpgradesView> = {
  path: '/clusters',
  title: 'Clusters',
  entry: 'Clusters',
  filters: Object.keys(CLUSTER_COLUMNS.filters),
  half: UPGRADES,
  page: (data, query, { now }) =>
    html`${unseenOrganizations(data)}${outlookNote(data, now)}${clusterListPage(data, query, now)}`,
  json: {
    path: '/clusters.json',
    kind: 'ConsoleClusterList',
    body: (data, query) => ({ items: foundRows(data?.rows ?? [], query, CLUSTER_COLUMNS).map(clusterJson) }),
  },
  one: {
    kind: 'ConsoleCluster',
    parts: 3,
    find: ([environment = '', organization = '', reference = ''], data, at) => {
      const found = rowsNamed(data, { environment, organization, reference });
      const [row] = found;
      if (row === undefined) return undefined;
      if (found.length > 1) return { ambiguous: severalRows(reference, found) };
      const path = clusterPath(row.cluster);
      if (row.cluster.uuid !== reference || row.cluster.orgId !== organization) return { movedTo: path };
      const detail = clusterDetail(row, data, at);
      return {
        ...{ title: row.cluster.name, path },
        body: () => clusterPage(detail, at.now),
        json: () => clusterDetailJson(detail),
      };
    },
  },
};

export function forecastKey({ environment, id }: Pick<ClusterExplanation, 'environment' | 'id'>): string {
  return `${environment}/${id}`;
}

export function clusterRows({ clusters: all, forecasts }: Pick<UpgradesView, 'clusters' | 'forecasts'>): ClusterRow[] {
  return all.map((cluster) => {
    const next = forecasts.get(forecastKey(cluster))?.upgrades.find(({ nodePool }) => nodePool === undefined);
    return { cluster, gate: gateOf(cluster), ...defined({ next }) };
  });
}

function gateOf({ gate, action, before }: ClusterExplanation): string {
  if (action === 'upgrade' || action === 'upgrade-node-pool') return '';
  return gate ?? before[0]?.gate ?? '';
}

const TONES: Readonly<Record<ClusterAction, Tone>> = {
  upgrade: 'good',
  'upgrade-node-pool': 'good',
  'switch-channel': 'good',
  cancel: 'bad',
  'agree-gates': 'wait',
  wait: 'wait',
  hold: 'bad',
  none: 'idle',
};

const WORDS: Readonly<Record<ClusterAction, string>> = {
  upgrade: 'upgrades',
  'upgrade-node-pool': 'upgrades a node pool',
  'switch-channel': 'switches channel',
  cancel: 'is cancelled',
  'agree-gates': 'waits',
  wait: 'waits',
  hold: 'is held',
  none: 'is up to date',
};

/** `waits for soak`, `upgrades`, `is held: policy`. */
function verdictText({ cluster: { action }, gate }: Pick<ClusterRow, 'cluster' | 'gate'>): string {
  const words = WORDS[action];
  if (gate === '' || action === 'none') return words;
  return action === 'wait' || action === 'agree-gates' ? `${words} for ${gate}` : `${words}: ${gate}`;
}

/** `4.18.12: shared has soaked 2 of 7 days`. */
function whyText({ to, reason, startsAt }: ClusterExplanation): string {
  const why = startsAt === undefined ? reason : `starts ${startsAt}; ${reason}`;
  return to === undefined ? why : `${to}: ${why}`;
}

function nextText({ next }: ClusterRow): string {
  return next === undefined ? '' : `${next.version} ${minuteText(next.startsAt)}`;
}

/** The permanent URL of a cluster, even if its name is reused. */
export function clusterPath({
  environment,
  orgId,
  uuid,
}: Readonly<Record<'environment' | 'orgId' | 'uuid', string>>): string {
  return `/clusters/${[environment, orgId, uuid].map(encodeURIComponent).join('/')}`;
}

function clusterListPage({ rows: all, choices }: UpgradesView, query: Query, now: Instant): Html {
  const paged = pageOf(clusters.path, query, foundRows(all, query, CLUSTER_COLUMNS));
  const head = (key: string, title: string): Html => sortHead(paged, key, title);
  return html`<h1>Clusters</h1>
${filterForm(paged, choices)}
${countLine(paged.found, count(all.length, 'cluster'))}
${pager(paged)}
<div class="scroll" tabindex="0" role="region" aria-label="Clusters">
<table class="rows" data-rows>
<caption class="unseen">Clusters, their versions and what each waits for</caption>
<thead><tr>${head('cluster', 'Cluster')}${head('version', 'Version')}${head('verdict', 'Verdict')}<th scope="col">Why</th>${head('sector', 'Sector, workloads')}${head('next', 'Forecast')}</tr></thead>
<tbody>${paged.rows.map((row) => rowOf(row, now))}</tbody></table></div>
${paged.found > 0 ? '' : html`<p class="none">No cluster matches. <a href="${clusters.path}">Show all</a></p>`}
${pager(paged, 'Pages, below')}`;
}

/** Filters of the list of clusters. */
export function clusterChoices(rows: readonly ClusterRow[]): Choice[] {
  const of = (name: string): string[] => valuesIn(rows, CLUSTER_COLUMNS.filters[name] ?? (() => []));
  const organizations = valuesIn(rows, ({ cluster }) => [cluster.organization]);
  return [
    { name: 'org', title: 'Organization', values: organizations },
    { name: 'version', title: 'Version', values: of('version').sort(compareVersionTexts) },
    { name: 'gate', title: 'Gate', values: of('gate') },
    { name: 'sector', title: 'Sector', values: of('sector') },
    { name: 'workload', title: 'Workload', values: of('workload') },
  ];
}

function rowOf(row: ClusterRow, now: Instant): Html {
  const { cluster } = row;
  const { sector = '', workloads = [] } = cluster.policy;
  return html`<tr><th scope="row"><a href="${clusterPath(cluster)}">${cluster.name}</a> <small>${cluster.environment}/${cluster.organization}</small></th><td class="num">${cluster.version}</td><td>${badge(TONES[cluster.action], verdictText(row))}</td><td class="why">${whyText(cluster)}</td><td>${sector} <small>${workloads.join(', ')}</small></td><td class="num">${row.next === undefined ? '' : html`${row.next.version} <small>${timeInRow(row.next.startsAt, now)}</small>`}</td></tr>
`;
}

/** Rows by UUID, id or name. */
function rowsNamed(
  { rows }: UpgradesView,
  { environment, organization, reference }: Readonly<Record<'environment' | 'organization' | 'reference', string>>,
): ClusterRow[] {
  return rows.filter(
    ({ cluster }) =>
      [cluster.uuid, cluster.id as string, cluster.name].includes(reference) &&
      cluster.environment === environment &&
      (cluster.orgId === organization || cluster.organization === organization),
  );
}

function severalRows(name: string, rows: readonly ClusterRow[]): Html {
  const links = rows.map(
    ({ cluster }) => html`<li><a href="${clusterPath(cluster)}">${cluster.name}</a> <code>${cluster.uuid}</code></li>`,
  );
  return html`<h1>${name}</h1><p>Several clusters have this name:</p><ul>${links}</ul>`;
}

/** Everything that determines the upgrades of one cluster. */
interface ClusterDetail {
  readonly row: ClusterRow;
  readonly forecast: ClusterForecast | undefined;
  readonly recorded: readonly string[];
  readonly versionChanges: readonly VersionChange[];
  readonly scheduled: readonly PastUpgrade[];
  readonly problems: readonly PolicyProblem[];
  readonly assumptions: readonly string[];
  /** The notice when this observation has no forecast. */
  readonly outlook: Markup;
}

function clusterDetail(row: ClusterRow, data: UpgradesView, { state, now }: RenderContext): ClusterDetail {
  const { id, environment, orgId } = row.cluster;
  const organization = data.plan.organizations.find((each) => each.environment === environment && each.orgId === orgId);
  return {
    row,
    forecast: data.forecasts.get(forecastKey(row.cluster)),
    recorded: data.recorded.get(id) ?? [],
    versionChanges: versionHistory(data, state, id),
    scheduled: data.past.get(id)?.scheduled ?? [],
    problems: (organization?.problems ?? []).filter(
      ({ scope }) => scope.kind === 'organization' || scope.cluster.id === id,
    ),
    assumptions: data.forecast.assumptions,
    outlook: outlookNote(data, now),
  };
}

function clusterPage(detail: ClusterDetail, now: Instant): Html {
  const { cluster } = detail.row;
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="${clusters.path}">Clusters</a> <span aria-hidden="true">/</span> <a href="${filteredHref(clusters.path, 'org', cluster.organization)}">${cluster.environment}/${cluster.organization}</a></nav>
<h1>${cluster.name} <span class="version">${cluster.version}</span></h1>
<p class="lead">${badge(TONES[cluster.action], verdictText(detail.row))} <span>${whyText(cluster)}</span></p>
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

function pastList({ recorded, versionChanges, scheduled }: ClusterDetail, now: Instant): Html {
  const dated = new Set(versionChanges.map(({ version }) => version));
  const undated = recorded.filter((version) => !dated.has(version));
  const seen = versionChanges.toReversed().map(({ version, since }, index) => {
    const first = index === versionChanges.length - 1;
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

function clusterJson({ cluster, gate, next }: ClusterRow): object {
  const { before: _, candidates: __, gate: ___, ...about } = cluster;
  const foreseen = next === undefined ? {} : { next: { version: next.version, startsAt: secondText(next.startsAt) } };
  return { ...about, ...(gate === '' ? {} : { gate }), ...foreseen };
}

function clusterDetailJson(detail: ClusterDetail): object {
  const { row, forecast, recorded, versionChanges, scheduled, problems } = detail;
  return {
    cluster: row.cluster,
    problems: problems.map(({ scope: _, ...problem }) => problem),
    ...courseJson({ forecast, recorded, versionChanges, scheduled }),
  };
}

export function courseJson(
  course: Pick<ClusterDetail, 'forecast' | 'recorded' | 'versionChanges' | 'scheduled'>,
): object {
  const { forecast, recorded, versionChanges, scheduled } = course;
  return {
    recorded,
    seen: versionChanges.map(({ version, since }) => ({ version, since: secondText(since) })),
    forecast: (forecast?.upgrades ?? []).map(({ from, version, nodePool, startsAt, endsAt }) => ({
      ...{ from, version, startsAt: secondText(startsAt), endsAt: secondText(endsAt) },
      ...defined({ nodePool }),
    })),
    scheduled: scheduled.map(({ version, nodePool, at, startsAt }) => ({
      ...{ version, at: secondText(at), startsAt: secondText(startsAt) },
      ...defined({ nodePool }),
    })),
  };
}
