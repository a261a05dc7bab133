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
  /** Of the default branch when absent. */
  newestCommit(branch?: string): Promise<string>;
  commitsBetween(
    from: string,
    to: string,
    limit: number,
  ): Promise<{
    readonly commits: readonly UpstreamCommit[];
    readonly total: number;
    readonly status: 'ahead' | 'behind' | 'diverged' | 'identical';
  }>;
  /** The open one from a branch of the same repository. */
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

/** Where the address of a repository does not say which forge it is on. */
export interface ForgeChoice {
  readonly kind?: 'gitlab' | 'github';
  /** Base address of the API. */
  readonly api?: string;
}

/** What may be done, and whether a token may go there: data that somebody proposes must not say where it goes. */
export interface ForgeAccess {
  readonly namedBy: 'operator' | 'data';
  readonly readOnly: boolean;
  readonly timeoutMs?: number;
}

export interface ForgePort {
  /** Refuses an address of which nobody knows which kind of forge it is. */
  open(url: string, options: ForgeChoice & ForgeAccess): Promise<HostedRepository>;
  /** The commit that a ref of a hosted repository stands for. */
  resolveRef(repository: string, ref: string): Promise<string>;
}
