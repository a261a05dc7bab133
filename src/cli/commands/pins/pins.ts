import { defined, mapLimited, passes, requireNames } from '../../../base/index.ts';
import { lineDates } from '../../../clients/git/index.ts';
import { environmentNames, type Instance } from '../../../instance/index.ts';
import { isExpired, listPins, type Pin, shortImageRef } from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { type Column, printable } from '../../output/listing.ts';
import { loadInstance } from '../get/load.ts';
import type { LivePin } from './live-pins.ts';
import type { PinsFlags } from './pins-flags.ts';

/** When a line of a file of the instance was last changed; nothing where nobody knows. */
export type AgeOf = (file: string, line: number) => Promise<Date | undefined>;

interface Row {
  readonly pin: Pin;
  readonly since?: Date;
  readonly expired: boolean;
  readonly live?: LivePin;
}

const FILES_AT_ONCE = 4;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Lists pins with their age and reason; with `--live` also whether shards obey, and exits 1 when one does not. */
export async function pins(io: Io, flags: PinsFlags, now: Date = new Date()): Promise<number> {
  const instance = await loadInstance(io, flags);
  requireNames('environment', flags.environment, environmentNames(instance));
  requireNames(
    'integration',
    flags.integration,
    instance.integrations.map(({ name }) => name),
  );
  const aged = await withAge(listPins(instance).filter(isWanted(flags)), ageOf(instance), now);
  const kept = aged.filter(
    ({ since, expired }) =>
      (flags.expired !== true || expired) &&
      (flags.olderThan === undefined || (since !== undefined && now.getTime() - since.getTime() > flags.olderThan)),
  );
  const { rows, wrong } =
    flags.live === true ? await withLive(io, flags, instance, kept) : { rows: kept, wrong: false };
  const columns = flags.live === true ? [...columnsAt(now), LIVE] : columnsAt(now);
  await printable({ kind: 'Pin', noun: 'pin', rows, columns, name: nameOf, item: (row: Row) => item(row, now) }).print(
    io,
    [],
    {
      format: flags.output,
      paint: paintFor(io.stdout, io.env, flags.color),
      revision: instance.snapshot.revision.id,
    },
  );
  return wrong ? EXIT.failed : EXIT.ok;
}

function isWanted({ integration, environment, cluster, namespace }: PinsFlags): (pin: Pin) => boolean {
  return (pin) =>
    passes(integration, pin.integration) &&
    passes(environment, pin.environment) &&
    passes(cluster, pin.cluster) &&
    passes(namespace, pin.namespace);
}

/** Git knows the age of what a working tree has; a bundle or server does not. */
function ageOf({ snapshot }: Instance): AgeOf {
  return snapshot.kind === 'directory' ? lineDates(snapshot.origin) : () => Promise.resolve(undefined);
}

function withAge(found: readonly Pin[], age: AgeOf, now: Date): Promise<Row[]> {
  return mapLimited(found, FILES_AT_ONCE, async (pin): Promise<Row> => {
    const since = pin.line === undefined ? undefined : await age(`data${pin.file}`, pin.line);
    return { pin, expired: isExpired(pin, now), ...defined({ since }) };
  });
}

async function withLive(
  io: Io,
  flags: PinsFlags,
  instance: Instance,
  rows: readonly Row[],
): Promise<{ rows: readonly Row[]; wrong: boolean }> {
  const { livePins } = await import('./live-pins.ts');
  const { of, failed } = await livePins(
    io,
    flags,
    instance,
    rows.map(({ pin }) => pin),
  );
  const looked = rows.map((row) => ({ ...row, live: of(row.pin) }));
  return { rows: looked, wrong: failed || looked.some(({ live }) => live.obeys === false) };
}

function columnsAt(now: Date): Column<Row>[] {
  return [
    { title: 'INTEGRATION', cell: ({ pin }) => pin.integration },
    { title: 'ENVIRONMENT', cell: ({ pin }) => pin.environment },
    { title: 'CLUSTER/NAMESPACE', cell: ({ pin }) => `${pin.cluster}/${pin.namespace}` },
    { title: 'SHARD', cell: ({ pin }) => pin.shard },
    { title: 'IMAGE', cell: ({ pin }) => shortImageRef(pin.imageRef) },
    { title: 'AGE', cell: ({ since }) => (since === undefined ? '' : ageText(now.getTime() - since.getTime())) },
    { title: 'UNTIL', cell: ({ pin, expired }) => `${pin.until ?? ''}${expired ? ' (expired)' : ''}` },
    { title: 'REASON', cell: ({ pin }) => pin.reason ?? '' },
    { title: 'FILE', cell: ({ pin }) => `data${pin.file}${pin.line === undefined ? '' : `:${pin.line}`}`, wide: true },
  ];
}

const LIVE: Column<Row> = { title: 'LIVE', cell: ({ live }) => live?.text ?? '' };

/** `41d`, `5h`, `3m`. */
function ageText(ms: number): string {
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)}d`;
  return ms >= HOUR_MS ? `${Math.floor(ms / HOUR_MS)}h` : `${Math.max(0, Math.floor(ms / 60_000))}m`;
}

function nameOf({ pin }: Row): string {
  return `${pin.integration}/${pin.environment}/${pin.shard}`;
}

function item({ pin, since, expired, live }: Row, now: Date): object {
  return {
    ...pin,
    ...(since === undefined
      ? {}
      : { since: since.toISOString(), ageDays: Math.floor((now.getTime() - since.getTime()) / DAY_MS) }),
    ...(pin.until === undefined ? {} : { expired }),
    ...(live === undefined ? {} : { live: { obeys: live.obeys, state: live.text } }),
  };
}
