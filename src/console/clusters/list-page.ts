import { count } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import { type Html, html } from '../html.ts';
import { filterForm, pageOf, pager, type Sortable, sortHead } from '../list-parts.ts';
import { badge } from '../parts.ts';
import { inOrder } from '../past.ts';
import { matches, type Query, selected, valuesIn } from '../query.ts';
import { timeInRow } from '../times.ts';
import { CLUSTER_COLUMNS, type ClusterRow, clusterPath, toneOf, verdictText, whyText } from './rows.ts';

export const CLUSTERS_PATH = '/clusters';

/** Rows on one page. Up to this many the script searches in the browser. */
const MOST_CLUSTERS = 2_000;

/** The rows of a query, in its order. */
export function foundClusters(rows: readonly ClusterRow[], query: Query): ClusterRow[] {
  return selected(rows, query, CLUSTER_COLUMNS).filter((row) => matches(CLUSTER_COLUMNS.text(row), query.q));
}

export function clusterListPage(all: readonly ClusterRow[], query: Query, now: Instant): Html {
  const filtered = selected(all, query, CLUSTER_COLUMNS);
  const found = foundClusters(all, query);
  const complete = filtered.length <= MOST_CLUSTERS;
  const shown = new Set(found);
  const paged = pageOf(complete ? filtered : found, query, MOST_CLUSTERS);
  const at: Sortable = { path: CLUSTERS_PATH, query: paged.query };
  return html`<h1>Clusters</h1>
${filterForm(at, choicesIn(all))}
<p class="count" role="status" aria-live="polite"><span data-count>${found.length}</span> of ${count(all.length, 'cluster')}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Clusters">
<table class="rows" data-rows${complete ? html` data-complete` : ''}>
<caption class="unseen">Clusters, their versions and what each waits for</caption>
<thead><tr>${sortHead(at, 'cluster', 'Cluster')}${sortHead(at, 'version', 'Version')}${sortHead(at, 'verdict', 'Verdict')}<th scope="col">Why</th>${sortHead(at, 'sector', 'Sector, workloads')}${sortHead(at, 'next', 'Forecast')}</tr></thead>
<tbody>${paged.rows.map((row) => rowOf(row, shown.has(row), now))}</tbody></table></div>
<p class="none" data-none${found.length > 0 ? html` hidden` : ''}>No cluster matches. <a href="${CLUSTERS_PATH}">Show all</a></p>
${pager(at, paged.pages)}`;
}

function choicesIn(rows: readonly ClusterRow[]) {
  const of = (name: string): string[] => valuesIn(rows, CLUSTER_COLUMNS.filters[name] ?? (() => []));
  const organizations = valuesIn(rows, ({ cluster }) => [cluster.organization]);
  return [
    { name: 'org', title: 'Organization', values: organizations },
    { name: 'version', title: 'Version', values: of('version').sort(inOrder) },
    { name: 'gate', title: 'Gate', values: of('gate') },
    { name: 'sector', title: 'Sector', values: of('sector') },
    { name: 'workload', title: 'Workload', values: of('workload') },
  ];
}

/** Compact markup: a fleet has thousands of rows. */
function rowOf(row: ClusterRow, shown: boolean, now: Instant): Html {
  const { cluster } = row;
  const { sector = '', workloads = [] } = cluster.policy;
  return html`<tr${shown ? '' : html` hidden`}><th scope="row"><a href="${clusterPath(cluster)}">${cluster.name}</a> <small>${cluster.environment}/${cluster.organization}</small></th><td class="num">${cluster.version}</td><td>${badge(toneOf(cluster.action), verdictText(row))}</td><td class="why">${whyText(cluster)}</td><td>${sector} <small>${workloads.join(', ')}</small></td><td class="num">${row.next === undefined ? '' : html`${row.next.version} <small>${timeInRow(row.next.startsAt, now)}</small>`}</td></tr>
`;
}
