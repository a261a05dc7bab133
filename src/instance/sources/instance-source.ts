import type { Snapshot } from '../snapshot.ts';

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
   * SHA-256 of a server's newest bundle. Compare it with `revisionKey` of the snapshot.
   */
  currentRevision(): Promise<string | undefined>;
}

/** The checked-out commit, and whether a file differs from it. */
interface GitState {
  readonly commit: string;
  readonly dirty: boolean;
}

/** Version control information about a directory; declared here, implemented by the git client. */
export interface WorkingTree {
  /** The checked-out commit and whether one of the paths differs from it; undefined outside a repository. */
  describe(root: string, paths: readonly string[]): Promise<GitState | undefined>;
}
