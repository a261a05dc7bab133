import type { Command } from 'commander';
import type { OverruleFlags } from '../commands/rollout/overrule.ts';
import type { Io } from '../io.ts';
import { type Finish, withCommon, withInstance } from './options.ts';

const OVERRULES = [
  { action: 'pause', ends: true, summary: 'move no further shard of a track for a while' },
  { action: 'resume', ends: false, summary: 'lift failures and rejections of an image that came before' },
  { action: 'expedite', ends: true, summary: 'open wave, window and freeze to an image for a while' },
  { action: 'reject', ends: false, summary: 'keep an image from all further shards of a track' },
] as const;

/** Commands about images that reach shards in waves. */
export function addRollout(rollout: Command, io: Io, finish: Finish): void {
  rollout.description('Decide how new images reach shards in waves.');
  for (const { action, ends, summary } of OVERRULES) {
    const command = withCommon(withInstance(rollout.command(`${action} <track>`)))
      .summary(summary)
      .description(
        `Add an overrule to resources/echelon/rollouts.yml: ${summary}. Comments, order and all other bytes are kept. ` +
          'It has effect once managers read the changed file.',
      )
      .requiredOption('--reason <text>', 'why')
      .option('--dry-run', 'show the diff without writing it');
    const image = 'the whole image, its tag, or its tag and digest';
    if (action === 'pause') command.option('--image <image>', `${image} (default: every image)`);
    else command.requiredOption('--image <image>', image);
    if (ends) command.option('--until <time>', 'its end, such as 2026-12-01T18:00:00Z');
    if (ends) command.option('--for <duration>', 'its end from now, such as 30m, 4h or 1d');
    command.action(async (track: string, flags: OverruleFlags) => {
      const { overrule } = await import('../commands/rollout/overrule.ts');
      finish(await overrule(io, { track, action }, flags));
    });
  }
}
