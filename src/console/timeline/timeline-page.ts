import { count } from '../../base/index.ts';
import { type Instant, secondText } from '../../gates/index.ts';
import { clusterChoices, foundClusters } from '../clusters/list-page.ts';
import { type ClusterRow, clusterPath } from '../clusters/rows.ts';
import { type Html, html, type Markup } from '../html.ts';
import { countLine, filterForm, pageOf, pager, sortHead } from '../list-parts.ts';
import { inOrder } from '../past.ts';
import type { Query } from '../query.ts';
import type { ConsoleState, UpgradesData } from '../state.ts';
import { minuteText, timeInRow, timeWithAge } from '../times.ts';
import { type Axis, axisOf, type Stretch, type TimelineRow, timelineRows, versionNumbers } from './timeline.ts';

const TIMELINE_PATH = '/timeline';
const COLOURS = 10;
const TICKS = 3;
const HEIGHT = 22;
/** Narrower periods have no room for their version; it is in the text beside, and shown on hover. */
const LABEL_PERCENT = 9;

export function timelinePage(all: readonly ClusterRow[], query: Query, data: UpgradesData, state: ConsoleState): Html {
  const paged = pageOf(TIMELINE_PATH, query, foundClusters(all, query));
  const axis = axisOf(data, state);
  const numbers = versionNumbers(data);
  const lines = timelineRows(paged.rows, data, state);
  return html`<h1>Timeline</h1>
${filterForm(paged, clusterChoices(all))}
${countLine(paged.found, count(all.length, 'cluster'), html`, from ${timeWithAge(axis.from, axis.now)} to ${timeWithAge(axis.to, axis.now)}`)}
<p class="hint">Left of the line is what the scheduler and this console observed; OCM keeps no history. Right of it is the forecast.</p>
${legend(lines, numbers)}
${pager(paged)}
<div class="scroll" tabindex="0" role="region" aria-label="Timeline">
<table class="rows timeline" data-rows><caption class="unseen">Versions of each cluster over time; the last column describes the drawing</caption>
<thead><tr>${sortHead(paged, 'cluster', 'Cluster')}<th scope="col" class="strip"><span class="unseen">Drawing</span>${scale(axis)}</th><th scope="col">In words</th></tr></thead>
<tbody>${lines.map((line) => lineOf(line, axis, numbers))}</tbody></table></div>
${paged.found > 0 ? '' : html`<p class="none">No cluster matches. <a href="${TIMELINE_PATH}">Show all</a></p>`}
${pager(paged, 'Pages, below')}
<details><summary>Assumptions of the forecast</summary><ul>${data.forecast.assumptions.map((text) => html`<li>${text}</li>`)}</ul></details>`;
}

function place(at: Instant, { from, to }: Axis): number {
  return Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100));
}

function lineOf(line: TimelineRow, axis: Axis, numbers: ReadonlyMap<string, number>): Html {
  const { cluster } = line.row;
  return html`<tr><th scope="row"><a href="${clusterPath(cluster)}">${cluster.name}</a> <small>${cluster.environment}/${cluster.organization}</small></th><td class="strip"><svg aria-hidden="true" width="100%" height="${HEIGHT}"><rect class="unknown" y="9" width="${place(axis.now, axis).toFixed(2)}%" height="4"/>${line.stretches.map((stretch) => stretchOf(stretch, axis, numbers))}${nowLine(axis)}</svg></td><td class="words">${words(line, axis.now)}</td></tr>
`;
}

function stretchOf({ version, from, to, kind }: Stretch, axis: Axis, numbers: ReadonlyMap<string, number>): Html {
  const start = place(from, axis);
  const width = place(to, axis) - start;
  const label =
    width < LABEL_PERCENT ? '' : html`<text class="t" x="${(start + 0.6).toFixed(2)}%" y="15">${version}</text>`;
  return html`<rect class="${kind} v${(numbers.get(version) ?? 0) % COLOURS}" x="${start.toFixed(2)}%" y="2" width="${width.toFixed(2)}%" height="${HEIGHT - 4}" rx="3"><title>${version} from ${minuteText(from)}</title></rect>${label}`;
}

function nowLine(axis: Axis): Html {
  const x = `${place(axis.now, axis).toFixed(2)}%`;
  return html`<line class="now" x1="${x}" x2="${x}" y1="0" y2="100%"/>`;
}

function scale(axis: Axis): Html {
  const ticks = Array.from({ length: TICKS + 1 }, (_, index) => {
    const at = (axis.now + ((axis.to - axis.now) * index) / TICKS) as Instant;
    const x = place(at, axis).toFixed(2);
    const anchor = index === TICKS ? 'end' : 'start';
    return html`<text x="${x}%" y="12" text-anchor="${anchor}">${index === 0 ? 'now' : secondText(at).slice(0, 10)}</text>`;
  });
  return html`<svg class="scale" aria-hidden="true" width="100%" height="16">${ticks}</svg>`;
}

/** The colours of versions. */
function legend(lines: readonly TimelineRow[], numbers: ReadonlyMap<string, number>): Html {
  const shown = new Set(lines.flatMap(({ stretches }) => stretches.map(({ version }) => version)));
  const items = [...shown]
    .sort(inOrder)
    .map(
      (version) =>
        html`<li><svg aria-hidden="true" width="12" height="12"><rect class="v${(numbers.get(version) ?? 0) % COLOURS}" width="12" height="12" rx="3"/></svg>${version}</li>`,
    );
  return html`<ul class="legend" aria-label="Colours of versions">${items}</ul>`;
}

/** Describes the drawing. */
function words({ row: { cluster }, forecast, sighted, scheduled, recorded }: TimelineRow, now: Instant): Markup {
  const seen = sighted.slice(0, -1).map(({ version }, index) => {
    const until = sighted[index + 1]?.since;
    return html`${version} until ${until === undefined ? '' : timeInRow(until, now)}, `;
  });
  const upgrades = (forecast?.upgrades ?? []).map(
    (upgrade) =>
      html`, <strong>${upgrade.version}</strong>${poolText(upgrade)} from ${timeInRow(upgrade.startsAt, now)}`,
  );
  const waiting = forecast?.waiting.at(-1);
  const rest = upgrades.length === 0 && waiting !== undefined ? html`; no upgrade is forecast: ${waiting.reason}` : '';
  const last = scheduled.at(-1);
  const asked =
    last === undefined || last.startsAt > now
      ? ''
      : html` <small>${last.version}${poolText(last)} was scheduled for ${timeInRow(last.startsAt, now)}.</small>`;
  const before = recorded.length === 0 ? '' : html` <small>Earlier, without dates: ${recorded.join(', ')}.</small>`;
  return html`${seen}${cluster.version} now${upgrades}${rest}.${asked}${before}`;
}

function poolText({ nodePool }: { readonly nodePool?: string }): string {
  return nodePool === undefined ? '' : ` (node pool ${nodePool})`;
}
