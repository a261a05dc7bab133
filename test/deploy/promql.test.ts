import { describe, expect, it } from 'vitest';
import { namedIn } from './promql.ts';

const selector = (metric: string, matchers: Record<string, string> = {}) => ({
  metric,
  matchers: Object.entries(matchers).map(([label, value]) => ({ label, value })),
});

describe('what an expression names', () => {
  it.each([
    { given: 'a metric', text: 'up', selectors: [selector('up')], labels: [] },
    {
      given: 'matchers, with text in them that looks like more',
      text: 'm{a="x, b=\\"y\\"}", c=~"$d"} > 0.5',
      selectors: [selector('m', { a: 'x, b=\\"y\\"}', c: '$d' })],
      labels: [],
    },
    {
      given: 'functions and ranges',
      text: 'rate(m{a!="x"}[$__rate_interval]) + count_over_time((n <= -2)[1d:5m])',
      selectors: [selector('m', { a: 'x' }), selector('n')],
      labels: [],
    },
    {
      given: 'groupings before and behind',
      text: 'sum by (a, b) (m offset 1d) / on (c) group_left (d) sum(n) without (e)',
      selectors: [selector('m'), selector('n')],
      labels: ['a', 'b', 'c', 'd', 'e'],
    },
    {
      given: 'sets of vectors',
      text: 'm == bool 1 and on () n unless r:s:t or vector(0)',
      selectors: [selector('m'), selector('n'), selector('r:s:t')],
      labels: [],
    },
  ])('is found with $given', ({ text, selectors, labels }) => {
    expect(namedIn(text)).toEqual({ selectors, labels });
  });

  it.each(['m{a="x"', 'sum by (a', 'sum by m', "m{a='x'}", 'm @ 1', '{__name__="m"}', 'm # note'])(
    'is not guessed in %s',
    (text) => {
      expect(() => namedIn(text)).toThrow();
    },
  );
});
