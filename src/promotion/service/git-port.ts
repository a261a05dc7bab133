import type { Caller } from '../plan/authors.ts';
import type { UpstreamCommit } from '../plan/upstream-history.ts';

/** A file changed between two commits. */
export interface CommittedChange {
  /** Relative to the repository root, with slashes. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** The old path of a renamed file. */
  readonly from?: string;
}

interface CommitHistory {
  /** Root folder of the work tree. */
  readonly root: string;
  /** Full sha of a branch, tag or commit; of branches of the same name, the local one unless the remote's is preferred. */
  commitOf(ref: string, choice?: { readonly prefer?: 'local' | 'remote' }): Promise<string>;
  /** Name of the branch, without the remote. */
  defaultBranch(remote?: string): Promise<string>;
  /** Commits of `to` that are not in `from`, newest first; the total includes those beyond the limit. */
  log(
    from: string,
    to: string,
    limit: number,
  ): Promise<{ readonly commits: readonly UpstreamCommit[]; readonly total: number }>;
  changes(base: string, head: string): Promise<readonly CommittedChange[]>;
}

/** A clone of an upstream. */
export interface UpstreamClone extends CommitHistory {
  /** Whether it is a shallow clone. */
  isShallow(): Promise<boolean>;
  /** A commit is its own ancestor. */
  isAncestor(older: string, newer: string): Promise<boolean>;
}

/** The instance's repository. Neither work tree nor index is ever written. */
export interface InstanceRepository extends CommitHistory {
  /** The branch is absent when the head is detached. */
  head(): Promise<{ readonly commit: string; readonly branch?: string }>;
  /** Tip of a local branch; undefined if it does not exist. */
  branchTip(branch: string): Promise<string | undefined>;
  mergeBase(a: string, b: string): Promise<string | undefined>;
  /** The newest commit of `ref` with a message line that matches an extended regular expression. */
  newestSaying(ref: string, pattern: string): Promise<{ readonly sha: string; readonly message: string } | undefined>;
  /** Undefined when the commit has no such file. */
  readFile(ref: string, path: string): Promise<Uint8Array | undefined>;
  /** Exports a commit's files below the given paths into a new or empty folder. */
  exportTree(ref: string, folder: string, paths: readonly string[]): Promise<void>;
  state(paths: readonly string[]): Promise<{
    /** Paths that differ from the checked-out commit, staged or not, and untracked ones. */
    readonly dirty: readonly string[];
    readonly conflicts: readonly string[];
    /** An operation in progress, such as a rebase. */
    readonly operation?: string;
  }>;
  /** Sha of the new commit, which the branch then points to; `expected` is its tip now, absent when it must not exist. */
  commitFiles(options: {
    readonly branch: string;
    readonly parent: string;
    readonly files: ReadonlyMap<string, Uint8Array>;
    readonly message: string;
    readonly expected?: string;
  }): Promise<string>;
  remotes(): Promise<readonly string[]>;
  remoteUrl(remote: string): Promise<string | undefined>;
  /** Replaces the branch of the remote only while that is at `expected`; absent: it must not exist there. */
  push(remote: string, branch: string, expected?: string): Promise<void>;
  /** Sha of a branch or tag of the remote, whose commits this clone then has. */
  fetch(remote: string, ref: string): Promise<string>;
  /** The same for a branch that may not exist. */
  fetchBranch(remote: string, branch: string): Promise<string | undefined>;
}

/** When a line of a file was last changed; undefined if unknown. */
export type LineDate = (file: string, line: number) => Promise<Date | undefined>;

export interface GitPort {
  /** The repository of a folder, and the path from its root to the folder, with a trailing slash unless empty. */
  repositoryAt(folder: string): Promise<{ readonly repository: InstanceRepository; readonly prefix: string }>;
  openClone(folder: string): Promise<UpstreamClone>;
  /** Line dates of the files in a folder, in a commit or in the work tree. */
  lineDates(folder: string, commit?: string): LineDate;
  /** The git user of a folder. */
  identity(folder: string): Promise<Caller>;
}
