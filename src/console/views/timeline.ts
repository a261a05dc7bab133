import { count } from '../../base/index.ts';
import { type Instant, MICROS, secondText } from '../../gates/index.ts';
import type { ClusterForecast, PastUpgrade } from '../../upgrades/index.ts';
import { compareVersionTexts } from '../../upgrades/index.ts';
import { type Html, html, type Markup, minuteText, timeInRow, timeWithAge } from '../html.ts';
import { countLine, filterForm, foundRows, pageOf, pager, type Query, sortHead } from '../list.ts';
import { versionHistory } from '../observe.ts';
import { isForecastAwaited, UPGRADES, type View } from '../page.ts';
import { outlookNote, unseenOrganizations } from '../parts.ts';
import type { ClusterRow, ConsoleState, UpgradesData, UpgradesView, VersionChange } from '../state.ts';
import { CLUSTER_COLUMNS, clusterPath, courseJson, forecastKey } from './clusters.ts';

export const timeline: View<UpgradesView> = {
  path: '/timeline',
  title: 'Timeline',
  entry: 'Timeline',
  filters: Object.keys(CLUSTER_COLUMNS.filters),
  half: UPGRADES,
  isAwaiting: isForecastAwaited,
  page: (data, query, { state, now }) =>
    html`${unseenOrganizations(data)}${outlookNote(data, now)}${timelinePage(data, query, state)}`,
  json: {
    path: '/timeline.json',
    kind: 'ConsoleTimeline',
    body: (data, query, state) => ({
      assumptions: data?.forecast.assumptions ?? [],
      items:
        data === undefined
          ? []
          : timelineRows(foundRows(data.rows, query, CLUSTER_COLUMNS), data, state).map(timelineJson),
    }),
  },
};

const COLOURS = 10;
const TICKS = 3;
const HEIGHT = 22;
/** Narrower periods have no room for their version; it is in the text beside, and shown on hover. */
const LABEL_PERCENT = 9;

