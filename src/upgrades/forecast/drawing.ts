import { type Instant, secondText } from '../../gates/index.ts';
import type { ClusterForecast, Forecast } from './forecast.ts';
import type { Waiting } from './waiting-entries.ts';

const ROW = 22;
const BAR = 16;
const NAMES = 260;
const WIDTH = 900;
const TOP = 40;
const TICKS = 6;
const LIGHTNESS = [38, 50, 62] as const;
const GOLDEN_ANGLE = 137.5;

/** One row per cluster, coloured by version; a tooltip shows what it waits for. */
export function forecastDrawing(forecast: Forecast): string {
  const { clusters, from, to } = forecast;
  const colours = coloursOf(clusters);
  const x = (at: Instant): number => NAMES + ((Math.min(Math.max(at, from), to) - from) / (to - from)) * WIDTH;
  const height = TOP + clusters.length * ROW + ROW + (colours.size + 1) * ROW;
  const rows = clusters.map((cluster, index) => rowOf(cluster, TOP + index * ROW, { forecast, x, colours }));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${NAMES + WIDTH + 20}" height="${height}" font-family="sans-serif" font-size="12">`,
    '<title>Forecast of cluster upgrades</title>',
    `<desc>${escaped(`This holds if ${forecast.assumptions.join('; ')}.`)}</desc>`,
    ...ticks(forecast, x, clusters.length),
    ...rows,
    ...legend(colours, TOP + clusters.length * ROW + ROW),
    '</svg>',
    '',
  ].join('\n');
}

interface Drawing {
  readonly forecast: Forecast;
  readonly x: (at: Instant) => number;
  readonly colours: ReadonlyMap<string, string>;
}

interface Segment {
  readonly start: Instant;
  readonly end: Instant;
  readonly version: string;
}

/** The versions of a cluster over time. */
function segmentsOf({ version, upgrades }: ClusterForecast, { from, to }: Forecast): Segment[] {
  const own = upgrades.filter(({ nodePool, endsAt }) => nodePool === undefined && endsAt <= to);
  const starts = [
    { start: from, version: version as string },
    ...own.map((each) => ({ start: each.endsAt, version: each.version })),
  ];
  return starts.map((each, index) => ({ ...each, end: starts[index + 1]?.start ?? to }));
}

function rowOf(cluster: ClusterForecast, y: number, { forecast, x, colours }: Drawing): string {
  const bars = segmentsOf(cluster, forecast).map(({ start, end, version }) => {
    const width = Math.max(x(end) - x(start), 1);
    const lines = [`${cluster.name}: ${version} from ${secondText(start)}`, ...waitingIn(cluster.waiting, start, end)];
    return (
      `<rect x="${number(x(start))}" y="${y}" width="${number(width)}" height="${BAR}" fill="${colours.get(version)}">` +
      `<title>${escaped(lines.join('\n'))}</title></rect>`
    );
  });
  return `<g><text x="4" y="${y + BAR - 4}">${escaped(`${cluster.organization}/${cluster.name}`)}</text>${bars.join('')}</g>`;
}

/** What a cluster waits for in this interval. */
function waitingIn(waiting: readonly Waiting[], start: Instant, end: Instant): string[] {
  return waiting
    .filter(({ since }, index) => since < end && (waiting[index + 1]?.since ?? Number.POSITIVE_INFINITY) > start)
    .map(({ since, gate, action, reason, to }) => {
      const what = to === undefined ? (gate ?? action) : `${to}: ${gate ?? action}`;
      return `${secondText(since)} ${what}: ${reason}`;
    });
}

function ticks({ from, to }: Forecast, x: Drawing['x'], rows: number): string[] {
  return Array.from({ length: TICKS + 1 }, (_, index) => {
    const at = (from + ((to - from) * index) / TICKS) as Instant;
    const place = number(x(at));
    const anchor = index === TICKS ? 'end' : 'start';
    return (
      `<line x1="${place}" y1="${TOP - 8}" x2="${place}" y2="${TOP + rows * ROW}" stroke="#ccc"/>` +
      `<text x="${place}" y="${TOP - 14}" text-anchor="${anchor}">${secondText(at).slice(0, 10)}</text>`
    );
  });
}

function legend(colours: ReadonlyMap<string, string>, top: number): string[] {
  return [...colours].map(([version, colour], index) => {
    const y = top + index * ROW;
    return `<rect x="${NAMES}" y="${y}" width="${BAR}" height="${BAR}" fill="${colour}"/><text x="${NAMES + ROW}" y="${y + BAR - 4}">${escaped(version)}</text>`;
  });
}

/** Neighbouring versions get distinct colours; the text has the version as well. */
function coloursOf(clusters: readonly ClusterForecast[]): ReadonlyMap<string, string> {
  const versions = new Set(
    clusters.flatMap(({ version, upgrades }) => [version, ...upgrades.map((each) => each.version)]),
  );
  const sorted = [...versions].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return new Map(
    sorted.map((version, index) => {
      const hue = Math.round((index * GOLDEN_ANGLE) % 360);
      return [version, `hsl(${hue}, 60%, ${LIGHTNESS[index % LIGHTNESS.length]}%)`];
    }),
  );
}

function number(value: number): string {
  return value.toFixed(1);
}

/** Characters that XML forbids are removed. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
}
