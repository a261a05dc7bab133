import { describe, expect, it } from 'vitest';
import type { Row } from '../row.ts';
import { chartsOf } from './curves.ts';
import { drawn } from './draw.ts';
import { logScale, tickText } from './scale.ts';

const SIZES = [100, 1_000, 10_000];
const curve = (what: string, y: (x: number) => number, unit = 'ms'): Row => ({
  ...{ what, echelon: '', ratio: 1, axes: { x: 'shards', y: unit } },
  points: SIZES.map((x) => ({ x, y: y(x) })),
});

describe('charts of a part', () => {
  it('are one for each pair of axes, and none for rows that are no curve', () => {
    const rows = [curve('plan', (x) => x), curve('memory', (x) => x, 'MiB'), curve('pass', (x) => x)];
    const charts = chartsOf('growth', [...rows, { what: 'other', echelon: '1' }]);
    expect(charts.map(({ name, curves }) => [name, curves.map((each) => each.name)])).toEqual([
      ['growth-shards-ms', ['plan', 'pass']],
      ['growth-shards-mib', ['memory']],
    ]);
  });
});

describe('an axis', () => {
  it.each([
    { values: [3, 4], ticks: [1, 10] },
    { values: [10], ticks: [10, 100] },
    { values: [0.2, 1_500], ticks: [0.1, 1, 10, 100, 1_000, 10_000] },
  ])('of $values has the powers of ten $ticks', ({ values, ticks }) => {
    const scale = logScale(values, 0, 100);
    expect(scale.ticks.map((tick) => Number(tick.toPrecision(6)))).toEqual(ticks);
    for (const value of values) expect(scale.at(value)).toBeGreaterThanOrEqual(0);
    for (const value of values) expect(scale.at(value)).toBeLessThanOrEqual(100);
  });

  it.each([
    [0.1, '0.1'],
    [1, '1'],
    [10_000, '10,000'],
  ])('labels %d as %s', (value, text) => {
    expect(tickText(value)).toBe(text);
  });
});

describe('a chart', () => {
  it('names each curve with its exponent, and is the same for the same numbers', () => {
    const [chart] = chartsOf('growth', [curve('render & "plan" <x>: exponent', (x) => x)]);
    const svg = drawn(chart!);
    expect(svg).toContain('render &amp; &quot;plan&quot; &lt;x>: exponent 1.00');
    expect(drawn(chart!)).toBe(svg);
    expect(svg).not.toContain('NaN');
  });

  it('holds a curve that grows faster than linear, and the guide of one that grows slower', () => {
    const [chart] = chartsOf('growth', [curve('a', (x) => x * x), curve('b', () => 5)]);
    const lines = [...drawn(chart!).matchAll(/class="(?:curve|guide)[^>]* d="([^"]+)"/g)].map(([, path = '']) => path);
    const heights = lines.flatMap((path) => [...path.matchAll(/ ([\d.-]+)/g)].map(([, y]) => Number(y)));
    expect(heights).toHaveLength(2 * (SIZES.length + 2));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(36);
    expect(Math.max(...heights)).toBeLessThanOrEqual(336);
  });
});
