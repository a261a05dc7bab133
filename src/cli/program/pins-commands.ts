import { type Command, InvalidArgumentError } from 'commander';
import type { PinFlags } from '../commands/pins/pin.ts';
import type { PinsFlags } from '../commands/pins/pins-flags.ts';
import type { UnpinFlags } from '../commands/pins/unpin.ts';
import type { Io } from '../io.ts';
import { collect, type Finish, withChart, withClusters, withCommon, withImages, withInstance } from './options.ts';

/** Shards that keep an image of their own while the others move on. */
export function addPins(program: Command, io: Io, finish: Finish): void {
  withChoice(withCommon(withInstance(program.command('pin'))))
    .argument('<integration>', 'its name')
    .summary('keep shards of an integration on an image')
    .description(
      'Writes shardSpecOverrides with imageRef into the file of an integration, for the shards named or for all but those. Comments, ' +
        'order and other overrides stay as they are. Without --image each shard stays on the image that it runs now by declaration.',
    )
    .option('--image <ref>', 'tag of the image; current: the one that the shard runs now by declaration (default)')
    .option('--reason <text>', 'why, written as a comment behind the image')
    .option('--until <date>', 'the last day that it is meant for, written there too, such as 2026-12-01')
    .action(async (integration: string, flags: PinFlags) => {
      const { pin } = await import('../commands/pins/pin.ts');
      finish(await pin(io, integration, flags));
    });
  withChoice(withCommon(withInstance(program.command('unpin'))))
    .argument('<integration>', 'its name')
    .summary('let shards of an integration move on')
    .description(
      'Takes imageRef out of the overrides of shards. An override that says nothing else goes, and the list with the last one; one ' +
        'with resources, disabled or subSharding stays.',
    )
    .option('--all', 'all shards that are pinned')
    .action(async (integration: string, flags: UnpinFlags) => {
      const { unpin } = await import('../commands/pins/unpin.ts');
      finish(await unpin(io, integration, flags));
    });
  addList(program, io, finish);
}

function withChoice(command: Command): Command {
  return command
    .option('--shard <shards...>', 'these shards, by name, key or path of their file (repeatable)')
    .option('--except <shards...>', 'all shards but these (repeatable)')
    .option('-e, --environment <name>', 'only where it runs in this environment (repeatable)', collect)
    .option('-n, --namespace <name>', 'only where it runs in this NAMESPACE or CLUSTER/NAMESPACE (repeatable)', collect)
    .option('--all-environments', 'everywhere, where it runs in several places')
    .option('--dry-run', 'show the difference and write nothing');
}

function addList(program: Command, io: Io, finish: Finish): void {
  withCommon(withClusters(withImages(withChart(withInstance(program.command('pins'))))))
    .summary('list shards that are kept on an image')
    .description(
      'Lists shards with an image of their own, how long they have had it (by git), why and until when. With --live it looks at the ' +
        'clusters too, as manager status does, and exits 1 when a shard does not run the image that it is pinned to.',
    )
    .option('-i, --integration <name>', 'only pins of this integration (repeatable)', collect)
    .option('-e, --environment <name>', 'only pins in this environment (repeatable)', collect)
    .option('--older-than <age>', 'only pins older than this, such as 12h, 30d or 8w', age)
    .option('--expired', 'only pins whose last day is over')
    .option('--live', 'ask the clusters whether shards obey')
    .option('--capabilities <file>', 'flags that integrations understand, as a YAML mapping')
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
