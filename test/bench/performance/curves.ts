import type { Axes, Point, Row } from '../row.ts';

export interface Curve {
  readonly name: string;
  readonly exponent: number;
  readonly points: readonly Point[];
}

export interface Chart {
  /** Of the file that it is drawn in. */
  readonly name: string;
  readonly axes: Axes;
  readonly curves: readonly Curve[];
}

/** One chart for each pair of axes of a part. */
export function chartsOf(part: string, rows: readonly Row[]): Chart[] {
  const charts = new Map<string, Chart>();
  for (const { what, ratio = Number.NaN, points, axes } of rows) {
    if (points === undefined || axes === undefined) continue;
    const name = `${part}-${axes.x}-${axes.y}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    const chart = charts.get(name) ?? { name, axes, curves: [] };
    charts.set(name, {
      ...chart,
      curves: [...chart.curves, { name: what.replace(/: exponent$/, ''), exponent: ratio, points }],
    });
  }
  return [...charts.values()];
}
