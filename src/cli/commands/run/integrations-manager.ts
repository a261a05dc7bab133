import { defined } from '../../../base/index.ts';
import { type InstanceSource, readInstance } from '../../../instance/index.ts';
import { instanceSource } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { type Clusters, openClusters } from '../manager/clusters.ts';
import type { FleetFlags } from '../manager/fleet.ts';
import { kubeLease, type LeasePlace, leasePlace } from './lease.ts';
import { type ManagerMetrics, managerMetrics } from './manager-metrics.ts';
import { managerPass } from './manager-pass.ts';
import { type Integration, type RunFlags, type Runner, runIntegration } from './run-integration.ts';

export interface RunManagerFlags extends FleetFlags, RunFlags {}

const NAME = 'integrations-manager';

/** Keeps the fleet converged until it is told to end. */
export function runManager(io: Io, flags: RunManagerFlags): Promise<number> {
  return runIntegration(io, NAME, flags, (runner) => openManagerLoop(runner, flags));
}

async function openManagerLoop(runner: Runner, given: RunManagerFlags): Promise<Integration> {
  const { io, contract, dryRun, logger, metrics } = runner;
  const config = given.config ?? contract.config;
  const flags = config === undefined ? given : { ...given, config };
  const source = await instanceSource(io, flags);
  const own = managerMetrics(metrics);
  const clusters = keptClusters(io, flags, dryRun, own);
  const pass = managerPass({ io, flags, source, clusters: clusters.open, dryRun, logger, metrics: own });
  return {
    pass,
    unchanged: () => source.glimpse(),
    lease: async () => {
      const name = [NAME, contract.environment].filter(Boolean).join('-');
      const place = await leasePlace(io, flags.lease, name);
      return place === undefined ? undefined : kubeLease(io, place, await leaseClusters(io, flags, source, place));
    },
    close: clusters.close,
  };
}

type Access = Parameters<typeof openClusters>[2];

/** A cluster of the instance is reached for its lease as it is for a pass. */
async function leaseClusters(
  io: Io,
  flags: FleetFlags,
  source: InstanceSource,
  { cluster }: LeasePlace,
): Promise<Clusters> {
  if (cluster === undefined) return openClusters(io, flags, [], { readOnly: false });
  const { clusters, namespaces, settings } = readInstance(await source.load({ signal: io.signal }));
  const known = [...clusters, ...namespaces.map(({ cluster: of }) => of)].find(({ name }) => name === cluster);
  const vault = settings?.vault === undefined ? {} : { vault: settings.vault };
  return openClusters(io, flags, known === undefined ? [] : [known], { readOnly: false, ...vault });
}

interface KeptClusters {
  open(access: Access, vault: boolean | undefined): Promise<Clusters>;
  close(): void;
}

/** Connections last from pass to pass; when the clusters of the instance change they are made anew. */
function keptClusters(io: Io, flags: FleetFlags, readOnly: boolean, metrics: ManagerMetrics): KeptClusters {
  let kept: { readonly key: string; readonly clusters: Promise<Clusters> } | undefined;
  const close = (): void => {
    kept?.clusters.then((clusters) => clusters.close()).catch(() => undefined);
    kept = undefined;
  };
  return {
    close,
    open: (access, vault) => {
      const key = JSON.stringify([access, vault]);
      if (kept?.key === key) return kept.clusters;
      close();
      const options = { readOnly, onCall: metrics.called, ...defined({ vault }) };
      const clusters = openClusters(io, flags, access, options);
      kept = { key, clusters };
      clusters.catch(() => {
        if (kept?.clusters === clusters) kept = undefined;
      });
      return clusters;
    },
  };
}
