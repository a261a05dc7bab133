import { type Column, listedRows } from '../../base/index.ts';
import { shardOf as md5ShardOf, rendezvousShardOf } from '../../sharding/index.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { paintFor } from '../output/colour.ts';
import type { Format } from '../output/format.ts';
import { printListing } from '../output/listing.ts';

export interface ShardOfFlags {
  readonly shards: number;
  readonly membership: 'md5' | 'rendezvous';
  readonly output: Format;
  readonly color?: boolean;
}

interface Row {
  readonly key: string;
  readonly shard: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'KEY', cell: ({ key }) => key },
  { title: 'SHARD', cell: ({ shard }) => String(shard) },
];

/** Which shard owns each key; the function that the shards themselves use. */
export async function shardOf(io: Io, keys: readonly string[], flags: ShardOfFlags): Promise<number> {
  const owner = flags.membership === 'rendezvous' ? rendezvousShardOf : md5ShardOf;
  const rows = keys.map((key) => ({ key, shard: owner(key, flags.shards) }));
  const listing = {
    kind: 'ShardOf',
    noun: 'key',
    rows,
    columns: COLUMNS,
    name: ({ key }: Row) => key,
    item: (row: Row) => row,
  };
  await printListing(io, listedRows(listing), {
    format: flags.output,
    paint: paintFor(io.stdout, io.env, flags.color),
    revision: `${flags.membership}/${flags.shards}`,
  });
  return EXIT.ok;
}
