/** The checked-out commit, and whether a file differs from it. */
export interface GitState {
  readonly commit: string;
  readonly dirty: boolean;
}

/** Version control information about a directory; declared here, implemented by the git client. */
export interface WorkingTree {
  /** The checked-out commit and whether one of the paths differs from it; undefined outside a repository. */
  describe(root: string, paths: readonly string[]): Promise<GitState | undefined>;
}
