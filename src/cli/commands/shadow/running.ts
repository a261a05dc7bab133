import { EchelonError } from '../../../base/index.ts';
import type { Instance } from '../../../instance/index.ts';
import { type Manager, placeFailureText, runningImages } from '../../../manager/index.ts';
import type { ShadowPorts } from '../../../shadow/index.ts';
import type { Io } from '../../io.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { withManager } from '../manager/open.ts';

/** Finds the image that each shard runs in its cluster, or the declared one where the cluster cannot be read. */
export function runningPort(io: Io, flags: FleetFlags, instance: Instance): ShadowPorts['runningImages'] {
  return (integration) =>
    withManager(io, { ...flags, integration: [integration] }, { readOnly: true, instance }, ({ during }) =>
      during(imagesOf),
    );
}

async function imagesOf(manager: Manager) {
  try {
    const { shards, rendered, failures } = await manager.status();
    const why = failures.map(placeFailureText)[0] ?? 'the cluster has no such workload';
    return runningImages(shards, rendered.namespaces, why);
  } catch (thrown) {
    if (!(thrown instanceof EchelonError)) throw thrown;
    const { rendered } = await manager.desired();
    return runningImages([], rendered.namespaces, thrown.message);
  }
}
