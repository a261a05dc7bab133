import { defined } from '../../../base/index.ts';
import type { Instance } from '../../../instance/index.ts';
import { type ShardStatus, targetOf } from '../../../manager/index.ts';
import type { Pin } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { openClusters } from '../manager/clusters.ts';
import { type ManagerContext, readCapabilities, selectFrom } from '../manager/context.ts';
import { accessOf } from '../manager/fleet.ts';
import { obstacleText } from '../manager/plan-output.ts';
import { renderAll } from '../manager/render-all.ts';
import { lookAtShards } from '../manager/shard-look.ts';
import type { PinsFlags } from './pins-flags.ts';

/** How a pinned shard does on its cluster. */
export interface LivePin {
  /** Absent where that could not be found out. */
  readonly obeys?: boolean;
  readonly text: string;
}

export interface LivePins {
  of(pin: Pin): LivePin;
  /** Some place could not be looked at. */
  readonly failed: boolean;
}

/** Looks at the namespaces that have pins, as `manager status` does; nothing is written anywhere. */
export async function livePins(io: Io, flags: PinsFlags, instance: Instance, pins: readonly Pin[]): Promise<LivePins> {
  const capabilities = flags.capabilities === undefined ? undefined : readCapabilities(io, flags.capabilities);
  const places = new Set(pins.map(placeOf));
  const all = selectFrom(io, flags, instance, capabilities);
  const context = { ...all, groups: all.groups.filter(({ namespace }) => places.has(targetOf(namespace))) };
  const rendered = await renderAll(io, flags, context);
  const vault = instance.settings?.vault;
  const options = { readOnly: true, ...defined({ vault }) };
  const clusters = await openClusters(io, flags, accessOf(context, flags), options);
  try {
    const look = await lookAtShards(io, flags, { context, rendered, clusters });
    const paint = paintFor(io.stderr, io.env, flags.color);
    for (const { error } of look.failures) io.stderr.write(obstacleText(error.message, error, paint));
    return {
      of: (pin) => stateOf(look.shards.filter((status) => isOf(context, pin, status))),
      failed: look.failures.length > 0 || rendered.failures.length > 0,
    };
  } finally {
    clusters.close();
  }
}

function placeOf({ cluster, namespace }: Pick<Pin, 'cluster' | 'namespace'>): string {
  return `${cluster}/${namespace}`;
}

/** The parts of a divided shard are all of the pin. */
function isOf({ groups }: ManagerContext, pin: Pin, status: ShardStatus): boolean {
  if (status.integration !== pin.integration || placeOf(status) !== placeOf(pin)) return false;
  const group = groups.find(({ namespace }) => targetOf(namespace) === placeOf(pin));
  const managed = group?.entries.find(({ integration }) => integration.name === pin.integration);
  return managed?.shards.some(({ key, name }) => key === pin.key && name === status.shard) ?? false;
}

function stateOf(statuses: readonly ShardStatus[]): LivePin {
  if (statuses.length === 0) return { text: 'unknown' };
  const odd = statuses.find(({ state }) => state !== 'pinned' && state !== 'disabled');
  if (odd !== undefined)
    return { obeys: false, text: odd.reason === undefined ? odd.state : `${odd.state}: ${odd.reason}` };
  return { obeys: true, text: statuses.every(({ state }) => state === 'disabled') ? 'disabled' : 'pinned' };
}
