import type { PlanClock } from '../../../clients/ocm/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import type { Format } from '../../output/format.ts';
import { printListing } from '../../output/listing.ts';
import { openReadOnly, shownWhile } from './plan.ts';
import { reportObstacles } from './plan-output.ts';
import { type SourceFlags, timed } from './ports.ts';

export interface HistoryFlags extends SourceFlags {
  readonly output: Format;
  readonly color?: boolean;
}

/** Prints what the scheduler observed and scheduled. Writes nothing else. */
export async function history(given: Io, cluster: string | undefined, flags: HistoryFlags, clock?: PlanClock) {
  const io = timed(given, clock);
  const service = await openReadOnly(io, flags, clock);
  const { made, rows } = await shownWhile(io, (calls) => service.history(cluster, calls));
  await printListing(io, rows, { format: flags.output, paint: paintFor(io.stdout, io.env, flags.color) });
  return reportObstacles(io, made.plan, paintFor(io.stderr, io.env, flags.color)) ? EXIT.failed : EXIT.ok;
}
