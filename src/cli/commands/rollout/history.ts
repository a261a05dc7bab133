import { textBelow } from '../../../clients/files/index.ts';
import { instantOf } from '../../../gates/index.ts';
import { MANAGER_RESOURCE, managerFileOf } from '../../../instance/index.ts';
import { historyView } from '../../../rollouts/index.ts';
import { systemClock } from '../../../runtime/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { instanceFolder } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import type { Format } from '../../output/format.ts';
import { printListing } from '../../output/listing.ts';
import { type RolloutFlags, recordsOf } from '../manager/rollout-ports.ts';

export interface HistoryFlags extends Pick<RolloutFlags, 'rolloutRecord' | 'environmentName' | 'upstream'> {
  readonly since?: string;
  readonly output: Format;
  readonly color?: boolean;
}

/** Shows what happened, by the record alone: no cluster is read, and of an instance in a folder only which record is meant. */
export async function history(io: Io, of: string | undefined, flags: HistoryFlags): Promise<number> {
  const folder = instanceFolder(io, {});
  const text = folder === undefined ? undefined : textBelow(folder, `resources${MANAGER_RESOURCE}`);
  const file = text === undefined ? undefined : managerFileOf({ own: new Map([[MANAGER_RESOURCE, text]]) });
  const { record, version } = await recordsOf(io, flags, file).load();
  const now = instantOf(systemClock.now().getTime());
  const { rows } = historyView(record, { ...flags, ...(of === undefined ? {} : { of }), now });
  const paint = paintFor(io.stdout, io.env, flags.color);
  await printListing(io, rows, { format: flags.output, paint, revision: version });
  return EXIT.ok;
}
