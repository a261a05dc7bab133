import { defined } from '../../base/index.ts';
import { type Instance, type LoadOptions, revisionKey } from '../../instance/index.ts';
import type { OperatedFleet } from './operated-fleet.ts';
import type { ClusterConnections, ManagerPorts } from './ports.ts';
import type { ManagerSettings } from './settings.ts';

/** Caches the instance between calls; reads it again unless its revision is unchanged. */
export function keptInstance(port: ManagerPorts['instance']): (options: LoadOptions) => Promise<Instance> {
  let known: Instance | undefined;
  return async (options) => {
    if (known !== undefined) {
      const state = await port.currentRevision?.().catch(() => undefined);
      if (state !== undefined && state === revisionKey(known.snapshot.revision)) return known;
    }
    known = await port.read(options);
    return known;
  };
}

/** Keeps what was selected from an instance while both it and the settings are the same. */
export function keptFleet(
  select: (instance: Instance, settings: ManagerSettings) => Promise<OperatedFleet>,
): typeof select {
  let kept: { readonly instance: Instance; readonly given: ManagerSettings; readonly fleet: OperatedFleet } | undefined;
  return async (instance, given) => {
    if (kept?.instance !== instance || kept.given !== given)
      kept = { instance, given, fleet: await select(instance, given) };
    return kept.fleet;
  };
}

/** Opens each chart once, or again after it could not be opened. */
export function keptCharts(open: ManagerPorts['chart']): ManagerPorts['chart'] {
  const kept = new Map<string | undefined, ReturnType<ManagerPorts['chart']>>();
  return (folder) => {
    const known = kept.get(folder) ?? open(folder);
    kept.set(folder, known);
    known.catch(() => kept.delete(folder));
    return known;
  };
}

interface KeptConnections {
  readonly open: ManagerPorts['clusters'];
  close(): void;
}

/** Keeps connections between calls; reconnects when the instance's clusters change. */
export function keptConnections(connect: ManagerPorts['clusters']): KeptConnections {
  let kept: { readonly key: string; readonly connections: Promise<ClusterConnections> } | undefined;
  const close = (): void => {
    kept?.connections.then((connections) => connections.close()).catch(() => undefined);
    kept = undefined;
  };
  return {
    close,
    open: (access, vault) => {
      const key = JSON.stringify([access, defined({ vault })]);
      if (kept?.key === key) return kept.connections;
      close();
      const connections = connect(access, vault);
      kept = { key, connections };
      connections.catch(() => {
        if (kept?.connections === connections) kept = undefined;
      });
      return connections;
    },
  };
}
