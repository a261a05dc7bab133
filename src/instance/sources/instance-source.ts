import type { Keeping } from '../kept-values.ts';
import type { Revision, Snapshot } from '../snapshot.ts';
import type { TreeMemory } from './tree-before.ts';

export interface LoadOptions {
  /** Called with the current step, for the progress line of a terminal. */
  readonly onProgress?: (done: string) => void;
  readonly signal?: AbortSignal;
  /** Also list the datafiles that the source does not give. */
  readonly inventory?: boolean;
}

/** A source of an instance. Each `load` reads one consistent state. */
export interface InstanceSource {
  /** As given by the user. */
  readonly origin: string;
  load(options?: LoadOptions): Promise<Snapshot>;
  /**
   * The state that a load would read, where that is known without reading it: the commit of a clean working tree, the
   * SHA-256 of a server's newest bundle. Compare it with `stateOf` the snapshot.
   */
  glimpse(): Promise<string | undefined>;
  /** Reads all bytes, without parsing them; undefined for what cannot be held. Absent where reading is not cheap. */
  hold?(memory?: TreeMemory): Promise<HeldInstance | undefined>;
}

/** The bytes of one state of an instance. */
export interface HeldInstance {
  /** Equal fingerprints mean equal bytes, and so equal snapshots, but for what git says about them. */
  readonly fingerprint: string;
  /** @param sha256 of the snapshot of these bytes, where it is known. */
  revision(sha256: string): Promise<Revision>;
  /** Parses these bytes, whatever became of the files, but for those that were parsed before. */
  load(options: LoadOptions, keeping: Keeping): Promise<Snapshot>;
}
