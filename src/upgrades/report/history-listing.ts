import { didYouMean, EchelonError, type ListedRows, listedRows } from '../../base/index.ts';
import { secondText } from '../../gates/index.ts';
import { HISTORY_COLUMNS, type HistoryEvent, historyItem, newestFirst } from './history-events.ts';

/** What happened to clusters, newest first; of one cluster by its name or UUID. Throws CLUSTER_UNKNOWN. */
export function historyListing(all: readonly HistoryEvent[], reference?: string): ListedRows {
  const rows = reference === undefined ? all : all.filter(({ cluster, uuid }) => [cluster, uuid].includes(reference));
  if (reference !== undefined && rows.length === 0) throw unknownCluster(reference, all);
  return listedRows({
    ...{ kind: 'UpgradeEvent', noun: 'event', columns: HISTORY_COLUMNS, item: historyItem },
    rows: newestFirst(rows),
    name: ({ at, cluster, event }) => `${cluster}/${secondText(at)}/${event}`,
  });
}

function unknownCluster(reference: string, all: readonly HistoryEvent[]): EchelonError {
  return new EchelonError({
    code: 'CLUSTER_UNKNOWN',
    message: `no history of a cluster ${reference}`,
    hint: didYouMean(
      reference,
      [...new Set(all.map(({ cluster }) => cluster))],
      'list all with: echelon upgrades history',
    ),
  });
}
