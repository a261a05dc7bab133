import { basename, dirname, resolve } from 'node:path';
import { defined, EchelonError } from '../../../base/index.ts';
import { textBelow } from '../../../clients/files/index.ts';
import { instantOf } from '../../../gates/index.ts';
import { MANAGER_RESOURCE, managerFileOf } from '../../../instance/index.ts';
import { fleetObstacles, type RolloutPass } from '../../../manager/index.ts';
import {
  explainView,
  forecastView,
  historyView,
  type OverruleRequest,
  openOverrules,
  overruleListing,
  type RolloutView,
  statusView,
  watchedRollouts,
} from '../../../rollouts/index.ts';
import type { Context } from '../../context.ts';
import { instanceFolder, readFrom } from '../../instance.ts';
import { EXIT } from '../../io.ts';
import { isForTerminal } from '../../options.ts';
import { printListing, showEdits } from '../../output/formats.ts';
import { watching } from '../../watch.ts';
import { reportFleet } from '../manager/apply.ts';
import { withManager } from '../manager/open.ts';
import { recordsOf } from '../manager/rollout-record.ts';
import type { OverruleFlags, RolloutHistoryFlags, RolloutStatusFlags, RolloutViewFlags } from './commands.ts';
import { LOCAL_FILES } from './pins.ts';

/**
 * Shows tracks and waves; with `--watch` until no track goes on by itself any more. Writes nothing; exits 1 when a track is
 * halted or something else needs a human, or the time is over.
 */
export async function status(ctx: Context, flags: RolloutStatusFlags): Promise<number> {
  return show(ctx, flags, ({ decision }) => decision && statusView(decision));
}

/** Shows every gate of a shard. Writes nothing. */
export async function explain(ctx: Context, shard: string, flags: RolloutViewFlags): Promise<number> {
  return show(ctx, flags, ({ decision }) => decision && explainView(decision, shard));
}

/** Shows when waves open at the earliest. Writes nothing. */
export async function forecast(ctx: Context, flags: RolloutViewFlags): Promise<number> {
  return show(ctx, flags, (pass) => pass.forecast && forecastView(pass.forecast()));
}

async function show(
  ctx: Context,
  flags: RolloutViewFlags & Partial<RolloutStatusFlags>,
  viewOf: (pass: RolloutPass) => RolloutView | undefined,
): Promise<number> {
  const watched = watching(ctx, flags);
  const which = flags.output === 'wide' ? 'wide' : 'usual';
  const { seen, finish } = await withManager(watched.ctx, flags, { readOnly: true }, ({ during }) =>
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
  await printListing(ctx, flags.output, view.rows, fleet.instance.snapshot.revision.id);
  if (isForTerminal(flags.output)) ctx.out.write(view.notes.map(ctx.out.pen().line).join(''));
  const wrong = reportFleet(ctx, fleet) || view.isWrong;
  return finish(wrong ? EXIT.failed : EXIT.ok);
}

function noRollouts(): EchelonError {
  return new EchelonError({
    code: 'ROLLOUTS_MISSING',
    message: 'the instance has no tracks, so that new images reach all shards at once',
    hint: 'declare tracks in resources/echelon/rollouts.yml, or pass --rollouts FILE',
  });
}

/** Shows what happened, by the record alone: no cluster is read, and of an instance in a folder only which record is meant. */
export async function history(ctx: Context, of: string | undefined, flags: RolloutHistoryFlags): Promise<number> {
  const folder = instanceFolder(ctx, {});
  const text = folder === undefined ? undefined : textBelow(folder, `resources${MANAGER_RESOURCE}`);
  const file = text === undefined ? undefined : managerFileOf({ echelonFiles: new Map([[MANAGER_RESOURCE, text]]) });
  const { record, version } = await recordsOf(ctx, flags, file).load();
  const now = instantOf(ctx.clock.now().getTime());
  const { rows } = historyView(record, { ...flags, ...(of === undefined ? {} : { of }), now });
  await printListing(ctx, flags.output, rows, version);
  return EXIT.ok;
}

/** Adds a decision about a track to the file of rollouts. */
export async function overrule(
  ctx: Context,
  { track, action }: Pick<OverruleRequest, 'track' | 'action'>,
  flags: OverruleFlags,
): Promise<number> {
  const { image, digest, reason, until, for: length } = flags;
  const overrules = openOverrules({
    loadInstance: () => readFrom(ctx, flags),
    files: LOCAL_FILES,
    now: () => ctx.clock.now(),
    ...defined({ file: givenFile(ctx, flags.rollouts) }),
  });
  const planned = await overrules.plan({ track, action, reason, ...defined({ image, digest, until, for: length }) });
  if (flags.dryRun !== true) overrules.apply(planned);
  const { edit, revision } = planned;
  await showEdits(ctx, flags, { edits: [edit], rows: overruleListing([planned.overrule]), revision });
  const how = flags.dryRun === true ? 'would be added; nothing was written' : `added to ${flags.rollouts ?? edit.file}`;
  ctx.err.write(`${action} ${how}\n`);
  return EXIT.ok;
}

function givenFile({ cwd }: Context, shown: string | undefined) {
  if (shown === undefined) return undefined;
  const path = resolve(cwd, shown);
  return { folder: dirname(path), name: basename(path), shown };
}
