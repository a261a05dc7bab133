import { count, type ListedRows, type Listing, listedRows, shortDigests } from '../../base/index.ts';
import type { PinChange } from './pin-change.ts';
import type { PinPlan } from './plan-pins.ts';

/** What happens to each shard that a pin change concerns. */
export function pinChangeListing({ changes }: PinPlan): ListedRows {
  return listedRows({ ...LISTING, rows: changes });
}

const LISTING: Omit<Listing<PinChange>, 'rows'> = {
  kind: 'PinChange',
  noun: 'shard',
  name: ({ shard }) => shard,
  columns: [
    { title: 'INTEGRATION', cell: ({ integration }) => integration },
    { title: 'ENVIRONMENT', cell: ({ environment }) => environment },
    { title: 'CLUSTER/NAMESPACE', cell: ({ cluster, namespace }) => `${cluster}/${namespace}` },
    { title: 'SHARD', cell: ({ shard }) => shard },
    { title: 'CHANGE', cell: ({ action }) => action },
    { title: 'FROM', cell: ({ from }) => shortDigests(from ?? '') },
    { title: 'TO', cell: ({ to }) => shortDigests(to ?? '') },
  ],
  item: (change) => change,
};

/** `3 shards changed in data/integrations/x.yml`; without writing, what would change. */
export function pinChangeSummary({ changes, file, before, after }: PinPlan, written: boolean): string {
  if (before === after) return 'nothing to change';
  const moved = count(changes.filter(({ action }) => action !== 'keep').length, 'shard');
  return written ? `${moved} changed in data${file}` : `${moved} would change; nothing was written`;
}
