import { defined } from '../base/index.ts';
import type { Instant } from '../gates/index.ts';
import { SCRIPT } from './assets/script.ts';
import { STYLE } from './assets/style.ts';
import { html } from './html.ts';
import { readQuery, searchOf } from './list.ts';
import {
  type ConsoleResponse,
  type Found,
  ICON,
  json,
  jsonDocument,
  page,
  pathParts,
  type RenderContext,
  redirect,
  shownIn,
  TYPES,
  text,
  type View,
} from './page.ts';
import { staleBox, withoutData } from './parts.ts';
import { type ConsoleState, dataOf } from './state.ts';
import { clusters } from './views/clusters.ts';
import { help } from './views/help.ts';
import { overview } from './views/overview.ts';
import { problems } from './views/problems.ts';
import { report } from './views/report.ts';
import { rollouts } from './views/rollouts.ts';
import { shards } from './views/shards.ts';
import { timeline } from './views/timeline.ts';
import { versions } from './views/versions.ts';

/** Every view, in the order of the navigation. */
const VIEWS = [
  ...[answersOf(overview), answersOf(problems), answersOf(clusters), answersOf(timeline), answersOf(report)],
  ...[answersOf(shards), answersOf(rollouts), answersOf(versions), answersOf(help)],
];

const NAVIGATION = VIEWS.flatMap(({ path, entry }) => (entry === undefined ? [] : [{ path, title: entry }]));

type Route = (search: string, at: RenderContext) => ConsoleResponse;

const ROUTES: ReadonlyMap<string, Route> = new Map([
  ...VIEWS.flatMap(({ routes }) => routes),
  ['/assets/console.css', () => ({ status: 200, type: TYPES.css, body: STYLE })],
  ['/assets/console.js', () => ({ status: 200, type: TYPES.js, body: SCRIPT })],
  ['/assets/icon.svg', () => ({ status: 200, type: TYPES.svg, body: ICON })],
]);

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
  return ROUTES.get(path)?.(search, at) ?? oneAt(path, at) ?? notFound(at);
}

/** The page of one thing below a view. */
function oneAt(path: string, at: RenderContext): ConsoleResponse | undefined {
  const isJson = path.endsWith('.json');
  const named = isJson ? path.slice(0, -'.json'.length) : path;
  for (const { one } of VIEWS) {
    const found = one(named, isJson, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function notFound(at: RenderContext): ConsoleResponse {
  const body = html`<h1>Not found</h1><p>The cluster may have been deleted or may no longer be labelled. See <a href="/clusters">all clusters</a> or <a href="/help">all URLs</a>.</p>`;
  return page(404, { title: 'Not found', navigation: NAVIGATION, body }, at);
}

/** Everything that a view answers. */
interface Answers {
  readonly path: string;
  readonly entry: string | undefined;
  readonly routes: readonly (readonly [string, Route])[];
  readonly one: (path: string, isJson: boolean, at: RenderContext) => ConsoleResponse | undefined;
}

function answersOf<Data>(view: View<Data>): Answers {
  const { path, entry, json: document } = view;
  return {
    path,
    entry,
    routes: [
      [path, (search, at) => listPage(view, search, at)],
      ...(document === undefined
        ? []
        : [
            [document.path, (search: string, at: RenderContext) => listJson(view, document, search, at.state)] as const,
          ]),
    ],
    one: (at, isJson, moment) => oneOf(view, at, isJson, moment),
  };
}

function listPage<Data>(view: View<Data>, search: string, at: RenderContext): ConsoleResponse {
  const { title, filters, half } = view;
  const query = readQuery(search, filters ?? []);
  const known = half.of(at.state);
  const body =
    known.kind === 'known'
      ? html`${staleBox(known)}${view.page(known.data, query, at)}`
      : html`<h1>${title}</h1>${withoutData(known)}`;
  const jsonPath = view.jsonPath ?? view.json?.path;
  const link = jsonPath === undefined || filters === undefined ? jsonPath : `${jsonPath}${searchOf(query)}`;
  return page(200, { title, ...placeOf(view, at), json: link, body }, at);
}

function listJson<Data>(
  { filters, half }: View<Data>,
  { kind, body }: NonNullable<View<Data>['json']>,
  search: string,
  state: ConsoleState,
): ConsoleResponse {
  const known = half.of(state);
  const about = body(dataOf(known), readQuery(search, filters ?? []), state);
  return json(jsonDocument(kind, { ...half.json(known), ...about }));
}

/** The page of one thing below a view; undefined for what is not known. */
function oneOf<Data>(view: View<Data>, path: string, isJson: boolean, at: RenderContext): ConsoleResponse | undefined {
  const parts = pathParts(path, view.path);
  const title = parts?.at(-1);
  if (parts === undefined || title === undefined || parts.length !== view.one?.parts) return undefined;
  const known = view.half.of(at.state);
  if (known.kind === 'known') return foundPage(view, view.one.find(parts, known.data, at), { title, isJson, at });
  const body = html`<h1>${title}</h1>${withoutData(known)}`;
  const status = known.kind === 'waiting' ? 200 : 503;
  return isJson ? undefined : page(status, { title, ...placeOf(view, at), body }, at);
}

function foundPage<Data>(
  view: View<Data>,
  found: Found | undefined,
  { title, isJson, at }: { readonly title: string; readonly isJson: boolean; readonly at: RenderContext },
): ConsoleResponse | undefined {
  const { half, one } = view;
  if (found === undefined || one === undefined) return undefined;
  if ('movedTo' in found) return redirect(found.movedTo + (isJson ? '.json' : ''));
  const place = placeOf(view, at);
  if ('ambiguous' in found) return page(300, { title, ...place, body: found.ambiguous }, at);
  const known = half.of(at.state);
  if (isJson) return json(jsonDocument(one.kind, { ...half.json(known), ...found.json() }));
  const body = html`${staleBox(known)}${found.body()}`;
  return page(200, { title: found.title, ...place, json: `${found.path}.json`, body }, at);
}

function placeOf<Data>({ path, entry, within, half, isAwaiting }: View<Data>, { state }: RenderContext) {
  return {
    navigation: NAVIGATION,
    within: entry === undefined ? within : path,
    isAwaiting: isAwaiting === undefined ? half.of(state).kind === 'waiting' : isAwaiting(state),
  };
}
