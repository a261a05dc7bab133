import { sha256Of } from '../base/index.ts';
import { type Instant, secondText } from '../gates/index.ts';
import { agedTimes, type Html, html, type Markup, timeWithAge } from './html.ts';
import type { Query } from './list.ts';
import { isOutlookAwaited } from './parts.ts';
import {
  type ConsoleState,
  type Observed,
  type ShardsView,
  type UpgradesData,
  type UpgradesView,
  versionText,
} from './state.ts';

export interface ConsoleResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The state to show, the current time, and what the client shows already. */
export interface RenderContext {
  readonly state: ConsoleState;
  readonly now: Instant;
  /** ETag of the content that the requesting page shows. */
  readonly shown?: string;
}

/**
 * One view of the console: its route, page, filters and JSON, and the pages of single things below it.
 *
 * A half without data has no page: a notice stands there instead.
 */
export interface View<Data> {
  readonly path: string;
  readonly title: string;
  /** Its entry in the navigation; a view without one belongs to the view at `within`. */
  readonly entry?: string;
  readonly within?: string;
  /** Names of the filters in its URL; absent for a view without filters. */
  readonly filters?: readonly string[];
  readonly half: ObservedPart<Data>;
  page(data: Data, query: Query, at: RenderContext): Html;
  readonly json?: {
    readonly path: string;
    readonly kind: DocumentKind;
    body(data: Data | undefined, query: Query, state: ConsoleState): object;
  };
  /** URL of the data as JSON, for a view without JSON of its own. */
  readonly jsonPath?: string;
  /** Whether the page soon has more to show; by default, whether its half is awaited. */
  isAwaiting?(state: ConsoleState): boolean;
  readonly one?: One<Data>;
}

/** Pages of single things below a view. */
interface One<Data> {
  readonly kind: DocumentKind;
  /** How many parts a path has below that of the view; the last one is the title while there is no data. */
  readonly parts: number;
  find(parts: readonly string[], data: Data, at: RenderContext): Found | undefined;
}

export type Found =
  /** `path` is its permanent URL. */
  | { readonly title: string; readonly path: string; body(): Html; json(): object }
  | { readonly movedTo: string }
  | { readonly ambiguous: Html };

/** The part of the state that a view shows. */
interface ObservedPart<Data> {
  of(state: ConsoleState): Observed<Data>;
  /** First fields of JSON documents: the time of the data and its error. */
  json(half: Observed<Data>): object;
}

export const UPGRADES: ObservedPart<UpgradesView> = {
  of: ({ upgrades }) => upgrades,
  json: (half) => ({ data: upgradesJson(half) }),
};
export const SHARDS: ObservedPart<ShardsView> = {
  of: ({ shards }) => shards,
  json: (half) => ({ data: halfJson(half) }),
};
/** Both halves; such a view shows missing data by itself. */
export const BOTH: ObservedPart<ConsoleState> = {
  of: (state) => ({ kind: 'known', asOf: state.startedAt, data: state }),
  json: () => ({}),
};

/** Whether clusters, or their first forecast, are not there yet. */
export function isForecastAwaited({ upgrades }: ConsoleState): boolean {
  return upgrades.kind === 'waiting' || (upgrades.kind === 'known' && isOutlookAwaited(upgrades.data));
}

export const TYPES = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

export function text(status: number, body: string): ConsoleResponse {
  return { status, type: TYPES.text, body };
}

export function json(body: string): ConsoleResponse {
  return { status: 200, type: TYPES.json, body };
}

/** A page, or only what differs on every one when the content is what the page that asks already shows. */
export function page(status: number, { body, ...about }: Page, at: RenderContext): ConsoleResponse {
  const content = agedTimes(body, at.now);
  const shown = shownText(about.title, content);
  const text = at.shown === shown ? unchanged(shown, at) : document({ ...about, body: content }, shown, at);
  return { status, type: TYPES.html, body: text };
}

export function redirect(to: string): ConsoleResponse {
  return { ...text(302, `${to}\n`), headers: { location: to } };
}

interface Page {
  readonly title: string;
  readonly navigation: readonly { readonly path: string; readonly title: string }[];
  /** The path of the navigation entry that the page belongs to. */
  readonly within?: string | undefined;
  /** The URL of the same as JSON. */
  readonly json?: string | undefined;
  /** Whether the page soon has more to show: without a script it then reloads soon. */
  readonly isAwaiting?: boolean;
  readonly body: Html;
}

interface Shown {
  readonly state: ConsoleState;
  readonly now: Instant;
}

/** A page without data reloads after this many seconds. */
const RELOAD_SECONDS = 2;

