import { expect, it } from 'vitest';
import { declaredChart } from './declared-chart.ts';

it.each([
  { chart: undefined, root: '/instance', folder: undefined },
  { chart: 'charts/mine', root: '/instance', folder: '/instance/charts/mine' },
  { chart: '/charts/mine', root: '/instance', folder: '/charts/mine' },
  { chart: '/charts/mine', root: undefined, folder: '/charts/mine' },
])('a chart $chart of an instance in $root is in $folder', ({ chart, root, folder }) => {
  expect(declaredChart(chart, root)).toBe(folder);
});

it('a chart below an instance that is no folder is refused', () => {
  expect(() => declaredChart('charts/mine', undefined)).toThrow(expect.objectContaining({ code: 'CHART_NOT_FOUND' }));
});
