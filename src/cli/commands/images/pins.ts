import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../../base/index.ts';
import { replaceFiles } from '../../../clients/files/index.ts';
import { lineDates } from '../../../clients/git/index.ts';
import type { Instance } from '../../../instance/index.ts';
import { type FleetStatus, type ShardStatus, targetOf } from '../../../manager/index.ts';
import {
  type LivePin,
  type LivePins,
  type NamedShards,
  openPins,
  type Pin,
  type PinPorts,
  type Pins,
  type PlannedPins,
  pinChangeListing,
  pinChangeSummary,
  pinListing,
} from '../../../promotion/index.ts';
import { type InstanceFlags, loadInstance, readFrom } from '../../instance.ts';
import { EXIT, type Io } from '../../io.ts';
import { type EditFlags, printListing, showEdits, writeObstacle } from '../../output/formats.ts';
import { line, paintFor } from '../../output/terminal.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { withManager } from '../manager/open.ts';

/** Lists pins with their age and reason; with `--live` also their live state, and exits 1 if a shard does not run its pin. */
export async function pins(io: Io, flags: PinsFlags, at?: Date): Promise<number> {
  const { list } = pinsOf(() => loadInstance(io, flags), {
    now: () => at ?? new Date(),
    observe: (instance, pinned) => livePins(io, flags, instance, pinned),
  });
  const found = await list(flags);
  await printListing(io, pinListing(found, flags.live === true), {
    format: flags.output,
    paint: paintFor(io.stdout, io.env, flags.color),
    revision: found.instance.snapshot.revision.id,
  });
  return found.wrong ? EXIT.failed : EXIT.ok;
}

interface ChangeFlags extends InstanceFlags, EditFlags, Pick<NamedShards, 'shard' | 'except'> {
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

/** Observes the namespaces with pins, as `manager status` does. Writes nothing. */
async function livePins(io: Io, flags: PinsFlags, instance: Instance, pins: readonly Pin[]): Promise<LivePins> {
  const places = new Set(pins.map(placeOf));
  const fleet = await withManager(io, flags, { readOnly: true, instance }, ({ during }) =>
    during((manager) => manager.status({ places })),
  );
  const paint = paintFor(io.stderr, io.env, flags.color);
  for (const { error } of fleet.failures) writeObstacle(io, error, paint);
  return {
    of: (pin) => stateOf(fleet.shards.filter((status) => isOf(fleet, pin, status))),
    failed: fleet.failures.length > 0 || fleet.rendered.failures.length > 0,
  };
}

function placeOf({ cluster, namespace }: Pick<Pin, 'cluster' | 'namespace'>): string {
  return `${cluster}/${namespace}`;
}

/** A pin applies to every part of a divided shard. */
function isOf({ groups }: FleetStatus, pin: Pin, status: ShardStatus): boolean {
  if (status.integration !== pin.integration || placeOf(status) !== placeOf(pin)) return false;
  const group = groups.find(({ namespace }) => targetOf(namespace) === placeOf(pin));
  const managed = group?.entries.find(({ integration }) => integration.name === pin.integration);
  return managed?.shards.some(({ key, name }) => key === pin.key && name === status.shard) ?? false;
}

function stateOf(statuses: readonly ShardStatus[]): LivePin {
  const odd = statuses.find(({ state }) => state !== 'pinned' && state !== 'disabled' && state !== 'unknown');
  if (odd === undefined && (statuses.length === 0 || statuses.some(({ state }) => state === 'unknown')))
    return { text: 'unknown' };
  if (odd !== undefined)
    return { obeys: false, text: odd.reason === undefined ? odd.state : `${odd.state}: ${odd.reason}` };
  return { obeys: true, text: statuses.every(({ state }) => state === 'disabled') ? 'disabled' : 'pinned' };
}

/** Files of folders on this machine. */
export const LOCAL_FILES: PinPorts['files'] = {
  read: (folder, file) => readFileSync(join(folder, file)),
  replace: replaceFiles,
};

/** The pins of an instance in a local folder; `observe` is only needed for live state. */
export function pinsOf(
  loadInstance: () => Promise<Instance>,
  { observe = unobserved, now = () => new Date() }: Partial<Pick<PinPorts, 'observe' | 'now'>> = {},
): Pins {
  return openPins({
    loadInstance,
    files: LOCAL_FILES,
    lineDates,
    observe,
    now,
  });
}

async function unobserved(): Promise<never> {
  throw new Error('no cluster is observed for this');
}

export interface PinsFlags extends FleetFlags {
  readonly integration?: readonly string[];
  readonly environment?: readonly string[];
  /** Milliseconds. */
  readonly olderThan?: number;
  readonly expired?: boolean;
  readonly live?: boolean;
}
