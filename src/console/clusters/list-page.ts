import { count } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import { type Html, html } from '../html.ts';
import { countLine, filterForm, pageOf, pager, sortHead } from '../list-parts.ts';
import { oncePer } from '../once.ts';
import { badge } from '../parts.ts';
import { inOrder } from '../past.ts';
import { foundRows, type Query, valuesIn } from '../query.ts';
import { timeInRow } from '../times.ts';
import { CLUSTER_COLUMNS, type ClusterRow, clusterPath, toneOf, verdictText, whyText } from './rows.ts';

export const CLUSTERS_PATH = '/clusters';

/** The rows of a query, in its order. */
export function foundClusters(rows: readonly ClusterRow[], query: Query): readonly ClusterRow[] {
  return foundRows(rows, query, CLUSTER_COLUMNS);
}

export function clusterListPage(all: readonly ClusterRow[], query: Query, now: Instant): Html {
  const paged = pageOf(CLUSTERS_PATH, query, foundClusters(all, query));
  const head = (key: string, title: string): Html => sortHead(paged, key, title);
  return html`<h1>Clusters</h1>
${filterForm(paged, clusterChoices(all))}
${countLine(paged.found, count(all.length, 'cluster'))}
${pager(paged)}
<div class="scroll" tabindex="0" role="region" aria-label="Clusters">
<table class="rows" data-rows>
<caption class="unseen">Clusters, their versions and what each waits for</caption>
<thead><tr>${head('cluster', 'Cluster')}${head('version', 'Version')}${head('verdict', 'Verdict')}<th scope="col">Why</th>${head('sector', 'Sector, workloads')}${head('next', 'Forecast')}</tr></thead>
<tbody>${paged.rows.map((row) => rowOf(row, now))}</tbody></table></div>
${paged.found > 0 ? '' : html`<p class="none">No cluster matches. <a href="${CLUSTERS_PATH}">Show all</a></p>`}
${pager(paged, 'Pages, below')}`;
}

/** What clusters can be filtered by. */
export const clusterChoices = oncePer((rows: readonly ClusterRow[]) => {
  const of = (name: string): string[] => valuesIn(rows, CLUSTER_COLUMNS.filters[name] ?? (() => []));
  const organizations = valuesIn(rows, ({ cluster }) => [cluster.organization]);
  return [
    { name: 'org', title: 'Organization', values: organizations },
    { name: 'version', title: 'Version', values: of('version').sort(inOrder) },
    { name: 'gate', title: 'Gate', values: of('gate') },
    { name: 'sector', title: 'Sector', values: of('sector') },
    { name: 'workload', title: 'Workload', values: of('workload') },
  ];
});

function rowOf(row: ClusterRow, now: Instant): Html {
  const { cluster } = row;
  const { sector = '', workloads = [] } = cluster.policy;
  return html`<tr><th scope="row"><a href="${clusterPath(cluster)}">${cluster.name}</a> <small>${cluster.environment}/${cluster.organization}</small></th><td class="num">${cluster.version}</td><td>${badge(toneOf(cluster.action), verdictText(row))}</td><td class="why">${whyText(cluster)}</td><td>${sector} <small>${workloads.join(', ')}</small></td><td class="num">${row.next === undefined ? '' : html`${row.next.version} <small>${timeInRow(row.next.startsAt, now)}</small>`}</td></tr>
`;
}
