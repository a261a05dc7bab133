import type { Command } from 'commander';
import type { FleetFlags } from '../commands/manager/flags.ts';
import type { HistoryFlags } from '../commands/rollout/history.ts';
import type { OverruleFlags } from '../commands/rollout/overrule.ts';
import type { StatusFlags } from '../commands/rollout/views.ts';
import type { Io } from '../io.ts';
import {
  type Finish,
  seconds,
  withCommon,
  withFleet,
  withInstance,
  withRecord,
  withRollouts,
  withRolloutsFile,
  withScope,
  withWatch,
} from './options.ts';

const OVERRULES = [
  { action: 'pause', ends: true, summary: 'move no further shard of a track for a while' },
  { action: 'resume', ends: false, summary: 'lift failures and rejections of an image that came before' },
  { action: 'expedite', ends: true, summary: 'open wave, window and freeze to an image for a while' },
  { action: 'reject', ends: false, summary: 'keep an image from all further shards of a track' },
  { action: 'accept-shadow', ends: false, summary: 'let the difference through that a shadow found' },
] as const;

/** Commands about images that reach shards in waves. */
export function addRollout(rollout: Command, io: Io, finish: Finish): void {
  rollout.description('Show and decide how new images reach shards in waves.');
  addViews(rollout, io, finish);
  for (const { action, ends, summary } of OVERRULES) {
    const command = withCommon(withRolloutsFile(withInstance(rollout.command(`${action} <track>`))))
      .summary(summary)
      .description(
        `Add an overrule to resources/echelon/rollouts.yml or the file of --rollouts: ${summary}. Comments, order and all other bytes are kept. ` +
          'It has effect once managers read the changed file.',
      )
      .requiredOption('--reason <text>', 'why')
      .option('--dry-run', 'show the diff without writing it');
    const image = 'the whole image, its tag, or its tag and digest';
    if (action === 'accept-shadow')
      command.requiredOption('--digest <digest>', 'of the difference, as explain shows it');
    if (action === 'pause' || action === 'accept-shadow')
      command.option('--image <image>', `${image} (default: every image)`);
    else command.requiredOption('--image <image>', image);
    if (ends) command.option('--until <time>', 'its end, such as 2026-12-01T18:00:00Z');
    if (ends) command.option('--for <duration>', 'its end from now, such as 30m, 4h or 1d');
    command.action(async (track: string, flags: OverruleFlags) => {
      const { overrule } = await import('../commands/rollout/overrule.ts');
      finish(await overrule(io, { track, action }, flags));
    });
  }
}

function addViews(rollout: Command, io: Io, finish: Finish): void {
  const views = () => import('../commands/rollout/views.ts');
  withWatch(
    withRollouts(withFleet(rollout.command('status'))),
    'no track moves on by itself: completed, halted and taken back, paused or rejected',
  )
    .summary('show tracks and waves: shards on the target, soak and state')
    .description(
      'Show every wave of every track: how many shards run the target and have soaked it, and why it has not passed. ' +
        'Exits 1 when a track is halted or something else needs a human.',
    )
    .action(async (flags: StatusFlags) => finish(await (await views()).status(io, flags)));
  withRollouts(withFleet(rollout.command('explain <shard>')))
    .summary('show every gate of a shard, and when it can open')
    .description('Show every gate between a shard, given by id or name, and its target, and when each can open.')
    .action(async (shard: string, flags: FleetFlags) => finish(await (await views()).explain(io, shard, flags)));
  withRollouts(withFleet(rollout.command('forecast')))
    .summary('show when each wave opens at the earliest')
    .description('Show when each wave begins and has passed at the earliest, if everything stays healthy.')
    .option('--poll <duration>', 'what the manager gets as --poll (default: 60s)', seconds)
    .action(async (flags: FleetFlags) => finish(await (await views()).forecast(io, flags)));
  withCommon(withRecord(withScope(rollout.command('history [track-or-shard]'))))
    .summary('show what happened, newest first')
    .description(
      'Show what happened in all tracks, in one, or to a shard given by id or name, newest first: targets, moves, soak, waves, ' +
        'failures, returns and overrules that took effect. Only the record is read, and which one from manager.yml.',
    )
    .option('--since <time>', 'only from then on: a duration before now, such as 7d, or a time')
    .action(async (of: string | undefined, flags: HistoryFlags) => {
      const { history } = await import('../commands/rollout/history.ts');
      finish(await history(io, of, flags));
    });
}
