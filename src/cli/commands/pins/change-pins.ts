import { defined } from '../../../base/index.ts';
import {
  type NamedShards,
  type Pins,
  type PlannedPins,
  pinChangeListing,
  pinChangeSummary,
} from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { InstanceFlags } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { type EditFlags, showEdits } from '../../output/edits.ts';
import { line } from '../../output/terminal.ts';
import { readFrom } from '../../read-instance.ts';
import { pinsOf } from './pin-ports.ts';

export interface ChangeFlags extends InstanceFlags, EditFlags, Pick<NamedShards, 'shard' | 'except'> {
  readonly environment?: readonly string[];
  readonly namespace?: readonly string[];
  readonly allEnvironments?: boolean;
}

export interface PinFlags extends ChangeFlags {
  readonly image?: string;
  readonly reason?: string;
  readonly until?: string;
}

export interface UnpinFlags extends ChangeFlags {
  readonly all?: boolean;
}

/** Pins shards of an integration to an image, in its file. */
export async function pin(io: Io, integration: string, flags: PinFlags): Promise<number> {
  const { image, reason, until } = flags;
  return change(io, flags, (pins) =>
    pins.pin({ ...named(integration, flags), note: { ...defined({ reason, until }) }, ...defined({ image }) }),
  );
}

/** Removes pins of an integration from its file. */
export async function unpin(io: Io, integration: string, flags: UnpinFlags): Promise<number> {
  return change(io, flags, (pins) => pins.unpin({ ...named(integration, flags), ...defined({ all: flags.all }) }));
}

function named(integration: string, flags: ChangeFlags): NamedShards {
  const { environment: environments, namespace: namespaces, allEnvironments, shard, except } = flags;
  const entries = { ...defined({ environments, namespaces, allEnvironments }) };
  return { integration, entries, ...defined({ shard, except }) };
}

/** Plans a pin change, writes it unless it is a dry run, and prints it. */
async function change(io: Io, flags: ChangeFlags, plan: (pins: Pins) => Promise<PlannedPins>): Promise<number> {
  const pins = pinsOf(() => readFrom(io, flags));
  const planned = await plan(pins);
  const paint = paintFor(io.stderr, io.env, flags.color);
  for (const warning of planned.plan.warnings) io.stderr.write(line(`${paint('yellow', 'warning:')} ${warning}`));
  if (flags.dryRun !== true) pins.apply(planned);
  await show(io, flags, planned);
  return EXIT.ok;
}

async function show(io: Io, flags: ChangeFlags, { instance, plan }: PlannedPins): Promise<void> {
  const changed = plan.before !== plan.after;
  const edits = changed ? [{ ...plan, file: `data${plan.file}` }] : [];
  await showEdits(io, flags, { edits, rows: pinChangeListing(plan), revision: instance.snapshot.revision.id });
  io.stderr.write(`${pinChangeSummary(plan, flags.dryRun !== true)}\n`);
}
