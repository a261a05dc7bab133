/** A commit of the upstream. */
export interface UpstreamCommit {
  readonly sha: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Of the author's account at the forge, where that is known. */
  readonly login?: string;
  readonly date: Date;
  readonly subject: string;
}

/** Of the later commit, seen from the earlier one; unknown when one of them is not there. */
export type Relation = 'ahead' | 'behind' | 'diverged' | 'identical' | 'unknown';

export interface Comparison {
  readonly relation: Relation;
  /** What the later one has and the earlier one has not, newest first. */
  readonly commits: readonly UpstreamCommit[];
  /** Also of those beyond the limit. */
  readonly total: number;
}

/** What is asked of the upstream, in a clone or at a forge. */
export interface UpstreamHistory {
  compare(from: string, to: string, limit: number): Promise<Comparison>;
  /** A page that shows the difference; undefined where there is none. */
  compareUrl(from: string, to: string): string | undefined;
  /** Folder of a clone with the whole history: a commit that it does not have is none of the upstream. */
  readonly wholeClone?: string;
  /** What to do where it does not know a commit. */
  readonly whenUnknown?: string;
  /** Files that differ; absent where nobody can tell. */
  changedPaths?(from: string, to: string): Promise<readonly string[]>;
}
