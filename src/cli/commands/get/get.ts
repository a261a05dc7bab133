import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { printListing } from '../../output/listing.ts';
import { loadFrom } from '../../read-instance.ts';
import { type GetFlags, list } from './list.ts';
import { warnOfErrors } from './warning.ts';

/** Shows what the instance declares of one kind. */
export async function get(io: Io, kind: string, names: readonly string[], flags: GetFlags): Promise<number> {
  const snapshot = await loadFrom(io, flags);
  const { rows, errors } = list(io, kind, names, flags, snapshot);
  warnOfErrors(io, errors);
  await printListing(io, rows, {
    format: flags.output,
    paint: paintFor(io.stdout, io.env, flags.color),
    revision: snapshot.revision.id,
  });
  return EXIT.ok;
}
