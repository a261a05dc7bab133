import type { Snapshot } from '../snapshot.ts';

export interface LoadOptions {
  /** Told what is being done, for the progress line of a terminal. */
  readonly onProgress?: (done: string) => void;
  readonly signal?: AbortSignal;
}

/** A place that instances are read from. Each `load` reads one consistent state. */
export interface InstanceSource {
  /** As the user named it. */
  readonly origin: string;
  load(options?: LoadOptions): Promise<Snapshot>;
  /**
   * Which state a load would read, where that can be told without reading it: the commit of a clean working tree, the
   * SHA-256 of a server's newest bundle. Compare it with `stateOf` the snapshot.
   */
  glimpse(): Promise<string | undefined>;
}
