export interface Commit {
  readonly sha: string;
  readonly author: { readonly name: string; readonly email: string };
  /** When it was committed. */
  readonly date: Date;
  readonly subject: string;
}

export interface CommittedChange {
  /** From the top folder, with slashes. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** The old path of a renamed file. */
  readonly from?: string;
}

export interface CommitLog {
  /** Newest first. */
  readonly commits: readonly Commit[];
  /** Also of those beyond the limit. */
  readonly total: number;
}

/** A commit that changes some paths. */
export interface PathChange {
  readonly sha: string;
  /** Its first parent; absent for the first commit, and where the history of a shallow clone was cut off. */
  readonly parent?: string;
  readonly message: string;
}

export type GitOperation = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect';

export interface WorkState {
  /** Paths that differ from the checked-out commit, staged or not, and untracked ones. */
  readonly dirty: readonly string[];
  /** Paths with unresolved conflicts; they are dirty too. */
  readonly conflicts: readonly string[];
  /** What was begun and is not finished. */
  readonly operation?: GitOperation;
}

export interface NewCommit {
  readonly branch: string;
  readonly parent: string;
  /** New contents by path from the top folder; other files stay as they are in the parent. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly message: string;
  /** Tip of the branch now; absent when it must not exist. */
  readonly expected?: string;
}

/** A clone on this machine, through the git binary. Work tree and index are never written. */
export interface Repository {
  /** Top folder of the work tree, or the folder of a bare repository. */
  readonly root: string;
  /** The branch is absent when the head is detached. */
  head(): Promise<{ readonly commit: string; readonly branch?: string }>;
  /** Full sha of a branch, tag or commit. */
  commitOf(ref: string): Promise<string>;
  /** Tip of a branch of this clone; undefined when it has none of that name. */
  branchTip(branch: string): Promise<string | undefined>;
  /** Whether the history of this clone was cut off. */
  isShallow(): Promise<boolean>;
  /** Name of the branch, without the remote. */
  defaultBranch(remote?: string): Promise<string>;
  /** A commit is its own ancestor. */
  isAncestor(older: string, newer: string): Promise<boolean>;
  mergeBase(a: string, b: string): Promise<string | undefined>;
  /** Commits of `to` that `from` does not have. */
  log(from: string, to: string, limit: number): Promise<CommitLog>;
  /** Commits of the line of first parents of `ref`, that included, that change some paths, newest first. */
  pathHistory(ref: string, paths: readonly string[], limit: number): Promise<readonly PathChange[]>;
  changes(base: string, head: string): Promise<readonly CommittedChange[]>;
  /** Undefined when the commit has no such file. */
  readFile(ref: string, path: string): Promise<Uint8Array | undefined>;
  /** Writes the files of a commit, or those below some paths, into a new or empty folder. */
  exportTree(ref: string, folder: string, paths?: readonly string[]): Promise<void>;
  state(paths: readonly string[]): Promise<WorkState>;
  /** Sha of the new commit, which the branch then points to. Runs no hook and signs nothing. */
  commitFiles(options: NewCommit): Promise<string>;
  /** Names. */
  remotes(): Promise<readonly string[]>;
  remoteUrl(remote: string): Promise<string | undefined>;
  /** Replaces the branch of the remote only while that is at `expected`; absent: it must not exist there. */
  push(remote: string, branch: string, expected?: string): Promise<void>;
  /** Sha of a branch or tag of the remote, whose commits this clone then has. */
  fetch(remote: string, ref: string): Promise<string>;
  /** The same of a branch that need not be there. */
  fetchBranch(remote: string, branch: string): Promise<string | undefined>;
}
