import type { ClusterAccess, Instance, LoadOptions } from '../../instance/index.ts';
import type { ResolveRef } from '../desired/image-parameters.ts';
import type { ChartRenderer, RenderCache } from '../desired/render.ts';
import type { Connect } from '../plan/cluster-api.ts';
import type { ShadowCluster } from '../shadow/shadow-cluster.ts';
import type { PlaceMemory } from './place-memory.ts';
import type { RemovalMemory } from './removal-memory.ts';
import type { RolloutPorts } from './rollout-ports.ts';

/** Connections to a manager's clusters; each is opened on first use. */
export interface ClusterConnections {
  readonly connect: Connect;
  /** Where shadows of rollouts may run as Jobs; without it a gate that asks for one reads only the record. */
  readonly shadows?: (cluster: string) => Promise<ShadowCluster>;
  close(): void;
}

/** What a manager needs from outside. */
export interface ManagerPorts {
  readonly instance: {
    read(options: LoadOptions): Promise<Instance>;
    /** The revision that a read would return, if known without reading. */
    currentRevision?(): Promise<string | undefined>;
  };
  /** The chart, or that of a folder in manager.yml, which a flag overrules; opened when something must be rendered. */
  readonly chart: (folder?: string) => Promise<ChartRenderer>;
  /** Cached render results; nothing is cached without it. */
  readonly cache?: RenderCache;
  readonly resolveRef: ResolveRef;
  /** `vault`: whether the instance settings keep secrets in Vault. */
  readonly clusters: (access: readonly ClusterAccess[], vault: boolean | undefined) => Promise<ClusterConnections>;
  /** Remembers deletions between passes; without it each pass is counted by itself. */
  readonly removals?: RemovalMemory;
  /** Remembers places between restarts; without it a cluster that nothing is declared in any more is not observed after one. */
  readonly places?: PlaceMemory;
  /** Moves new images in waves; without it every shard gets its declared image at once. */
  readonly rollouts?: RolloutPorts;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
}
