import { type Column, type ListedRows, listedRows, shortDigests } from '../../base/index.ts';
import type { ListedPin, PinList } from './list-pinned.ts';

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
