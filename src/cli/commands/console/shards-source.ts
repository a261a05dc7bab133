import { defined, EchelonError } from '../../../base/index.ts';
import type { ConsoleShard, Observe, ShardsData } from '../../../console/index.ts';
import { errorsIn, type FleetStatus, type ShardStatus, tagOf, targetOf } from '../../../manager/index.ts';
import { type Fault, faultOf } from '../../../upgrades/index.ts';
import type { Io, Output } from '../../io.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { withManager } from '../manager/open.ts';

/** No progress output: no user waits for an observation. */
const SILENT: Output = { isTTY: false, write: () => undefined };

const CONFIGURE = 'pass a data repository, a bundle or a qontract-server with --data; see docs/guide/operating.md';

/** Observes the instance and the clusters that its integrations run on. The transport refuses every write. */
export function shardsSource(io: Io, flags: FleetFlags): Observe<ShardsData> {
  return async (signal) => {
    const quiet: Io = { ...io, signal, stdout: SILENT, stderr: SILENT };
    try {
      const fleet = await withManager(quiet, flags, { readOnly: true }, ({ during }) =>
        during((manager) => manager.status()),
      );
      if (fleet.groups.length === 0)
        return { kind: 'absent', message: 'The instance has no integration to operate.', hint: CONFIGURE };
      return { kind: 'seen', data: shardsData(fleet) };
    } catch (thrown) {
      const nothingNamed = flags.data === undefined && !io.env['ECHELON_DATA'];
      if (!(thrown instanceof EchelonError) || thrown.code !== 'INSTANCE_NOT_FOUND' || !nothingNamed) throw thrown;
      return { kind: 'absent', message: 'No instance is configured.', hint: CONFIGURE };
    }
  };
}

function shardsData(fleet: FleetStatus): ShardsData {
  const environments = new Map(fleet.groups.map(({ namespace }) => [targetOf(namespace), namespace.environment.name]));
  const rollouts = fleet.rolloutFault === undefined ? [] : [fleet.rolloutFault];
  return {
    revision: fleet.instance.snapshot.revision.id,
    shards: fleet.shards.map((shard) => consoleShard(shard, environments)),
    faults: [
      ...placeFaults(fleet),
      ...[...fleet.rendered.failures.map(({ error }) => error), ...rollouts].map(faultOf),
    ],
    errors: errorsIn(fleet).length,
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
  const faults = failures.map(({ cluster, namespace, error }) => {
    const fault = faultOf(error);
    const message = fault.message.startsWith(cluster) ? fault.message : `${cluster}/${namespace}: ${fault.message}`;
    return { ...fault, message };
  });
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
}
