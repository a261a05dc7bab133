import { type Column, count, type ListedRows, type Listing, listedRows, shortDigests } from '../../base/index.ts';
import type { ListedPin, PinList } from './pins.ts';
import type { PinChange, PinPlan } from './plan-pins.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Pins with their age; with `live` also their live state. */
export function pinListing({ pins: rows, now }: PinList, live: boolean): ListedRows {
  const columns = live ? [...columnsAt(now), LIVE] : columnsAt(now);
  const item = (row: ListedPin): object => itemAt(row, now);
  return listedRows({ kind: 'Pin', noun: 'pin', rows, columns, name: nameOf, item });
}

function columnsAt(now: Date): Column<ListedPin>[] {
  return [
    { title: 'INTEGRATION', cell: ({ pin }) => pin.integration },
    { title: 'ENVIRONMENT', cell: ({ pin }) => pin.environment },
    { title: 'CLUSTER/NAMESPACE', cell: ({ pin }) => `${pin.cluster}/${pin.namespace}` },
    { title: 'SHARD', cell: ({ pin }) => pin.shard },
    { title: 'IMAGE', cell: ({ pin }) => shortDigests(pin.imageRef) },
    { title: 'AGE', cell: ({ since }) => (since === undefined ? '' : ageText(now.getTime() - since.getTime())) },
    { title: 'UNTIL', cell: ({ pin, expired }) => `${pin.until ?? ''}${expired ? ' (expired)' : ''}` },
    { title: 'REASON', cell: ({ pin }) => pin.reason ?? '' },
    { title: 'FILE', cell: ({ pin }) => `data${pin.file}${pin.line === undefined ? '' : `:${pin.line}`}`, wide: true },
  ];
}

const LIVE: Column<ListedPin> = { title: 'LIVE', cell: ({ live }) => live?.text ?? '' };

/** `41d`, `5h`, `3m`. */
function ageText(ms: number): string {
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)}d`;
  return ms >= HOUR_MS ? `${Math.floor(ms / HOUR_MS)}h` : `${Math.max(0, Math.floor(ms / 60_000))}m`;
}

function nameOf({ pin }: ListedPin): string {
  return `${pin.integration}/${pin.environment}/${pin.shard}`;
}

function itemAt({ pin, since, expired, live }: ListedPin, now: Date): object {
  return {
    ...pin,
    ...(since === undefined
      ? {}
      : { since: since.toISOString(), ageDays: Math.floor((now.getTime() - since.getTime()) / DAY_MS) }),
    ...(pin.until === undefined ? {} : { expired }),
    ...(live === undefined ? {} : { live: { obeys: live.obeys, state: live.text } }),
  };
}

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
