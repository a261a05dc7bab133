/** An upstream commit. */
export interface UpstreamCommit {
  readonly sha: string;
  readonly author: { readonly name: string; readonly email: string };
  /** The author's account at the forge, if known. */
  readonly login?: string;
  readonly date: Date;
  readonly subject: string;
}

/** Relation of the later commit to the earlier one; unknown if one of them does not exist. */
export type Relation = 'ahead' | 'behind' | 'diverged' | 'identical' | 'unknown';

export interface Comparison {
  readonly relation: Relation;
  /** Commits in the later one that the earlier one lacks, newest first. */
  readonly commits: readonly UpstreamCommit[];
  /** Including those beyond the limit. */
  readonly total: number;
}

/** Queries of the upstream's history, in a clone or at a forge. */
export interface UpstreamHistory {
  compare(from: string, to: string, limit: number): Promise<Comparison>;
  /** The forge's compare page; undefined if there is none. */
  compareUrl(from: string, to: string): string | undefined;
  /** Folder of a full clone: a commit missing there is not in the upstream. */
  readonly wholeClone?: string;
  /** The hint for an unknown commit. */
  readonly whenUnknown?: string;
  /** Files that differ; absent if not available. */
  changedPaths?(from: string, to: string): Promise<readonly string[]>;
}