function timelinePage(data: UpgradesView, query: Query, state: ConsoleState): Html {
  const { rows: all, choices, versionNumbers: numbers } = data;
  const paged = pageOf(timeline.path, query, foundRows(all, query, CLUSTER_COLUMNS));
  const axis = axisOf(data, state);
  const lines = timelineRows(paged.rows, data, state);
  return html`<h1>Timeline</h1>
${filterForm(paged, choices)}
${countLine(paged.found, count(all.length, 'cluster'), html`, from ${timeWithAge(axis.from, axis.now)} to ${timeWithAge(axis.to, axis.now)}`)}
<p class="hint">Left of the line is what the scheduler and this console observed; OCM keeps no history. Right of it is the forecast.</p>
${legend(lines, numbers)}
${pager(paged)}
<div class="scroll" tabindex="0" role="region" aria-label="Timeline">
<table class="rows timeline" data-rows><caption class="unseen">Versions of each cluster over time; the last column describes the drawing</caption>
<thead><tr>${sortHead(paged, 'cluster', 'Cluster')}<th scope="col" class="strip"><span class="unseen">Drawing</span>${scale(axis)}</th><th scope="col">In words</th></tr></thead>
<tbody>${lines.map((line) => lineOf(line, axis, numbers))}</tbody></table></div>
${paged.found > 0 ? '' : html`<p class="none">No cluster matches. <a href="${timeline.path}">Show all</a></p>`}
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
    .sort(compareVersionTexts)
    .map(
      (version) =>
        html`<li><svg aria-hidden="true" width="12" height="12"><rect class="v${(numbers.get(version) ?? 0) % COLOURS}" width="12" height="12" rx="3"/></svg>${version}</li>`,
    );
  return html`<ul class="legend" aria-label="Colours of versions">${items}</ul>`;
}

/** Describes the drawing. */
function words({ row: { cluster }, forecast, versionChanges, scheduled, recorded }: TimelineRow, now: Instant): Markup {
  const seen = versionChanges.slice(0, -1).map(({ version }, index) => {
    const until = versionChanges[index + 1]?.since;
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

/** The period in which a cluster has a version. */
interface Stretch {
  readonly version: string;
  readonly from: Instant;
  readonly to: Instant;
  /** Observed by this console, or forecast. */
  readonly kind: 'seen' | 'foreseen';
}

interface TimelineRow {
  readonly row: ClusterRow;
  readonly forecast: ClusterForecast | undefined;
  readonly stretches: readonly Stretch[];
  readonly versionChanges: readonly VersionChange[];
  /** Oldest first. */
  readonly scheduled: readonly PastUpgrade[];
  /** In the history, without dates. */
  readonly recorded: readonly string[];
}

interface Axis {
  readonly from: Instant;
  readonly to: Instant;
  /** The time of the data. */
  readonly now: Instant;
}

/** At least this share of the axis is the past, so that the line at the current time is visible. */
const LEAST_PAST = 1 / 12;
const LONGEST_PAST_DAYS = 30;

/** The first version change that a scheduler stored. */
export function firstChange({ past }: Pick<UpgradesData, 'past'>): number {
  return [...past.values()].reduce((from, { versions }) => Math.min(from, versions[0]?.since ?? from), Infinity);
}

/** From the first observation of a scheduler or of this console, at most a month back, to the end of the forecast. */
export function axisOf(
  { forecast, firstChange: stored }: Pick<UpgradesView, 'forecast' | 'firstChange'>,
  { startedAt }: Pick<ConsoleState, 'startedAt'>,
): Axis {
  const now = forecast.from;
  const least = (forecast.to - now) * LEAST_PAST;
  const first = Math.min(startedAt, stored);
  const past = Math.min(Math.max(now - first, least), LONGEST_PAST_DAYS * MICROS.day);
  return { from: (now - past) as Instant, to: forecast.to, now };
}

export function timelineRows(rows: readonly ClusterRow[], data: UpgradesView, state: ConsoleState): TimelineRow[] {
  const axis = axisOf(data, state);
  return rows.map((row) => {
    const { id, version } = row.cluster;
    const forecast = data.forecasts.get(forecastKey(row.cluster));
    const versionChanges = versionHistory(data, state, id);
    const dated = new Set(versionChanges.map((each) => each.version));
    return {
      row,
      forecast,
      versionChanges,
      scheduled: data.past.get(id)?.scheduled ?? [],
      recorded: (data.recorded.get(id) ?? []).filter((each) => each !== version && !dated.has(each)),
      stretches: [...seen(versionChanges, axis), ...foreseen(version, forecast, axis)],
    };
  });
}

function seen(versionChanges: readonly VersionChange[], { from, now }: Axis): Stretch[] {
  return versionChanges.flatMap(({ version, since }, index) => {
    const end = versionChanges[index + 1]?.since ?? now;
    const start = Math.max(since, from) as Instant;
    return end <= start ? [] : [{ version, from: start, to: end, kind: 'seen' as const }];
  });
}

/** A cluster without a forecast, such as while it is computed, has no future periods. */
function foreseen(version: string, forecast: ClusterForecast | undefined, { now, to }: Axis): Stretch[] {
  if (forecast === undefined) return [];
  const own = forecast.upgrades.filter(({ nodePool, endsAt }) => nodePool === undefined && endsAt <= to);
  const starts = [
    { version, from: now },
    ...own.map((each) => ({ version: each.version as string, from: each.endsAt })),
  ];
  return starts.map((each, index) => ({ ...each, to: starts[index + 1]?.from ?? to, kind: 'foreseen' }));
}

/** Numbers of colours; a version has the same one on every page. */
export function versionNumbers({ clusters, forecast, recorded }: UpgradesData): ReadonlyMap<string, number> {
  const versions = new Set<string>([
    ...clusters.map(({ version }) => version),
    ...forecast.clusters.flatMap(({ version, upgrades }) => [version, ...upgrades.map((each) => each.version)]),
    ...[...recorded.values()].flat(),
  ]);
  return new Map([...versions].sort(compareVersionTexts).map((version, index) => [version, index]));
}

function timelineJson({ row, ...course }: TimelineRow): object {
  const { environment, orgId, organization, id, uuid, name, version } = row.cluster;
  return { environment, orgId, organization, id, uuid, name, version, ...courseJson(course) };
}
