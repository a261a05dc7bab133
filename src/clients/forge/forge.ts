import type { Commit } from '../git/index.ts';
import type { HttpClock } from '../http/index.ts';
import type { NamedBy } from './forge-token.ts';

export interface MergeRequest {
  /** As users write it: `!12` of GitLab, `#12` of GitHub. */
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly labels: readonly string[];
}

/** A commit as a forge reports it; the login is that of the author's account, where the forge knows it. */
export type ForgeCommit = Commit & { readonly login?: string };

export interface ForgeComparison {
  /** Commits of the later one that the earlier one does not have, newest first. */
  readonly commits: readonly ForgeCommit[];
  /** Also of those beyond the limit. */
  readonly total: number;
  /** Commits of the earlier one that the later one does not have. */
  readonly lacking: number;
  /** Of the later one, seen from the earlier one. */
  readonly status: 'ahead' | 'behind' | 'diverged' | 'identical';
}

interface MergeRequestSearch {
  readonly label?: string;
  readonly branchPrefix?: string;
}

export interface NewMergeRequest {
  readonly title: string;
  readonly description: string;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly labels: readonly string[];
  /** Once it is merged. GitLab only: on GitHub the repository decides. */
  readonly removeSourceBranch?: boolean;
}

export interface MergeRequestUpdate {
  readonly title?: string;
  readonly description?: string;
  /** Added to the ones that are there. */
  readonly labels?: readonly string[];
}

/** A hosted repository with merge requests (pull requests). */
export interface Forge {
  readonly kind: 'gitlab' | 'github';
  compareUrl(from: string, to: string): string;
  /** Of the default branch when absent. */
  newestCommit(branch?: string): Promise<string>;
  commitsBetween(from: string, to: string, limit: number): Promise<ForgeComparison>;
  /** The open one from a branch of the same repository. */
  findMergeRequest(sourceBranch: string): Promise<MergeRequest | undefined>;
  openMergeRequests(search: MergeRequestSearch): Promise<readonly MergeRequest[]>;
  createMergeRequest(options: NewMergeRequest): Promise<MergeRequest>;
  updateMergeRequest(number: number, options: MergeRequestUpdate): Promise<MergeRequest>;
  closeMergeRequest(number: number, comment: string): Promise<void>;
  /** One comment per marker, updated in place. */
  comment(number: number, marker: string, body: string): Promise<{ readonly updated: boolean }>;
}

export interface OpenForgeOptions {
  /** GITHUB_TOKEN, GITHUB_API, GITLAB_TOKEN, GITLAB_API, GITLAB_HOST. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Who says that the repository is there: it decides whether a token may go to its host. */
  readonly namedBy: NamedBy;
  /** Refuses every request that would change something. */
  readonly readOnly: boolean;
  /** Where the host does not say. */
  readonly kind?: 'gitlab' | 'github';
  /** Base address of the API: `https://api.github.com`, `https://gitlab.example.com/api/v4`. */
  readonly api?: string;
  /** Per attempt. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly clock?: HttpClock;
  readonly random?: () => number;
}
