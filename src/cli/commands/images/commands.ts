import { type Command, InvalidArgumentError } from 'commander';
import type { Io } from '../../io.ts';
import {
  collect,
  type Finish,
  seconds,
  wholeNumber,
  withChart,
  withClusters,
  withCommon,
  withFleet,
  withImages,
  withInstance,
  withOtherName,
  withRecord,
  withRollouts,
  withRolloutsFile,
  withRunner,
  withScope,
  withSelection,
  withWatch,
} from '../../options.ts';
import type { FleetFlags } from '../manager/flags.ts';
import type { PinFlags, PinsFlags, UnpinFlags } from './pins.ts';
import type { HistoryFlags, OverruleFlags, StatusFlags } from './rollout.ts';
import type { ShadowFlags, ShadowFormat } from './shadow.ts';

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
      const { overrule } = await import('./rollout.ts');
      finish(await overrule(io, { track, action }, flags));
    });
  }
}

function addViews(rollout: Command, io: Io, finish: Finish): void {
  const views = () => import('./rollout.ts');
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
      const { history } = await import('./rollout.ts');
      finish(await history(io, of, flags));
    });
}

/** Commands for shards that stay on their own image while the others are promoted. */
export function addPin(command: Command, io: Io, finish: Finish): void {
  withChoice(withCommon(withInstance(command)))
    .argument('<integration>', 'integration name')
    .description(
      'Write shardSpecOverrides with imageRef to an integration file, for the given shards or for all except those. Comments, ' +
        'order and other overrides are kept. Without --image each shard is pinned to its current declared image.',
    )
    .option('--image <ref>', 'image tag; current: the current declared image of the shard (default)')
    .option('--reason <text>', 'why, added as a comment to the image')
    .option('--until <date>', 'last day of the pin, added to the comment, such as 2026-12-01')
    .action(async (integration: string, flags: PinFlags) => {
      const { pin } = await import('./pins.ts');
      finish(await pin(io, integration, flags));
    });
}

export function addUnpin(command: Command, io: Io, finish: Finish): void {
  withChoice(withCommon(withInstance(command)))
    .argument('<integration>', 'integration name')
    .description(
      'Remove imageRef from the overrides of shards. An override without other fields is removed, and an empty list too; one ' +
        'with resources, disabled or subSharding is kept.',
    )
    .option('--all', 'all pinned shards')
    .action(async (integration: string, flags: UnpinFlags) => {
      const { unpin } = await import('./pins.ts');
      finish(await unpin(io, integration, flags));
    });
}

function withChoice(command: Command): Command {
  return withOtherName(command, 'environment', 'environment-name')
    .option('--shard <shards...>', 'only these shards, by name, key or path of their file (repeatable)')
    .option('--except <shards...>', 'all shards except these (repeatable)')
    .option('-e, --environment <name>', 'only in this environment (repeatable)', collect)
    .option('-n, --namespace <name>', 'only in this NAMESPACE or CLUSTER/NAMESPACE (repeatable)', collect)
    .option('--all-environments', 'in all environments, when it runs in several')
    .option('--dry-run', 'show the diff without writing it');
}

export function addPins(command: Command, io: Io, finish: Finish): void {
  withOtherName(
    withCommon(withClusters(withImages(withChart(withInstance(command))))),
    'environment',
    'environment-name',
  )
    .description(
      'List pinned shards with the age of the pin (from git), its reason and its last day. With --live, also check the ' +
        'clusters, as manager status does, and exit 1 when a shard does not run its pinned image.',
    )
    .option('-i, --integration <name>', 'only pins of this integration (repeatable)', collect)
    .option('-e, --environment <name>', 'only pins in this environment (repeatable)', collect)
    .option('--older-than <age>', 'only pins older than this, such as 12h, 30d or 8w', age)
    .option('--expired', 'only pins whose last day has passed')
    .option('--live', 'check in the clusters that shards run their pinned image')
    .option('--capabilities <file>', 'what integrations support, as a YAML mapping')
    .action(async (flags: PinsFlags) => {
      const { pins } = await import('./pins.ts');
      finish(await pins(io, flags));
    });
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds. */
function age(text: string): number {
  const [, number, unit] = /^(\d{1,6})([hdw])$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('it must be an age such as 12h, 30d or 8w');
  return Number(number) * (UNITS[unit ?? 'd'] ?? 0);
}

const FORMATS: readonly ShadowFormat[] = ['table', 'wide', 'json', 'yaml', 'markdown', 'junit'];

export function addShadow(command: Command, io: Io, finish: Finish): void {
  const pair = withRecord(withImages(withChart(withSelection(withInstance(withPair(command))))));
  withCommon(withRunner(withClusters(pair), ['kubernetes']), FORMATS)
    .description(
      'Run two images of an integration in dry run, on the same shard, with the same data, at the same time, and compare the ' +
        'actions that each reports. Starts nothing but dry runs; integrations that write in dry run are refused. Exits 0 if ' +
        'the actions are the same, 1 if they differ, 2 if they could not be compared.',
    )
    .action(async (integration: string, flags: ShadowFlags) => {
      const { shadow } = await import('./shadow.ts');
      finish(await shadow(io, integration, flags));
    });
}

function withPair(command: Command): Command {
  return command
    .argument('<integration>')
    .requiredOption('--candidate <image>', 'the new image, or its tag')
    .option('--baseline <image>', 'the image to compare with, or its tag (default: the image that the shard runs)')
    .option('--shard <name>', 'only this shard (repeatable)', collect)
    .option(
      '--repeat <n>',
      'first run the baseline n times; what differs between its runs does not count',
      wholeNumber,
      0,
    )
    .option('--log-dir <dir>', 'folder for the logs of the runs', 'shadow-logs')
    .option('--record', 'store what was found in the record of rollouts, for tracks that require a shadow')
    .option('-j, --jobs <n>', 'number of shards at the same time, each with two runs', wholeNumber, 2);
}
