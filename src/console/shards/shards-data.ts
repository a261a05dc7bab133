import { defined } from '../../base/index.ts';
import { managerFileOf, upstreamOf } from '../../instance/index.ts';
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
import type { ConsoleShard, ShardsData, SourceLinks } from '../state.ts';

/** What the console shows of a fleet. */
export function shardsData(fleet: FleetStatus, { pins, versions }: Pick<ShardsData, 'pins' | 'versions'>): ShardsData {
  const environments = new Map(fleet.groups.map(({ namespace }) => [targetOf(namespace), namespace.environment.name]));
  const unusable = fleet.rolloutFault === undefined ? [] : [fleet.rolloutFault];
  const { decision, rules } = fleet.rollout ?? {};
  const declared = managerFileOf(fleet.instance.snapshot);
  const upstreams = new Map(fleet.instance.integrations.map((one) => [one.name, upstreamOf(declared, one)]));
  const withUpstream = ({ integration = '' }: ShardStatus) => defined({ upstream: upstreams.get(integration) });
  return {
    revision: fleet.instance.snapshot.revision.id,
    shards: fleet.shards.map((shard) => ({ ...consoleShard(shard, environments), ...withUpstream(shard) })),
    faults: [
      ...placeFaults(fleet),
      ...[...fleet.rendered.failures.map(({ error }) => error), ...unusable].map(faultOf),
    ],
    errors: errorsIn(fleet).length,
    versions,
    pins: pins.filter(({ pin }) => environments.has(`${pin.cluster}/${pin.namespace}`)),
    ...defined({
      sources: sourcesOf(fleet),
      rollouts: decision === undefined || rules === undefined ? undefined : rolloutBoard(decision, rules),
    }),
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

/** A work tree with changes has lines that no commit has. */
function sourcesOf({ instance: { settings, snapshot } }: FleetStatus): SourceLinks | undefined {
  const { commit, dirty } = snapshot.revision;
  const repository = settings?.repoUrl;
  return repository === undefined || commit === undefined || dirty === true ? undefined : { repository, commit };
}

/** An unreachable cluster is reported once, not per namespace. */
function placeFaults({ failures }: FleetStatus): Fault[] {
  const faults = failures.map((failure) => ({ ...faultOf(failure.error), message: placeFailureText(failure) }));
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
}
