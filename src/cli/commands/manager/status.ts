import { setTimeout as sleepFor } from 'node:timers/promises';
import { count, defined } from '../../../base/index.ts';
import {
  type FleetStatus,
  isSettled,
  type ObservedShards,
  placeFailureText,
  stateTotals,
  statusListing,
} from '../../../manager/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { isForTerminal } from '../../output/format.ts';
import { printListing } from '../../output/listing.ts';
import { line } from '../../output/terminal.ts';
import type { FleetFlags } from './flags.ts';
import { withManager } from './open.ts';
import { obstacleText } from './plan-output.ts';
import { reportProblems } from './report.ts';

export interface StatusFlags extends FleetFlags {
  readonly watch?: boolean;
  /** Seconds. */
  readonly timeout: number;
}

const POLL_MS = 2_000;

/** Shows every shard's image and state; with `--watch` until all are settled. Exits 1 if some are not. */
export async function status(io: Io, flags: StatusFlags): Promise<number> {
  const again = flags.watch === true ? waiting(io, flags) : undefined;
  const fleet = await withManager(io, flags, { readOnly: true }, ({ during }) =>
    during((manager) => manager.status(defined({ again }))),
  );
  await print(io, flags, fleet);
  const wrong = reportProblems(io, fleet, flags, fleet.rendered.failures);
  const failed = fleet.failures.length > 0 || fleet.rolloutFault !== undefined;
  if (io.signal.aborted) return EXIT.interrupted;
  return wrong || failed || !fleet.shards.every(isSettled) ? EXIT.failed : EXIT.ok;
}

/** Waits until every shard is settled, the timeout is over or the user interrupts, reporting how many are left. */
function waiting(io: Io, { timeout }: StatusFlags): (observed: ObservedShards) => Promise<boolean> {
  const until = performance.now() + timeout * 1_000;
  let last = '';
  return async ({ shards, failures }) => {
    const unsettled = shards.filter((shard) => !isSettled(shard)).length;
    const over = performance.now() + POLL_MS > until;
    if (over || (unsettled === 0 && failures.length === 0)) return false;
    const text = `waiting for ${count(unsettled, 'shard')} of ${shards.length}`;
    if (text !== last) io.stderr.write(line(text));
    last = text;
    await sleepFor(POLL_MS, undefined, { signal: io.signal }).catch(() => undefined);
    return !io.signal.aborted;
  };
}

async function print(io: Io, flags: StatusFlags, fleet: FleetStatus): Promise<void> {
  const { instance, shards, failures, rolloutFault } = fleet;
  const paint = paintFor(io.stdout, io.env, flags.color);
  const options = { format: flags.output, paint, revision: instance.snapshot.revision.id };
  await printListing(io, statusListing(shards), options);
  const totals = stateTotals(shards);
  if (totals !== undefined && isForTerminal(flags.output)) io.stdout.write(`${paint('bold', totals)}\n`);
  const errors = paintFor(io.stderr, io.env, flags.color);
  for (const failure of failures) io.stderr.write(obstacleText(placeFailureText(failure), failure.error, errors));
  if (rolloutFault !== undefined) io.stderr.write(obstacleText(rolloutFault.message, rolloutFault, errors));
}
