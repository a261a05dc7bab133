import type { MetricsRegistry } from './metrics-registry.ts';
import type { PassLog } from './pass-events.ts';

/** What happened to a list that passes keep while a watch of it reports no change. */
type ListReport = { readonly cluster: string } & (
  | { readonly what: 'listed' | 'reused' | 'changed' }
  | { readonly what: 'refused'; readonly message: string }
);

/** Counts and reports what watches save a loop, and what they found. */
export interface WatchedLists {
  report(report: ListReport): void;
  /** Whether a watch found a change since the last call: the next poll has to look at the clusters. */
  takeChanges(): boolean;
}

/** A refusal is logged once for each cluster, with what is different without watches. */
export function watchedLists(metrics: MetricsRegistry, log: Pick<PassLog, 'info'>): WatchedLists {
  const lists = metrics.counter('echelon_lists_total', 'Lists that passes needed, by how they got them', ['result']);
  for (const result of ['listed', 'reused']) lists.inc({ result }, 0);
  const refusing = new Set<string>();
  let hasChanges = false;
  return {
    report: (report) => {
      const { cluster, what } = report;
      if (what === 'listed' || what === 'reused') lists.inc({ result: what });
      if (what === 'changed') hasChanges = true;
      if (what !== 'refused' || refusing.has(cluster)) return;
      refusing.add(cluster);
      const effect = 'every pass lists everything, and a change by others is found at the next resync';
      log.info('cluster cannot be watched', { cluster, error: report.message, effect });
    },
    takeChanges: () => {
      const had = hasChanges;
      hasChanges = false;
      return had;
    },
  };
}
