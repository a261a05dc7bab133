import { shownRows } from '../../../base/index.ts';
import { answered } from '../../answered.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { printListing } from '../../output/listing.ts';
import type { GetFlags } from './list.ts';
import { warnOfErrors } from './warning.ts';

/** Shows what the instance declares of one kind. */
export async function get(io: Io, kind: string, names: readonly string[], flags: GetFlags): Promise<number> {
  const { capabilities, environment, integration, output } = flags;
  const { rows, errors, revision } = await answered(io, flags, {
    question: { command: 'get', kind, names, capabilities, environment, integration, output },
    files: [capabilities],
    answer: async (snapshot) => (await import('./list.ts')).list(io, kind, names, flags, snapshot),
  });
  warnOfErrors(io, errors);
  await printListing(io, shownRows(rows), {
    format: output,
    paint: paintFor(io.stdout, io.env, flags.color),
    revision: revision.id,
  });
  return EXIT.ok;
}
