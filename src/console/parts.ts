import type { Instant, Opening } from '../gates/index.ts';
import { pathInRepository } from '../promotion/index.ts';
import type { Fault } from '../upgrades/index.ts';
import { type Html, html, type Markup, openingTime, timeWithAge } from './html.ts';
import type { Observed, ShardsData, SourceLinks, UpgradesData } from './state.ts';

/** The severity, for the icon beside the text. */
export type Tone = 'good' | 'wait' | 'bad' | 'idle';

const ICONS: Readonly<Record<Tone, string>> = { good: '✓', wait: '◷', bad: '✕', idle: '–' };

/** Text with an icon; the colour carries no information of its own. */
export function badge(tone: Tone, words: Markup): Html {
  return html`<span class="badge ${tone}"><i aria-hidden="true">${ICONS[tone]}</i><span>${words}</span></span>`;
}

function faultBox({ code, message, hint }: Fault, more: Markup = ''): Html {
  return html`<div class="notice bad" role="alert"><p><strong>${message}</strong> <code>${code}</code></p><p>${hint}</p>${more}</div>`;
}

/** The notice for a half without data. */
export function withoutData<Data>(half: Exclude<Observed<Data>, { readonly kind: 'known' }>): Html {
  if (half.kind === 'waiting')
    return html`<div class="notice" role="status"><p><strong>The first observation is in progress.</strong></p><p>This page shows it as soon as it is there.</p></div>`;
  if (half.kind === 'absent')
    return html`<div class="notice"><p><strong>${half.message}</strong></p><p>${half.hint}</p></div>`;
  return faultBox(half.error);
}

/** The warning before outdated data. */
export function staleBox<Data>(half: Observed<Data>): Markup {
  if (half.kind !== 'known' || half.error === undefined) return '';
  return faultBox(half.error, html`<p>The data below is from the last successful observation.</p>`);
}

/** Notice that the forecast is missing or outdated, with the reason. */
export function outlookNote({ outlook, forecast }: UpgradesData, now: Instant): Markup {
  const isShown = forecast.clusters.length > 0;
  if (outlook.kind === 'ready' || (outlook.kind === 'making' && isShown)) return '';
  const instead = isShown
    ? html`The forecast shown is from ${timeWithAge(forecast.from, now)}.`
    : 'Until then no forecast is shown.';
  if (outlook.kind === 'making')
    return html`<div class="notice" role="status"><p><strong>The forecast is being computed.</strong> ${instead}</p></div>`;
  const { error } = outlook;
  return faultBox({ ...error, message: `The forecast failed: ${error.message}` }, html`<p>${instead}</p>`);
}

/** Whether the first forecast is still being computed. */
export function isOutlookAwaited({ outlook, forecast }: UpgradesData): boolean {
  return outlook.kind === 'making' && forecast.clusters.length === 0;
}

/** A bar proportional to its share. */
export function bar(part: number, whole: number): Html {
  const share = whole === 0 ? 0 : (part / whole) * 100;
  return html`<svg class="bar" aria-hidden="true" width="100%" height="6"><rect class="track" width="100%" height="6" rx="3"/><rect class="fill" width="${share.toFixed(1)}%" height="6" rx="3"/></svg>`;
}

/** Organizations that are missing from the rows, because they cannot be observed. */
export function unseenOrganizations({ plan }: UpgradesData): Html[] {
  const environments = plan.environments.flatMap(({ name, fault }) => (fault === undefined ? [] : [{ name, fault }]));
  const organizations = plan.organizations.flatMap(({ environment, name, skipped }) =>
    skipped.map((fault) => ({ name: `${environment}/${name}`, fault })),
  );
  return boxes(
    [...environments, ...organizations].map(({ name, fault }) => ({ ...fault, message: `${name}: ${fault.message}` })),
  );
}

/** Namespaces that are missing from the rows. */
export function unseenShards({ faults }: ShardsData): Html[] {
  return boxes(faults);
}

const MOST_BOXES = 5;

function boxes(faults: readonly Fault[]): Html[] {
  const rest = faults.length - MOST_BOXES;
  const more = rest > 0 ? [html`<p class="hint">${rest} more: see the <a href="/problems">problems</a>.</p>`] : [];
  return [...faults.slice(0, MOST_BOXES).map((fault) => faultBox(fault)), ...more];
}

/** The verdict of one gate. */
interface GateRow {
  readonly gate: string;
  readonly state: 'pass' | 'wait' | 'broken';
  readonly reason: string;
  readonly opens?: Opening;
}

const TONES = { pass: 'good', wait: 'wait', broken: 'bad' } as const;

/** Every gate in order, with what it says and when it can open. */
export function gateTable(gates: readonly GateRow[], caption: string, now: Instant): Html {
  const rows = gates.map(
    ({ gate, state, reason, opens }) =>
      html`<tr class="${state}"><th scope="row">${gate}</th><td>${badge(TONES[state], state)}</td><td class="why">${reason}</td><td>${opens === undefined ? '' : openingTime(opens, now)}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="gates"><caption class="unseen">${caption}</caption><thead><tr><th scope="col">Gate</th><th scope="col">Verdict</th><th scope="col">Why</th><th scope="col">Opens</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** A file of the instance as `file:line`, linked to the forge where that is known. */
export function sourceLink(
  sources: SourceLinks | undefined,
  { file, line }: { readonly file: string; readonly line?: number },
): Html {
  const path = pathInRepository(file);
  const text = line === undefined ? path : `${path}:${line}`;
  const href = sources === undefined ? undefined : sourceUrl(sources, path, line);
  return href === undefined
    ? html`<code>${text}</code>`
    : html`<a href="${href}" rel="noreferrer"><code>${text}</code></a>`;
}

/** GitLab has its pages below `/-/`; only web addresses are links. */
export function sourceUrl({ repository, commit }: SourceLinks, path: string, line?: number): string | undefined {
  if (!URL.canParse(repository)) return undefined;
  const { protocol, host, pathname } = new URL(repository);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  const page = host === 'github.com' || host.startsWith('github.') ? 'blob' : '-/blob';
  const name = pathname.replace(/\/$/, '').replace(/\.git$/, '');
  const file = path.split('/').map(encodeURIComponent).join('/');
  return `${protocol}//${host}${name}/${page}/${commit}/${file}${line === undefined ? '' : `#L${line}`}`;
}
