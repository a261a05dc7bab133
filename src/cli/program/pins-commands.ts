import { type Command, InvalidArgumentError } from 'commander';
import type { PinFlags, UnpinFlags } from '../commands/pins/change-pins.ts';
import type { PinsFlags } from '../commands/pins/pins-flags.ts';
import type { Io } from '../io.ts';
import {
  collect,
  type Finish,
  withChart,
  withClusters,
  withCommon,
  withImages,
  withInstance,
  withOtherName,
} from './options.ts';

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
      const { pin } = await import('../commands/pins/change-pins.ts');
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
      const { unpin } = await import('../commands/pins/change-pins.ts');
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
      const { pins } = await import('../commands/pins/pins.ts');
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
