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
import type { Context } from '../../context.ts';
import { loadInstance, readFrom } from '../../instance.ts';
import { EXIT } from '../../io.ts';
import { printListing, showEdits, writeObstacle } from '../../output/formats.ts';
import { withManager } from '../manager/open.ts';
import type { PinFlags, PinsFlags, UnpinFlags } from './commands.ts';

/** Lists pins with their age and reason; with `--live` also their live state, and exits 1 if a shard does not run its pin. */
export async function pins(ctx: Context, flags: PinsFlags): Promise<number> {
  const { list } = pinsOf(ctx, () => loadInstance(ctx, flags), {
    observe: (instance, pinned) => livePins(ctx, flags, instance, pinned),
  });
  const found = await list(flags);
  await printListing(ctx, flags.output, pinListing(found, flags.live === true), found.instance.snapshot.revision.id);
  return found.wrong ? EXIT.failed : EXIT.ok;
}

type ChangeFlags = PinFlags | UnpinFlags;

/** Pins shards of an integration to an image, in its file. */
export async function pin(ctx: Context, integration: string, flags: PinFlags): Promise<number> {
  const { image, reason, until } = flags;
  return change(ctx, flags, (pins) =>
    pins.pin({ ...named(integration, flags), note: { ...defined({ reason, until }) }, ...defined({ image }) }),
  );
}

/** Removes pins of an integration from its file. */
export async function unpin(ctx: Context, integration: string, flags: UnpinFlags): Promise<number> {
  return change(ctx, flags, (pins) => pins.unpin({ ...named(integration, flags), ...defined({ all: flags.all }) }));
}

function named(integration: string, flags: ChangeFlags): NamedShards {
  const { environment: environments, namespace: namespaces, allEnvironments, shard, except } = flags;
  const entries = { ...defined({ environments, namespaces, allEnvironments }) };
  return { integration, entries, ...defined({ shard, except }) };
}

/** Plans a pin change, writes it unless it is a dry run, and prints it. */
async function change(ctx: Context, flags: ChangeFlags, plan: (pins: Pins) => Promise<PlannedPins>): Promise<number> {
  const pins = pinsOf(ctx, () => readFrom(ctx, flags));
  const planned = await plan(pins);
  for (const warning of planned.plan.warnings) ctx.err.line(`${ctx.err.paint('yellow', 'warning:')} ${warning}`);
  if (flags.dryRun !== true) pins.apply(planned);
  await show(ctx, flags, planned);
  return EXIT.ok;
}

async function show(ctx: Context, flags: ChangeFlags, { instance, plan }: PlannedPins): Promise<void> {
  const changed = plan.before !== plan.after;
  const edits = changed ? [{ ...plan, file: `data${plan.file}` }] : [];
  await showEdits(ctx, flags, { edits, rows: pinChangeListing(plan), revision: instance.snapshot.revision.id });
  ctx.err.write(`${pinChangeSummary(plan, flags.dryRun !== true)}\n`);
}

/** Observes the namespaces with pins, as `manager status` does. Writes nothing. */
async function livePins(ctx: Context, flags: PinsFlags, instance: Instance, pins: readonly Pin[]): Promise<LivePins> {
  const places = new Set(pins.map(placeOf));
  const fleet = await withManager(ctx, flags, { readOnly: true, instance }, ({ during }) =>
    during((manager) => manager.status({ places })),
  );
  for (const { error } of fleet.failures) writeObstacle(ctx, error);
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
  { clock }: Context,
  loadInstance: () => Promise<Instance>,
  { observe = unobserved }: Partial<Pick<PinPorts, 'observe'>> = {},
): Pins {
  return openPins({ loadInstance, files: LOCAL_FILES, lineDates, observe, now: () => clock.now() });
}

async function unobserved(): Promise<never> {
  throw new Error('no cluster is observed for this');
}
