/** The checked-out commit, and whether a file differs from it. */
export interface GitState {
  readonly commit: string;
  readonly dirty: boolean;
}

/** Version control information about a directory; declared here, implemented by the git client. */
export interface WorkingTree {
  /** The checked-out commit and whether one of the paths differs from it; undefined outside a repository. */
  describe(root: string, paths: readonly string[]): Promise<GitState | undefined>;
  /**
   * The same of tracked files alone, without a look for others, and their names, with a NUL after each; undefined where
   * they cannot be listed. Absent: `describe` is used.
   */
  describeTracked?(root: string, paths: readonly string[]): Promise<TrackedState | undefined>;
}

export interface TrackedState extends GitState {
  readonly names: string;
}

/**
 * What `describe` would say, without its walk through all folders where every name is known and tracked: then nothing is
 * untracked or ignored, whatever is to be ignored. Git is asked at once.
 */
export function describeNamed(
  workingTree: WorkingTree,
  root: string,
  paths: readonly string[],
): (areAll: (tracked: string) => boolean) => Promise<GitState | undefined> {
  const asked = workingTree.describeTracked?.(root, paths);
  return async (areAll) => {
    const tracked = await asked;
    if (tracked === undefined) return workingTree.describe(root, paths);
    const { commit, dirty } = tracked;
    return dirty || areAll(tracked.names) ? { commit, dirty } : workingTree.describe(root, paths);
  };
}
