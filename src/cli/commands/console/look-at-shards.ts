import { defined, EchelonError } from '../../../base/index.ts';
import type { ConsoleShard, Observe, ShardsData } from '../../../console/index.ts';
import { type ShardStatus, targetOf } from '../../../manager/index.ts';
import { type Fault, faultOf } from '../../../upgrades/index.ts';
import type { Io, Output } from '../../io.ts';
import { openClusters } from '../manager/clusters.ts';
import { type ManagerContext, openManager } from '../manager/context.ts';
import { accessOf, type FleetFlags, narrowed } from '../manager/fleet.ts';
import { renderAll } from '../manager/render-all.ts';
import { type Look, lookAtShards as lookAtLive, tagOf } from '../manager/shard-look.ts';

/** Progress is for people who wait; nobody waits for a look. */
const SILENT: Output = { isTTY: false, write: () => undefined };

const CONFIGURE = 'name a data repository, a bundle or a qontract-server by --data; see docs/guide/operating.md';

/** Looks at the instance and at the clusters that its integrations run on. The transport refuses every write. */
export function lookAtShards(io: Io, flags: FleetFlags): Observe<ShardsData> {
  return async (signal) => {
    const quiet: Io = { ...io, signal, stdout: SILENT, stderr: SILENT };
    try {
      const context = narrowed(await openManager(quiet, flags), flags);
      if (context.groups.length === 0)
        return { kind: 'absent', message: 'The instance has no integration to operate.', hint: CONFIGURE };
      return { kind: 'seen', data: await seenIn(quiet, flags, context) };
    } catch (thrown) {
      const nothingNamed = flags.data === undefined && !io.env['ECHELON_DATA'];
      if (!(thrown instanceof EchelonError) || thrown.code !== 'INSTANCE_NOT_FOUND' || !nothingNamed) throw thrown;
      return { kind: 'absent', message: 'No instance is configured.', hint: CONFIGURE };
    }
  };
}

async function seenIn(io: Io, flags: FleetFlags, context: ManagerContext): Promise<ShardsData> {
  const { instance, problems } = context;
  const rendered = await renderAll(io, flags, context);
  const vault = instance.settings?.vault;
  const clusters = await openClusters(io, flags, accessOf(context, flags), {
    readOnly: true,
    ...defined({ vault }),
  });
  try {
    const look = await lookAtLive(io, flags, { context, rendered, clusters });
    const environments = new Map(
      context.groups.map(({ namespace }) => [targetOf(namespace), namespace.environment.name]),
    );
    return {
      revision: instance.snapshot.revision.id,
      shards: look.shards.map((shard) => consoleShard(shard, environments)),
      faults: [...placeFaults(look), ...rendered.failures.map(({ error }) => faultOf(error))],
      errors: problems.filter(({ severity }) => severity === 'error').length,
    };
  } finally {
    clusters.close();
  }
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

/** A cluster that cannot be reached is told once, not for each of its namespaces. */
function placeFaults({ failures }: Look): Fault[] {
  const told = failures.map(({ cluster, namespace, error }) => {
    const fault = faultOf(error);
    const message = fault.message.startsWith(cluster) ? fault.message : `${cluster}/${namespace}: ${fault.message}`;
    return { ...fault, message };
  });
  return [...new Map(told.map((fault) => [fault.message, fault])).values()];
}
