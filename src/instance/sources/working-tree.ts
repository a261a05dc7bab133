import { areTracked } from './tracked-names.ts';

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
 * untracked or ignored, whatever is to be ignored. Git is asked at once, the names are asked for when it has answered.
 */
export function describeNamed(
  workingTree: WorkingTree,
  root: string,
  paths: readonly string[],
): (names: () => readonly string[] | undefined) => Promise<GitState | undefined> {
  const asked = workingTree.describeTracked?.(root, paths);
  return async (names) => {
    const tracked = await asked;
    if (tracked === undefined) return workingTree.describe(root, paths);
    const { commit, dirty } = tracked;
    return dirty || areTracked(names(), tracked.names) ? { commit, dirty } : workingTree.describe(root, paths);
  };
}
