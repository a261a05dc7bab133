import { type Instant, secondText } from '../gates/index.ts';
import { type Html, html, type Markup } from './html.ts';
import { isOutlookAwaited } from './parts.ts';
import type { ConsoleState, Half, UpgradesData } from './state.ts';
import { timeWithAge } from './times.ts';
import { FEED_PATH, versionText } from './version.ts';

export type View = 'overview' | 'clusters' | 'timeline' | 'shards' | 'rollouts' | 'versions' | 'help';

const VIEWS: readonly (readonly [View, string, string])[] = [
  ['overview', '/', 'Overview'],
  ['clusters', '/clusters', 'Clusters'],
  ['timeline', '/timeline', 'Timeline'],
  ['shards', '/shards', 'Shards'],
  ['rollouts', '/rollouts', 'Rollouts'],
  ['versions', '/versions', 'Versions'],
];

interface Page {
  readonly title: string;
  readonly view?: View;
  /** The same as JSON. */
  readonly json?: string;
  readonly body: Html;
  /** Names the body. */
  readonly shown: string;
}

interface Shown {
  readonly state: ConsoleState;
  readonly now: Instant;
}

/** A page without data reloads after this many seconds. */
const RELOAD_SECONDS = 2;

/** A complete document. Every page shows the time of its data. */
export function document({ title, view, json, body, shown }: Page, { state, now }: Shown): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<noscript><meta http-equiv="refresh" content="${awaits(view, state) ? RELOAD_SECONDS : state.refreshSeconds}"></noscript>
<title>${title} · Echelon</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/console.css">
<script src="/assets/console.js" defer></script>
</head>
<body ${bodyData(shown, { state, now })}>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/"><svg aria-hidden="true" viewBox="0 0 20 20" width="20" height="20"><path d="M3 15l7-4 7 4M3 10l7-4 7 4" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/></svg>Echelon</a>
<nav aria-label="Views">${VIEWS.map(
    ([name, path, words]) => html`<a href="${path}"${name === view ? html` aria-current="page"` : ''}>${words}</a>`,
  )}</nav>
${asOfLine({ state, now })}
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

/** For the script of a page that shows the rest already. */
export function unchanged(shown: string, at: Shown): string {
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

/** Whether the data of a page is not available yet: without a script it then reloads soon. */
function awaits(view: View | undefined, { upgrades, shards }: ConsoleState): boolean {
  if (view === 'shards' || view === 'rollouts' || view === 'versions') return shards.kind === 'waiting';
  if (view === 'clusters') return upgrades.kind === 'waiting';
  const noOutlook = upgrades.kind === 'waiting' || (upgrades.kind === 'known' && isOutlookAwaited(upgrades.data));
  return (view === 'timeline' && noOutlook) || (view === 'overview' && (noOutlook || shards.kind === 'waiting'));
}

/** While a forecast is computed, the one before is shown: that is no change of the content. */
function forecastNote(half: Half<UpgradesData>, now: Instant): Markup {
  if (half.kind !== 'known' || half.data.outlook.kind !== 'making' || isOutlookAwaited(half.data)) return '';
  return html`, forecast from ${timeWithAge(half.data.forecast.from, now)} until the next one is computed`;
}

function asOf<Data>(what: string, half: Half<Data>, now: Instant, more: Markup = ''): Markup {
  if (half.kind === 'absent') return '';
  if (half.kind === 'waiting') return html`<span>${what}: first observation in progress</span>`;
  if (half.kind === 'failed') return html`<span class="late">${what}: observation failed</span>`;
  const late = half.error === undefined ? '' : ' late';
  return html`<span class="${late.trim()}">${what} as of ${timeWithAge(half.asOf, now)}${late === '' ? '' : ', last observation failed'}${more}</span>`;
}
