import { basename, dirname, resolve } from 'node:path';
import { defined, EchelonError } from '../../../base/index.ts';
import { textBelow } from '../../../clients/files/index.ts';
import { instantOf } from '../../../gates/index.ts';
import { MANAGER_RESOURCE, managerFileOf } from '../../../instance/index.ts';
import { fleetObstacles, type RolloutPass } from '../../../manager/index.ts';
import { type OverruleRequest, openOverrules, overruleListing } from '../../../promotion/index.ts';
import {
  explainView,
  forecastView,
  historyView,
  type RolloutView,
  statusView,
  watchedRollouts,
} from '../../../rollouts/index.ts';
import { systemClock } from '../../../runtime/index.ts';
import { type InstanceFlags, instanceFolder, readFrom } from '../../instance.ts';
import { EXIT, type Io } from '../../io.ts';
import { type EditFlags, type Format, isForTerminal, printListing, showEdits } from '../../output/formats.ts';
import { paintFor, penFor } from '../../output/terminal.ts';
import { type WatchFlags, watching } from '../../watch.ts';
import { reportFleet } from '../manager/apply.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { withManager } from '../manager/open.ts';
import { type RolloutFlags, recordsOf } from '../manager/rollout-record.ts';
import { LOCAL_FILES } from './pins.ts';

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

export interface HistoryFlags extends Pick<RolloutFlags, 'rolloutRecord' | 'environmentName' | 'upstream'> {
  readonly since?: string;
  readonly output: Format;
  readonly color?: boolean;
}

/** Shows what happened, by the record alone: no cluster is read, and of an instance in a folder only which record is meant. */
export async function history(io: Io, of: string | undefined, flags: HistoryFlags): Promise<number> {
  const folder = instanceFolder(io, {});
  const text = folder === undefined ? undefined : textBelow(folder, `resources${MANAGER_RESOURCE}`);
  const file = text === undefined ? undefined : managerFileOf({ echelonFiles: new Map([[MANAGER_RESOURCE, text]]) });
  const { record, version } = await recordsOf(io, flags, file).load();
  const now = instantOf(systemClock.now().getTime());
  const { rows } = historyView(record, { ...flags, ...(of === undefined ? {} : { of }), now });
  const paint = paintFor(io.stdout, io.env, flags.color);
  await printListing(io, rows, { format: flags.output, paint, revision: version });
  return EXIT.ok;
}

export type OverruleFlags = InstanceFlags &
  EditFlags &
  Omit<OverruleRequest, 'track' | 'action'> & { readonly rollouts?: string };

/** Adds a decision about a track to the file of rollouts. */
export async function overrule(
  io: Io,
  { track, action }: Pick<OverruleRequest, 'track' | 'action'>,
  flags: OverruleFlags,
): Promise<number> {
  const { image, digest, reason, until, for: length } = flags;
  const overrules = openOverrules({
    loadInstance: () => readFrom(io, flags),
    files: LOCAL_FILES,
    now: () => new Date(),
    ...defined({ file: givenFile(io, flags.rollouts) }),
  });
  const planned = await overrules.plan({ track, action, reason, ...defined({ image, digest, until, for: length }) });
  if (flags.dryRun !== true) overrules.apply(planned);
  const { edit, revision } = planned;
  await showEdits(io, flags, { edits: [edit], rows: overruleListing([planned.overrule]), revision });
  const how = flags.dryRun === true ? 'would be added; nothing was written' : `added to ${flags.rollouts ?? edit.file}`;
  io.stderr.write(`${action} ${how}\n`);
  return EXIT.ok;
}

function givenFile({ cwd }: Io, shown: string | undefined) {
  if (shown === undefined) return undefined;
  const path = resolve(cwd, shown);
  return { folder: dirname(path), name: basename(path), shown };
}