/** A complete document. Every page shows the time of its data. */
function document({ title, navigation, within, json, body, isAwaiting }: Page, shown: string, at: Shown): string {
  const { state } = at;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<noscript><meta http-equiv="refresh" content="${isAwaiting === true ? RELOAD_SECONDS : state.refreshSeconds}"></noscript>
<title>${title} · Echelon</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/console.css">
<script src="/assets/console.js" defer></script>
</head>
<body ${bodyData(shown, at)}>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/"><svg aria-hidden="true" viewBox="0 0 20 20" width="20" height="20"><path d="M3 15l7-4 7 4M3 10l7-4 7 4" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/></svg>Echelon</a>
<nav aria-label="Views">${navigation.map(
    (entry) =>
      html`<a href="${entry.path}"${entry.path === within ? html` aria-current="page"` : ''}>${entry.title}</a>`,
  )}</nav>
${asOfLine(at)}
</header>
<main id="main" tabindex="-1">
${body}
</main>
<footer>
<p>Read-only. Observes every ${state.refreshSeconds} s; an open page follows. All times are UTC.</p>
<p>${json === undefined ? '' : html`<a href="${json}">View as JSON</a> · `}<a href="/help">Keys and URLs</a></p>
</footer>
</body>
</html>
`.text;
}

export const FEED_PATH = '/events';

/** The response for a page whose content is current: only what every observation changes. */
function unchanged(shown: string, at: Shown): string {
  return html`<!doctype html>
<html lang="en"><head><title>Unchanged</title></head><body ${bodyData(shown, at)}>${asOfLine(at)}</body></html>
`.text;
}

function bodyData(shown: string, { state, now }: Shown): Html {
  return html`data-version="${versionText(state)}" data-shown="${shown}" data-now="${secondText(now)}" data-feed="${FEED_PATH}"`;
}

function asOfLine({ state, now }: Shown): Html {
  return html`<p class="asof">${asOf('Clusters', state.upgrades, now, forecastNote(state.upgrades, now))}${asOf('Shards', state.shards, now)}</p>`;
}

/** While a forecast is computed, the one before is shown: that is no change of the content. */
function forecastNote(half: Observed<UpgradesData>, now: Instant): Markup {
  if (half.kind !== 'known' || half.data.outlook.kind !== 'making' || isOutlookAwaited(half.data)) return '';
  return html`, forecast from ${timeWithAge(half.data.forecast.from, now)} until the next one is computed`;
}

function asOf<Data>(what: string, half: Observed<Data>, now: Instant, more: Markup = ''): Markup {
  if (half.kind === 'absent') return '';
  if (half.kind === 'waiting') return html`<span>${what}: first observation in progress</span>`;
  if (half.kind === 'failed') return html`<span class="late">${what}: observation failed</span>`;
  const late = half.error === undefined ? '' : ' late';
  return html`<span class="${late.trim()}">${what} as of ${timeWithAge(half.asOf, now)}${late === '' ? '' : ', last observation failed'}${more}</span>`;
}

/** How long ago or ahead something is. It changes by itself, and the script of the page counts on. */
const AGES = /(<small data-age>)[^<]*|( data-age=")[^"]*/g;
const LETTERS = 16;

/** ETag of a page; relative times do not count. */
function shownText(title: string, body: Html): string {
  return sha256Of(`${title}\n${body.text.replace(AGES, '$1$2')}`).slice(0, LETTERS);
}

/** ETag of the content that an open page shows, sent by its script. */
export function shownIn(search: string): string | undefined {
  return new URLSearchParams(search).get('shown') ?? undefined;
}

/** Only content from this server may run or load; no framing, and forms only to this server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Every response has these. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cache-control': 'no-store',
};

const YEAR_SECONDS = 31_536_000;

/** Additional header over TLS. */
export const STRICT_TRANSPORT: Readonly<Record<string, string>> = {
  'strict-transport-security': `max-age=${YEAR_SECONDS}`,
};

/** The decoded parts of a path below a prefix; undefined when it is not below it, or a part is not valid. */
export function pathParts(path: string, prefix: string): string[] | undefined {
  if (!path.startsWith(`${prefix}/`)) return undefined;
  try {
    return path
      .slice(prefix.length + 1)
      .split('/')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Two stacked chevrons. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><rect width="20" height="20" rx="4" fill="#2b4acb"/><path d="M4 14l6-3.5 6 3.5M4 9.5L10 6l6 3.5" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/></svg>\n`;

/** The same for all machine-readable documents. */
const API_VERSION = 'echelon/v1';

type DocumentKind =
  | 'ConsoleOverview'
  | 'ConsoleClusterList'
  | 'ConsoleCluster'
  | 'ConsoleTimeline'
  | 'ConsoleShardList'
  | 'ConsoleShard'
  | 'ConsoleRolloutList'
  | 'ConsoleRolloutShard'
  | 'ConsoleVersionList'
  | 'UpgradeReport';

/** A machine-readable document; changes within a version are only additions. */
export function jsonDocument(kind: DocumentKind, about: object): string {
  return `${JSON.stringify({ apiVersion: API_VERSION, kind, ...about })}\n`;
}

/** The time of the data, and its error if any. */
export function halfJson<Data>(half: Observed<Data>): object {
  if (half.kind === 'known') {
    const failed = half.error === undefined ? {} : { error: half.error };
    return { state: half.kind, asOf: secondText(half.asOf), ...failed };
  }
  if (half.kind === 'failed') return { state: half.kind, at: secondText(half.at), error: half.error };
  if (half.kind === 'absent') return { state: half.kind, message: half.message, hint: half.hint };
  return { state: half.kind };
}

/** The same for the upgrades half, with the state of its forecast. */
export function upgradesJson(half: Observed<UpgradesData>): object {
  if (half.kind !== 'known') return halfJson(half);
  const { outlook, forecast } = half.data;
  const asOf = forecast.clusters.length === 0 && outlook.kind !== 'ready' ? {} : { asOf: secondText(forecast.from) };
  const failed = outlook.kind === 'failed' ? { error: outlook.error } : {};
  return { ...halfJson(half), forecast: { state: outlook.kind, ...asOf, ...failed } };
}

export function dated(name: string, at: Instant | undefined): object {
  return at === undefined ? {} : { [name]: secondText(at) };
}
