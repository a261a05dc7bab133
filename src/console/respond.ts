import { defined } from '../base/index.ts';
import type { Instant } from '../gates/index.ts';
import { reportDocument } from '../upgrades/index.ts';
import { SCRIPT } from './assets/script.ts';
import { STYLE } from './assets/style.ts';
import { type Html, html } from './html.ts';
import { readQuery, searchOf } from './list.ts';
import {
  type ConsoleResponse,
  halfJson,
  ICON,
  json,
  jsonDocument,
  type Moment,
  page,
  shownIn,
  TYPES,
  text,
  upgradesJson,
} from './page.ts';
import { outlookNote, staleBox, unseenOrganizations, unseenShards, withoutData } from './parts.ts';
import { type ConsoleState, dataOf, type Half } from './state.ts';
import {
  CLUSTER_FILTERS,
  clusterJson,
  clusterListPage,
  clusterRows,
  foundClusters,
  oneCluster,
} from './views/clusters.ts';
import { helpPage } from './views/help.ts';
import { overviewJson, overviewPage } from './views/overview.ts';
import { PROBLEMS_PATH, problemsPage } from './views/problems.ts';
import { foundSheets, REPORT_FILTERS, REPORT_PATH, reportPage } from './views/report.ts';
import {
  boardTrackJson,
  foundTracks,
  noRollouts,
  oneVerdict,
  ROLLOUT_FILTERS,
  rolloutsPage,
} from './views/rollouts.ts';
import { foundShards, oneShard, SHARD_FILTERS, shardJson, shardsPage } from './views/shards.ts';
import { timelineJson, timelinePage, timelineRows } from './views/timeline.ts';
import { versionRows, versionsPage } from './views/versions.ts';

const LONGEST_TARGET = 4_096;

/**
 * Responds from the last observations. Pure: no request to the console causes requests to other systems.
 *
 * @param request with the path and query of its request line.
 */
export function respond(
  { method, target }: { readonly method: string; readonly target: string },
  state: ConsoleState,
  now: Instant,
): ConsoleResponse {
  if (method !== 'GET' && method !== 'HEAD')
    return {
      ...text(405, 'method not allowed: the console is read-only, use GET or HEAD\n'),
      headers: { allow: 'GET, HEAD' },
    };
  if (target.length > LONGEST_TARGET) return text(414, `URL too long: the limit is ${LONGEST_TARGET} characters\n`);
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const search = mark === -1 ? '' : target.slice(mark);
  const at = { state, now, ...defined({ shown: shownIn(search) }) };
  const route = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  return route?.(search, at) ?? oneAt(path, at) ?? nowhere(at);
}

type Route = (search: string, at: Moment) => ConsoleResponse;

const ROUTES: Readonly<Record<string, Route>> = {
  '/': (_, at) =>
    page(200, 'Overview', { view: 'overview', json: '/overview.json', body: overviewPage(at.state, at.now) }, at),
  '/overview.json': (_, { state }) => json(jsonDocument('ConsoleOverview', overviewJson(state))),
  '/clusters': clusters,
  '/clusters.json': clustersJson,
  '/timeline': timeline,
  '/timeline.json': timelineAsJson,
  [REPORT_PATH]: report,
  [`${REPORT_PATH}.json`]: reportJson,
  '/shards': shards,
  '/shards.json': shardsJson,
  '/rollouts': rollouts,
  '/rollouts.json': rolloutsJson,
  '/versions': versions,
  '/versions.json': (_, { state }) => {
    const data = dataOf(state.shards);
    const items = data === undefined ? [] : versionRows(data);
    return json(jsonDocument('ConsoleVersionList', { data: halfJson(state.shards), items }));
  },
  [PROBLEMS_PATH]: (search, at) => {
    const query = readQuery(search, []);
    return page(
      200,
      'Problems',
      { view: 'overview', json: '/overview.json', body: problemsPage(at.state, query, at.now) },
      at,
    );
  },
  '/help': (_, at) => page(200, 'Keys and URLs', { view: 'help', body: helpPage() }, at),
  '/assets/console.css': () => ({ status: 200, type: TYPES.css, body: STYLE }),
  '/assets/console.js': () => ({ status: 200, type: TYPES.js, body: SCRIPT }),
  '/assets/icon.svg': () => ({ status: 200, type: TYPES.svg, body: ICON }),
};

/** The page of one cluster or shard, or the verdict on a shard of a track. */
function oneAt(path: string, at: Moment): ConsoleResponse | undefined {
  const isJson = path.endsWith('.json');
  const named = isJson ? path.slice(0, -'.json'.length) : path;
  return oneCluster(named, isJson, at) ?? oneShard(named, isJson, at) ?? oneVerdict(named, isJson, at);
}

/** The page of a half, or a notice instead. */
function half<Data>(known: Half<Data>, title: string, body: (data: Data) => Html): Html {
  if (known.kind !== 'known') return html`<h1>${title}</h1>${withoutData(known)}`;
  return html`${staleBox(known)}${body(known.data)}`;
}

