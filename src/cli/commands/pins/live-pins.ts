import type { Instance } from '../../../instance/index.ts';
import { type FleetStatus, type ShardStatus, targetOf } from '../../../manager/index.ts';
import type { LivePin, LivePins, Pin } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { writeObstacle } from '../../output/obstacle.ts';
import { withManager } from '../manager/open.ts';
import type { PinsFlags } from './pins-flags.ts';

/** Observes the namespaces with pins, as `manager status` does. Writes nothing. */
export async function livePins(io: Io, flags: PinsFlags, instance: Instance, pins: readonly Pin[]): Promise<LivePins> {
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
