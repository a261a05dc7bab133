import { byText, type ListedRows, type Listing, listedRows } from '../../base/index.ts';
import { tagOf } from './image-tag.ts';
import type { ShardState, ShardStatus } from './status.ts';

/** Shards by integration and place; what no integration declares comes last. */
export function statusListing(shards: readonly ShardStatus[]): ListedRows {
  return listedRows({ ...LISTING, rows: inListedOrder(shards) });
}

export function inListedOrder(shards: readonly ShardStatus[]): ShardStatus[] {
  return shards.toSorted(
    (a, b) =>
      byText(a.integration ?? '~', b.integration ?? '~') ||
      byText(`${a.cluster}/${a.namespace}/${a.shard ?? a.name}`, `${b.cluster}/${b.namespace}/${b.shard ?? b.name}`),
  );
}

const LISTING: Omit<Listing<ShardStatus>, 'rows'> = {
  kind: 'ShardStatus',
  noun: 'shard',
  name: ({ name }) => name,
  columns: [
    { title: 'STATE', cell: ({ state }) => state },
    { title: 'INTEGRATION', cell: ({ integration }) => integration ?? '' },
    { title: 'SHARD', cell: ({ shard }) => shard ?? '' },
    { title: 'CLUSTER/NAMESPACE', cell: ({ cluster, namespace }) => `${cluster}/${namespace}` },
    { title: 'IMAGE', cell: imageCell },
    { title: 'READY', cell: readyCell },
    { title: 'OBJECT', cell: ({ kind, name }) => `${kind} ${name}`, wide: true },
    { title: 'REASON', cell: ({ reason }) => reason ?? '' },
  ],
  item: (shard) => shard,
};

/** Nothing of a CronJob, and of what could not be observed. */
function readyCell({ kind, state, ready, wanted }: ShardStatus): string {
  return kind === 'CronJob' || state === 'unknown' ? '' : `${ready}/${wanted}`;
}

/** `f929a38`, or `f929a38 → 0473914` while the live image differs from the expected one. */
function imageCell({ expected, live }: ShardStatus): string {
  const [from, to] = [tagOf(live), tagOf(expected)];
  return from === to || from === '' || to === '' ? from || to : `${from} → ${to}`;
}

export const SHARD_STATES: readonly ShardState[] = [
  ...(['converged', 'pinned', 'held', 'lagging', 'missing', 'unexpected', 'disabled', 'unknown'] as const),
];

/** `3 converged, 1 lagging.`; nothing without shards. */
export function stateTotals(shards: readonly ShardStatus[]): string | undefined {
  const counts = SHARD_STATES.map((state) => [state, shards.filter((row) => row.state === state).length] as const);
  const totals = counts.filter(([, number]) => number > 0).map(([state, number]) => `${number} ${state}`);
  return totals.length === 0 ? undefined : `${totals.join(', ')}.`;
}
