import { instantOf } from '../../../gates/index.ts';
import { historyView } from '../../../rollouts/index.ts';
import { systemClock } from '../../../runtime/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import type { Format } from '../../output/format.ts';
import { printListing } from '../../output/listing.ts';
import { type RolloutFlags, rolloutPorts } from '../manager/rollout-ports.ts';

export interface HistoryFlags extends Pick<RolloutFlags, 'rolloutRecord' | 'environmentName' | 'upstream'> {
  readonly since?: string;
  readonly output: Format;
  readonly color?: boolean;
}

/** Shows what happened, by the record alone: no cluster and no instance is read. */
export async function history(io: Io, of: string | undefined, flags: HistoryFlags): Promise<number> {
  const { records } = rolloutPorts(io, flags, { mayMove: () => false });
  const { record, version } = await records.load();
  const now = instantOf(systemClock.now().getTime());
  const { rows } = historyView(record, { ...flags, ...(of === undefined ? {} : { of }), now });
  const paint = paintFor(io.stdout, io.env, flags.color);
  await printListing(io, rows, { format: flags.output, paint, revision: version });
  return EXIT.ok;
}
