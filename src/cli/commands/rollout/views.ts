import { EchelonError } from '../../../base/index.ts';
import { fleetObstacles, type RolloutPass } from '../../../manager/index.ts';
import { explainView, forecastView, type RolloutView, statusView, watchedRollouts } from '../../../rollouts/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { penFor } from '../../output/fitting.ts';
import { isForTerminal } from '../../output/format.ts';
import { printListing } from '../../output/listing.ts';
import { type WatchFlags, watching } from '../../watch.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { withManager } from '../manager/open.ts';
import { reportFleet } from '../manager/plan.ts';

export type StatusFlags = FleetFlags & WatchFlags;

/**
 * Shows tracks and waves; with `--watch` until no track goes on by itself any more. Writes nothing; exits 1 when a track is
 * halted or something else needs a human, or the time is over.
 */
export async function status(io: Io, flags: StatusFlags): Promise<number> {
  return show(io, flags, ({ decision }) => decision && statusView(decision));
}

/** Shows every gate of a shard. Writes nothing. */
export async function explain(io: Io, shard: string, flags: FleetFlags): Promise<number> {
  return show(io, flags, ({ decision }) => decision && explainView(decision, shard));
}

/** Shows when waves open at the earliest. Writes nothing. */
export async function forecast(io: Io, flags: FleetFlags): Promise<number> {
  return show(io, flags, (pass) => pass.forecast && forecastView(pass.forecast()));
}

async function show(
  io: Io,
  flags: StatusFlags,
  viewOf: (pass: RolloutPass) => RolloutView | undefined,
): Promise<number> {
  const watched = watching(io, flags);
  const which = flags.output === 'wide' ? 'wide' : 'usual';
  const { seen, finish } = await withManager(watched.io, flags, { readOnly: true }, ({ during }) =>
    watched.until({
      observe: async () => {
        const fleet = await during((manager) => manager.plan());
        const view = fleet.rollout && viewOf(fleet.rollout);
        if (view === undefined || fleet.rollout?.decision === undefined) throw fleet.rollout?.fault ?? noRollouts();
        return { fleet, view, decision: fleet.rollout.decision };
      },
      viewOf: ({ fleet, decision }, now) =>
        watchedRollouts(decision, { which, now, failures: fleetObstacles(fleet.plan).failures }),
    }),
  );
  const { fleet, view } = seen;
  const paint = paintFor(io.stdout, io.env, flags.color);
  const revision = fleet.instance.snapshot.revision.id;
  await printListing(io, view.rows, { format: flags.output, paint, revision });
  const pen = penFor(io, paint, flags.output === 'wide' ? 'wide' : 'table');
  if (isForTerminal(flags.output)) io.stdout.write(view.notes.map(pen.line).join(''));
  const wrong = reportFleet(io, flags, fleet) || view.isWrong;
  return finish(wrong ? EXIT.failed : EXIT.ok);
}

function noRollouts(): EchelonError {
  return new EchelonError({
    code: 'ROLLOUTS_MISSING',
    message: 'the instance has no tracks, so that new images reach all shards at once',
    hint: 'declare tracks in resources/echelon/rollouts.yml, or pass --rollouts FILE',
  });
}
