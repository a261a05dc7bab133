import type { Point } from './row.ts';

/** The k of y ~ x^k: the slope of the straight line that fits best through the logarithms of both. */
export function exponentOf(points: readonly Point[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const mean = (of: (point: Point) => number): number => logs.reduce((sum, point) => sum + of(point), 0) / logs.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const along = logs.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return logs.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / along;
}