function clusters(search: string, at: Moment): ConsoleResponse {
  const query = readQuery(search, CLUSTER_FILTERS);
  const body = half(
    at.state.upgrades,
    'Clusters',
    (data) =>
      html`${unseenOrganizations(data)}${outlookNote(data, at.now)}${clusterListPage(clusterRows(data), query, at.now)}`,
  );
  return page(200, 'Clusters', { view: 'clusters', json: `/clusters.json${searchOf(query)}`, body }, at);
}

function clustersJson(search: string, { state: { upgrades } }: Moment): ConsoleResponse {
  const query = readQuery(search, CLUSTER_FILTERS);
  const data = dataOf(upgrades);
  const items = data === undefined ? [] : foundClusters(clusterRows(data), query).map(clusterJson);
  return json(jsonDocument('ConsoleClusterList', { data: upgradesJson(upgrades), items }));
}

function timeline(search: string, at: Moment): ConsoleResponse {
  const query = readQuery(search, CLUSTER_FILTERS);
  const { state } = at;
  const body = half(
    state.upgrades,
    'Timeline',
    (data) =>
      html`${unseenOrganizations(data)}${outlookNote(data, at.now)}${timelinePage(clusterRows(data), query, data, state)}`,
  );
  return page(200, 'Timeline', { view: 'timeline', json: `/timeline.json${searchOf(query)}`, body }, at);
}

function timelineAsJson(search: string, { state }: Moment): ConsoleResponse {
  const query = readQuery(search, CLUSTER_FILTERS);
  const data = dataOf(state.upgrades);
  const rows = data === undefined ? [] : timelineRows(foundClusters(clusterRows(data), query), data, state);
  const assumptions = data?.forecast.assumptions ?? [];
  const items = rows.map(timelineJson);
  return json(jsonDocument('ConsoleTimeline', { data: upgradesJson(state.upgrades), assumptions, items }));
}

function report(search: string, at: Moment): ConsoleResponse {
  const query = readQuery(search, REPORT_FILTERS);
  const body = half(
    at.state.upgrades,
    'Upgrade report',
    (data) => html`${unseenOrganizations(data)}${reportPage(data.report, query, at.now)}`,
  );
  return page(200, 'Upgrade report', { view: 'clusters', json: `${REPORT_PATH}.json${searchOf(query)}`, body }, at);
}

function reportJson(search: string, { state: { upgrades } }: Moment): ConsoleResponse {
  const sheets = foundSheets(dataOf(upgrades)?.report ?? [], readQuery(search, REPORT_FILTERS));
  return json(jsonDocument('UpgradeReport', { data: upgradesJson(upgrades), ...reportDocument(sheets) }));
}

function shards(search: string, at: Moment): ConsoleResponse {
  const query = readQuery(search, SHARD_FILTERS);
  const body = half(at.state.shards, 'Shards', (data) => html`${unseenShards(data)}${shardsPage(data, query)}`);
  return page(200, 'Shards', { view: 'shards', json: `/shards.json${searchOf(query)}`, body }, at);
}

function shardsJson(search: string, { state }: Moment): ConsoleResponse {
  const query = readQuery(search, SHARD_FILTERS);
  const data = dataOf(state.shards);
  const items = data === undefined ? [] : foundShards(data, query).map(shardJson);
  return json(jsonDocument('ConsoleShardList', { data: halfJson(state.shards), items }));
}

function rollouts(search: string, at: Moment): ConsoleResponse {
  const query = readQuery(search, ROLLOUT_FILTERS);
  const body = half(
    at.state.shards,
    'Rollouts',
    (data) =>
      html`${unseenShards(data)}${data.rollouts === undefined ? noRollouts() : rolloutsPage(data.rollouts, query, at.now)}`,
  );
  return page(200, 'Rollouts', { view: 'rollouts', json: `/rollouts.json${searchOf(query)}`, body }, at);
}

function rolloutsJson(search: string, { state }: Moment): ConsoleResponse {
  const query = readQuery(search, ROLLOUT_FILTERS);
  const board = dataOf(state.shards)?.rollouts;
  const items = board === undefined ? [] : foundTracks(board, query).map(boardTrackJson);
  return json(jsonDocument('ConsoleRolloutList', { data: halfJson(state.shards), items }));
}

function versions(_: string, at: Moment): ConsoleResponse {
  const body = half(at.state.shards, 'Versions', (data) => html`${unseenShards(data)}${versionsPage(data, at.now)}`);
  return page(200, 'Versions', { view: 'versions', json: '/versions.json', body }, at);
}

function nowhere(at: Moment): ConsoleResponse {
  const body = html`<h1>Not found</h1><p>The cluster may have been deleted or may no longer be labelled. See <a href="/clusters">all clusters</a> or <a href="/help">all URLs</a>.</p>`;
  return page(404, 'Not found', { body }, at);
}
