import type { Exported } from './exported-metrics.ts';
import { namedIn } from './promql.ts';

/** Labels that Prometheus itself gives every series when it scrapes. */
const SCRAPED = ['job', 'instance'];
const OVER_TIME = /\b(?:rate|increase)\(\s*([a-z_]+)/g;

/** Metrics and labels of an expression that nothing exports, and counters and gauges that are taken for each other. */
export function unknownIn(
  expression: string,
  exported: ReadonlyMap<string, Pick<Exported, 'labels' | 'kind'>>,
): string[] {
  const { selectors, labels } = namedIn(expression);
  const known = new Set([...SCRAPED, ...selectors.flatMap(({ metric }) => exported.get(metric)?.labels ?? [])]);
  return [
    ...selectors.flatMap(({ metric, matchers }) => {
      const own = exported.get(metric);
      if (own === undefined) return [`metric ${metric}`];
      const unknown = matchers.filter(({ label }) => ![...SCRAPED, ...own.labels].includes(label));
      return unknown.map(({ label }) => `label ${label} of ${metric}`);
    }),
    ...labels.filter((label) => !known.has(label)).map((label) => `label ${label}`),
    ...[...expression.matchAll(OVER_TIME)].flatMap(([, metric = '']) =>
      exported.get(metric)?.kind === 'counter' ? [] : [`${metric} is no counter`],
    ),
  ];
}
