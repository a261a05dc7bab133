import { instanceSource } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { type Clusters, openClusters } from '../manager/clusters.ts';
import type { FleetFlags } from '../manager/fleet.ts';
import { kubeLease, leasePlace } from './lease.ts';
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
      return place === undefined
        ? undefined
        : kubeLease(io, place, await openClusters(io, flags, [], { readOnly: false }));
    },
    close: clusters.close,
  };
}

type Access = Parameters<typeof openClusters>[2];

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
      const options = { readOnly, onCall: metrics.called, ...(vault === undefined ? {} : { vault }) };
      kept = { key, clusters: openClusters(io, flags, access, options) };
      return kept.clusters;
    },
  };
}
