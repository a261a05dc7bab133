import type { Point } from '../row.ts';
import type { Chart, Curve } from './curves.ts';
import { logScale, type Scale, tickText } from './scale.ts';

const [WIDTH, PLOT, BOTTOM] = [760, { left: 78, right: 724, top: 36, height: 300 }, 46];
const LINE = 20;

/** Light and dark, for each curve. */
const COLOURS = [
  ['#0969da', '#58a6ff'],
  ['#bc4c00', '#f0883e'],
  ['#1a7f37', '#3fb950'],
  ['#8250df', '#bc8cff'],
  ['#bf3989', '#f778ba'],
  ['#57606a', '#8b949e'],
] as const;
/** By their form too, for whoever sees no difference between colours. */
const MARKS: readonly ((x: number, y: number) => string)[] = [
  (x, y) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`,
  (x, y) => `M${x - 4} ${y - 4}h8v8h-8z`,
  (x, y) => `M${x} ${y - 5}l5 9h-10z`,
  (x, y) => `M${x} ${y - 5}l5 5l-5 5l-5 -5z`,
];

/** Both axes logarithmic, so that a straight line is a power and its slope the exponent; dashed what linear growth would be. */
export function drawn({ axes, curves }: Chart): string {
  const points = curves.flatMap((curve) => curve.points);
  const floor = PLOT.top + PLOT.height;
  const x = logScale(
    points.map((point) => point.x),
    PLOT.left,
    PLOT.right,
  );
  const y = logScale(
    points.map((point) => point.y),
    floor,
    PLOT.top,
  );
  const height = floor + BOTTOM + LINE * (curves.length + 1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${axes.y} by ${axes.x}">`,
    `<style>${styles()}</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}"/>`,
    ...x.ticks.map((tick) => vertical(x.at(tick), floor, tickText(tick))),
    ...y.ticks.map((tick) => horizontal(y.at(tick), tickText(tick))),
    `<text x="${PLOT.right}" y="${floor + 36}" text-anchor="end">${escaped(axes.x)}</text>`,
    `<text x="${PLOT.left - 8}" y="20" text-anchor="end">${escaped(axes.y)}</text>`,
    ...curves.map((curve, index) => line(curve, index, x, y)),
    ...curves.map((curve, index) => legend(curve, index, floor + BOTTOM + LINE * (index + 0.5))),
    `<text x="${PLOT.left}" y="${floor + BOTTOM + LINE * (curves.length + 0.5) + 4}">dashed: linear from the first point</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function styles(): string {
  const colours = (dark: 0 | 1): string =>
    COLOURS.map((pair, index) => `.c${index}{stroke:${pair[dark]};fill:${pair[dark]}}`).join('');
  const shared = 'text{font:12px system-ui,sans-serif}.curve{fill:none;stroke-width:2}.guide{fill:none;opacity:.5}';
  const theme = (paper: string, ink: string, grid: string, dark: 0 | 1): string =>
    `.paper{fill:${paper}}text{fill:${ink}}.grid{stroke:${grid}}${colours(dark)}`;
  const [light, dark] = [theme('#fff', '#1f2328', '#d0d7de', 0), theme('#0d1117', '#e6edf3', '#30363d', 1)];
  return `${light}@media (prefers-color-scheme:dark){${dark}}${shared}`;
}

function vertical(at: number, floor: number, label: string): string {
  const x = rounded(at);
  return `<path class="grid" d="M${x} ${PLOT.top}V${floor}"/><text x="${x}" y="${floor + 18}" text-anchor="middle">${label}</text>`;
}

function horizontal(at: number, label: string): string {
  const y = rounded(at);
  return `<path class="grid" d="M${PLOT.left} ${y}H${PLOT.right}"/><text x="${PLOT.left - 8}" y="${y + 4}" text-anchor="end">${label}</text>`;
}

function line({ points }: Curve, index: number, x: Scale, y: Scale): string {
  const colour = `c${index % COLOURS.length}`;
  const placed = points.map((point) => ({ x: rounded(x.at(point.x)), y: rounded(y.at(point.y)) }));
  const path = (through: readonly Point[]): string => `M${through.map((point) => `${point.x} ${point.y}`).join('L')}`;
  const marks = placed.map((point) => MARKS[index % MARKS.length]?.(point.x, point.y) ?? '').join('');
  return [
    `<path class="guide ${colour}" style="fill:none" stroke-dasharray="3 4" d="${path(linear(points, x, y))}"/>`,
    `<path class="curve ${colour}" style="fill:none" d="${path(placed)}"/>`,
    `<path class="${colour}" d="${marks}"/>`,
  ].join('');
}

/** From the first point, until the last or the top of the chart. */
function linear(points: readonly Point[], x: Scale, y: Scale): Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  const top = y.ticks.at(-1) ?? first.y;
  const times = Math.min(last.x / first.x, top / first.y);
  return [first, { x: first.x * times, y: first.y * times }].map((point) => ({
    x: rounded(x.at(point.x)),
    y: rounded(y.at(point.y)),
  }));
}

function legend({ name, exponent }: Curve, index: number, y: number): string {
  const mark = MARKS[index % MARKS.length]?.(PLOT.left + 6, y) ?? '';
  return `<path class="c${index % COLOURS.length}" d="${mark}"/><text x="${PLOT.left + 20}" y="${y + 4}">${escaped(name)}: exponent ${exponent.toFixed(2)}</text>`;
}

function rounded(value: number): number {
  return Number(value.toFixed(1));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
