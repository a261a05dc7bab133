import { setTimeout as sleepFor } from 'node:timers/promises';
import { EchelonError } from '../../../base/index.ts';
import type { RolloutPass } from '../../../manager/index.ts';
import { explainView, forecastView, type RolloutView, statusView, waitingText } from '../../../rollouts/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { isForTerminal } from '../../output/format.ts';
import { printListing } from '../../output/listing.ts';
import { line } from '../../output/terminal.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { withManager } from '../manager/open.ts';
import { reportFleet } from '../manager/plan.ts';

export interface StatusFlags extends FleetFlags {
  readonly watch?: boolean;
  /** Seconds. */
  readonly timeout: number;
}

const POLL_MS = 2_000;

/**
 * Shows tracks and waves; with `--watch` when no track goes on by itself any more. Writes nothing; exits 1 when a track is
 * halted or something else needs a human, or the time is over.
 */
export async function status(io: Io, flags: StatusFlags): Promise<number> {
  const until = performance.now() + flags.timeout * 1_000;
  let [last, isOver] = ['', false];
  const again = async ({ decision }: RolloutPass): Promise<boolean> => {
    const text = decision && waitingText(decision);
    isOver = text !== undefined && performance.now() + POLL_MS > until;
    if (text === undefined || isOver) return false;
    if (text !== last) io.stderr.write(line(text));
    last = text;
    await sleepFor(POLL_MS, undefined, { signal: io.signal });
    return true;
  };
  const options = flags.watch === true ? { again } : {};
  const code = await show(io, flags, ({ decision }) => decision && statusView(decision), options);
  return isOver ? EXIT.failed : code;
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
  flags: FleetFlags,
  viewOf: (pass: RolloutPass) => RolloutView | undefined,
  { again = async () => false }: { readonly again?: (pass: RolloutPass) => Promise<boolean> } = {},
): Promise<number> {
  const fleet = await withManager(io, flags, { readOnly: true }, ({ during }) =>
    during(async (manager) => {
      for (;;) {
        const planned = await manager.plan();
        if (planned.rollout === undefined || !(await again(planned.rollout))) return planned;
      }
    }),
  );
  const view = fleet.rollout && viewOf(fleet.rollout);
  if (view === undefined) throw fleet.rollout?.fault ?? noRollouts();
  const paint = paintFor(io.stdout, io.env, flags.color);
  const revision = fleet.instance.snapshot.revision.id;
  await printListing(io, view.rows, { format: flags.output, paint, revision });
  if (isForTerminal(flags.output)) io.stdout.write(view.notes.map(line).join(''));
  return reportFleet(io, flags, fleet) || view.isWrong ? EXIT.failed : EXIT.ok;
}

function noRollouts(): EchelonError {
  return new EchelonError({
    code: 'ROLLOUTS_MISSING',
    message: 'the instance has no tracks, so that new images reach all shards at once',
    hint: 'declare tracks in resources/echelon/rollouts.yml, or pass --rollouts FILE',
  });
}
