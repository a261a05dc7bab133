import { defined } from '../../base/index.ts';
import {
  errorsIn,
  type FleetStatus,
  placeFailureText,
  type ShardStatus,
  tagOf,
  targetOf,
} from '../../manager/index.ts';
import { rolloutBoard } from '../../rollouts/index.ts';
import { type Fault, faultOf } from '../../upgrades/index.ts';
import type { ConsolePin, ConsoleShard, ShardsData } from '../state.ts';

/** What the console shows of a fleet. */
export function shardsData(fleet: FleetStatus, pins: readonly ConsolePin[]): ShardsData {
  const environments = new Map(fleet.groups.map(({ namespace }) => [targetOf(namespace), namespace.environment.name]));
  const unusable = fleet.rolloutFault === undefined ? [] : [fleet.rolloutFault];
  const decision = fleet.rollout?.decision;
  return {
    revision: fleet.instance.snapshot.revision.id,
    shards: fleet.shards.map((shard) => consoleShard(shard, environments)),
    faults: [
      ...placeFaults(fleet),
      ...[...fleet.rendered.failures.map(({ error }) => error), ...unusable].map(faultOf),
    ],
    errors: errorsIn(fleet).length,
    pins: pins.filter(({ pin }) => environments.has(`${pin.cluster}/${pin.namespace}`)),
    ...defined({ rollouts: decision === undefined ? undefined : rolloutBoard(decision) }),
  };
}

function consoleShard(shard: ShardStatus, environments: ReadonlyMap<string, string>): ConsoleShard {
  const environment = environments.get(`${shard.cluster}/${shard.namespace}`);
  const expectedTag = tagOf(shard.expected);
  const liveTag = tagOf(shard.live);
  return {
    ...shard,
    ...defined({ environment }),
    ...(expectedTag === '' ? {} : { expectedTag }),
    ...(liveTag === '' ? {} : { liveTag }),
  };
}

/** An unreachable cluster is reported once, not per namespace. */
function placeFaults({ failures }: FleetStatus): Fault[] {
  const faults = failures.map((failure) => ({ ...faultOf(failure.error), message: placeFailureText(failure) }));
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
}
