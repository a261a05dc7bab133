import type * as forge from '../clients/forge/index.ts';
import type * as git from '../clients/git/index.ts';
import type { FileEdit, Instance, Snapshot } from '../instance/index.ts';
import type { RecordedScope } from '../rollouts/index.ts';
import type { Pin } from './pins/list-pins.ts';

export interface FilesPort {
  /** The text of a file in a folder, following links; undefined if it does not exist. */
  text(folder: string, file: string): string | undefined;
  /** The bytes of a file in the folder; for a link, its target. */
  bytes(folder: string, file: string): Uint8Array | { readonly linksTo: string } | undefined;
  /** Undoes what an interrupted `replace` left in the folder's repository, and reports it. */
  recover(folder: string): void;
  /** Replaces files, all or none; fails if one changed since it was read. */
  replace(folder: string, edits: readonly FileEdit[]): void;
  /** Writes a file; fails if it exists, unless it should be replaced. */
  write(folder: string, file: string, text: string, options: { readonly replace: boolean }): void;
  /** Runs a function with an empty temporary folder, removed afterwards. */
  withScratch<T>(name: string, use: (folder: string) => Promise<T>): Promise<T>;
}

/** What a promotion needs from outside. */
export interface PromotionPorts {
  readonly git: GitPort;
  readonly forge: ForgePort;
  readonly files: FilesPort;
  /** Reads the files in a folder; an exported commit has no repository of its own. */
  readonly loadFolder: (folder: string, files: 'working-tree' | 'exported') => Promise<Snapshot>;
  /** Queries an image's digest from the registry; waits for it for some seconds. */
  readonly imageDigest: (question: {
    readonly image: string;
    readonly tag: string;
    readonly waitSeconds?: number;
  }) => Promise<string>;
  readonly now: () => Date;
  /** What rollouts remember; absent where no record is given. */
  readonly recorded?: RecordedScope;
}

/** What to promote, as requested by the user. */
export interface PlanRequest {
  readonly upstream?: string;
  /** A commit, branch or release of the upstream; the newest commit of its default branch when absent. */
  readonly to?: string;
  /** Names of targets or environments. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Folder of a clone to query instead of the forge. */
  readonly upstreamClone?: string;
  readonly schemasClone?: string;
  /** Send no requests. */
  readonly offline?: boolean;
  readonly allowRollback?: boolean;
  /** Consent to a rollback that takes back a rollback. */
  readonly undoRollback?: boolean;
  readonly checkImage?: boolean;
  /** Image repository. */
  readonly image?: string;
  readonly digest?: string;
  /** Seconds. */
  readonly wait?: number;
}

/** How a promotion is delivered. */
export interface DeliveryRequest {
  readonly branch?: string;
  readonly targetBranch?: string;
  readonly labels: readonly string[];
  readonly remote: string;
  /** For repositories whose URL does not identify the forge. */
  readonly forge: Pick<ForgeOptions, 'kind' | 'api'>;
  /** Repository URL at the forge; that of the remote when absent. */
  readonly forgeUrl?: string;
  readonly push: boolean;
  readonly fromHead?: boolean;
}

/** The live state of a pinned shard. */
export interface LivePin {
  /** Absent if unknown. */
  readonly obeys?: boolean;
  readonly text: string;
}

export interface LivePins {
  of(pin: Pin): LivePin;
  /** A namespace could not be observed. */
  readonly failed: boolean;
}

/** What pins need from outside. */
export interface PinPorts {
  readonly loadInstance: () => Promise<Instance>;
  readonly files: {
    /** The bytes of a file in a folder. */
    read(folder: string, file: string): Uint8Array;
    /** Replaces files, all or none; fails if one changed since it was read. */
    replace(folder: string, edits: readonly FileEdit[]): void;
  };
  readonly lineDates: GitPort['lineDates'];
  /** Observes an instance's pins on their clusters. Writes nothing. */
  readonly observe: (instance: Instance, pins: readonly Pin[]) => Promise<LivePins>;
  readonly now: () => Date;
}

/** The instance's repository, and clones of upstreams. Neither work tree nor index is ever written. */
export type Repository = Awaited<ReturnType<typeof git.openRepository>>;

/** Git on this machine. */
export interface GitPort extends Pick<typeof git, 'repositoryAt' | 'lineDates'> {
  readonly openClone: typeof git.openRepository;
  /** The git user of a folder. */
  readonly identity: typeof git.identityIn;
}

/** When a line of a file was last changed; undefined if unknown. */
export type LineDate = ReturnType<GitPort['lineDates']>;

/** A hosted repository with merge requests. */
export type HostedRepository = Awaited<ReturnType<typeof forge.openForge>>;
export type OpenRequest = Awaited<ReturnType<HostedRepository['createMergeRequest']>>;

type ForgeOptions = Parameters<typeof forge.openForge>[1];

export interface ForgePort {
  /** Throws if the kind of forge is unknown. Proposed data must not decide where a token is sent: `namedBy`. */
  open(
    url: string,
    options: Pick<ForgeOptions, 'kind' | 'api' | 'namedBy' | 'readOnly' | 'timeoutMs'>,
  ): Promise<HostedRepository>;
  /** Resolves a ref of a hosted repository to a commit. */
  resolveRef(repository: string, ref: string): Promise<string>;
}

/** An upstream commit, with the author's account where the forge knows it. */
export type UpstreamCommit = Awaited<ReturnType<HostedRepository['commitsBetween']>>['commits'][number];

/** Relation of the later commit to the earlier one; unknown if one of them does not exist. */
export type Relation = 'ahead' | 'behind' | 'diverged' | 'identical' | 'unknown';

export interface Comparison {
  readonly relation: Relation;
  /** Commits in the later one that the earlier one lacks, newest first; of one that is behind, those that it lacks. */
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
  /** Why a commit may be unknown, and how to make it known. */
  readonly whenUnknown?: string;
  /** Its versions are tags of an image, of which none is older than another. */
  readonly hasNoCommits?: true;
  /** Files that differ; absent if not available. */
  changedPaths?(from: string, to: string): Promise<readonly string[]>;
}

/** How many commits are between two versions. */
export interface Distance {
  /** Commits that the newer one has in addition, and that it lacks. */
  readonly behind: number;
  readonly ahead: number;
}

/** A warning to review before a promotion is merged. */
export interface Note {
  /** Stable kebab-case name. */
  readonly rule:
    | 'rollback'
    | 'history-unknown'
    | 'promote-schemas-first'
    | 'not-covered'
    | 'stale-digest'
    | 'empty-digest'
    | 'digest-needed'
    | 'follows-branch'
    | 'optional-missing'
    | 'old-pin'
    | 'cron-pin'
    | 'authors-left-out'
    | 'pin-not-merged';
  readonly message: string;
  readonly hint: string;
  /** `data/x.yml:12` */
  readonly at?: string;
}
