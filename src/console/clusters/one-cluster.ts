import { type ConsoleResponse, json, type Moment, page, redirect } from '../answers.ts';
import { clusterDetailJson, jsonDocument, upgradesJson } from '../documents.ts';
import { html } from '../html.ts';
import { oncePer } from '../once.ts';
import { staleBox, withoutData } from '../parts.ts';
import { pathParts } from '../paths.ts';
import type { UpgradesData } from '../state.ts';
import { clusterDetail, clusterPage } from './cluster-page.ts';
import { CLUSTERS_PATH } from './list-page.ts';
import { type ClusterRow, clusterPath, clusterRows } from './rows.ts';

interface Named {
  readonly environment: string;
  readonly organization: string;
  readonly reference: string;
}

/** A cluster by UUID, id or name; names redirect to the permanent URL. Undefined when unknown. */
export function oneCluster(path: string, isJson: boolean, at: Moment): ConsoleResponse | undefined {
  const named = namedBy(path);
  const { upgrades } = at.state;
  if (named === undefined) return undefined;
  if (upgrades.kind !== 'known') return isJson ? undefined : notYet(named, at);
  const found = foundIn(upgrades.data, named);
  const [row] = found;
  if (row === undefined) return undefined;
  if (found.length > 1) return several(named.reference, found, at);
  const canonical = clusterPath(row.cluster);
  if (row.cluster.uuid !== named.reference || row.cluster.orgId !== named.organization)
    return redirect(canonical + (isJson ? '.json' : ''));
  const detail = clusterDetail(row, upgrades.data, at);
  if (isJson)
    return json(jsonDocument('ConsoleCluster', { data: upgradesJson(upgrades), ...clusterDetailJson(detail) }));
  const body = html`${staleBox(upgrades)}${clusterPage(detail, at.now)}`;
  return page(200, row.cluster.name, { view: 'clusters', json: `${canonical}.json`, body }, at);
}

function namedBy(path: string): Named | undefined {
  const [environment, organization, reference, ...rest] = pathParts(path, CLUSTERS_PATH) ?? [];
  if (environment === undefined || organization === undefined || reference === undefined) return undefined;
  return rest.length > 0 ? undefined : { environment, organization, reference };
}

/** By UUID, id and name. */
const rowsByReference = oncePer((data: UpgradesData): ReadonlyMap<string, readonly ClusterRow[]> => {
  const found = new Map<string, ClusterRow[]>();
  for (const row of clusterRows(data)) {
    for (const reference of new Set<string>([row.cluster.uuid, row.cluster.id, row.cluster.name])) {
      const own = found.get(reference) ?? [];
      own.push(row);
      found.set(reference, own);
    }
  }
  return found;
});

function foundIn(data: UpgradesData, { environment, organization, reference }: Named): ClusterRow[] {
  return (rowsByReference(data).get(reference) ?? []).filter(
    ({ cluster }) =>
      cluster.environment === environment && (cluster.orgId === organization || cluster.organization === organization),
  );
}

function notYet({ reference }: Named, at: Moment): ConsoleResponse | undefined {
  const { upgrades } = at.state;
  if (upgrades.kind === 'known') return undefined;
  const body = html`<h1>${reference}</h1>${withoutData(upgrades)}`;
  return page(upgrades.kind === 'waiting' ? 200 : 503, reference, { view: 'clusters', body }, at);
}

function several(name: string, rows: readonly ClusterRow[], at: Moment): ConsoleResponse {
  const links = rows.map(
    ({ cluster }) => html`<li><a href="${clusterPath(cluster)}">${cluster.name}</a> <code>${cluster.uuid}</code></li>`,
  );
  const body = html`<h1>${name}</h1><p>Several clusters have this name:</p><ul>${links}</ul>`;
  return page(300, name, { view: 'clusters', body }, at);
}
