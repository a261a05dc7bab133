import type { ClusterAccess, Instance, LoadOptions } from '../../instance/index.ts';
import type { ResolveRef } from '../desired/image-parameters.ts';
import type { ChartRenderer, RenderCache } from '../desired/render.ts';
import type { Connect } from '../plan/cluster-api.ts';

/** Connections to the clusters of a manager; each is made when it is asked for. */
export interface ClusterConnections {
  readonly connect: Connect;
  close(): void;
}

/** What a manager needs of the outside. */
export interface ManagerPorts {
  readonly instance: {
    read(options: LoadOptions): Promise<Instance>;
    /** Which state a read would see, where that can be told without reading. */
    glimpse?(): Promise<string | undefined>;
  };
  /** The chart; opened when something is to be rendered. */
  readonly chart: () => Promise<ChartRenderer>;
  /** What was rendered before; nothing is remembered without one. */
  readonly cache?: RenderCache;
  readonly resolveRef: ResolveRef;
  /** `vault`: whether the settings of the instance say that secrets are in Vault. */
  readonly clusters: (access: readonly ClusterAccess[], vault: boolean | undefined) => Promise<ClusterConnections>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
}
