import type { UpstreamCommit } from '../plan/upstream-history.ts';

export interface OpenRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly sourceBranch: string;
  readonly labels: readonly string[];
}

/** A hosted repository with merge requests. */
export interface HostedRepository {
  compareUrl(from: string, to: string): string;
  /** The default branch when absent. */
  newestCommit(branch?: string): Promise<string>;
  commitsBetween(
    from: string,
    to: string,
    limit: number,
  ): Promise<{
    readonly commits: readonly UpstreamCommit[];
    readonly total: number;
    /** Commits of `from` that `to` does not have. */
    readonly lacking: number;
    readonly status: 'ahead' | 'behind' | 'diverged' | 'identical';
  }>;
  /** The open merge request from a branch of the same repository. */
  findMergeRequest(sourceBranch: string): Promise<OpenRequest | undefined>;
  openMergeRequests(search: { readonly branchPrefix: string }): Promise<readonly OpenRequest[]>;
  createMergeRequest(options: {
    readonly title: string;
    readonly description: string;
    readonly sourceBranch: string;
    readonly targetBranch: string;
    readonly labels: readonly string[];
    readonly removeSourceBranch: boolean;
  }): Promise<OpenRequest>;
  updateMergeRequest(
    number: number,
    options: { readonly title: string; readonly description: string; readonly labels: readonly string[] },
  ): Promise<OpenRequest>;
  closeMergeRequest(number: number, comment: string): Promise<void>;
  /** One comment per marker, updated in place. */
  comment(number: number, marker: string, body: string): Promise<{ readonly updated: boolean }>;
}

/** For repositories whose URL does not identify the forge. */
export interface ForgeChoice {
  readonly kind?: 'gitlab' | 'github';
  /** Base URL of the API. */
  readonly api?: string;
}

/** What is allowed, and whether a token may be sent: proposed data must not decide where it is sent. */
interface ForgeAccess {
  readonly namedBy: 'operator' | 'data';
  readonly readOnly: boolean;
  readonly timeoutMs?: number;
}

export interface ForgePort {
  /** Throws if the kind of forge is unknown. */
  open(url: string, options: ForgeChoice & ForgeAccess): Promise<HostedRepository>;
  /** Resolves a ref of a hosted repository to a commit. */
  resolveRef(repository: string, ref: string): Promise<string>;
}
