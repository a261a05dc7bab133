import {
  type FleetStatus,
  isSettled,
  placeFailureText,
  stateTotals,
  statusListing,
  watchedStatus,
} from '../../../manager/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { isForTerminal } from '../../output/format.ts';
import { printListing } from '../../output/listing.ts';
import { writeObstacle } from '../../output/obstacle.ts';
import { type WatchFlags, watching } from '../../watch.ts';
import type { FleetFlags } from './flags.ts';
import { withManager } from './open.ts';
import { reportProblems } from './report.ts';

export type StatusFlags = FleetFlags & WatchFlags;

/** Shows every shard's image and state; with `--watch` until all are settled. Exits 1 if some are not. */
export async function status(io: Io, flags: StatusFlags): Promise<number> {
  const watched = watching(io, flags);
  const which = flags.output === 'wide' ? 'wide' : 'usual';
  const { seen: fleet, finish } = await withManager(watched.io, flags, { readOnly: true }, ({ during }) =>
    watched.until({
      observe: () => during((manager) => manager.status()),
      viewOf: (seen: FleetStatus, now) => watchedStatus(seen, which, now),
    }),
  );
  await print(io, flags, fleet);
  const wrong = reportProblems(io, fleet, flags, fleet.rendered.failures);
  const failed = fleet.failures.length > 0 || fleet.rolloutFault !== undefined;
  return finish(wrong || failed || !fleet.shards.every(isSettled) ? EXIT.failed : EXIT.ok);
}

async function print(io: Io, flags: StatusFlags, fleet: FleetStatus): Promise<void> {
  const { instance, shards, failures, rolloutFault } = fleet;
  const paint = paintFor(io.stdout, io.env, flags.color);
  const options = { format: flags.output, paint, revision: instance.snapshot.revision.id };
  await printListing(io, statusListing(shards), options);
  const totals = stateTotals(shards);
  if (totals !== undefined && isForTerminal(flags.output)) io.stdout.write(`${paint('bold', totals)}\n`);
  const errors = paintFor(io.stderr, io.env, flags.color);
  for (const failure of failures) writeObstacle(io, failure.error, errors, placeFailureText(failure));
  if (rolloutFault !== undefined) writeObstacle(io, rolloutFault, errors);
}
