import type * as forge from '../clients/forge/index.ts';
import type * as git from '../clients/git/index.ts';
import type { Instance, Problem, Snapshot } from '../instance/index.ts';
import type { RecordedScope } from '../rollouts/index.ts';
import type { ShadowRunner } from '../shadow/index.ts';
import type { Capabilities } from '../sharding/index.ts';
import type { ImageChoice } from './plan-runs.ts';
import type { PlannedRun, RunResult } from './report.ts';
import type { Guard, RenderedWorkloads } from './workloads.ts';

/** A run with its inputs. */
interface ReadyRun {
  readonly run: PlannedRun;
  /** The integration's subcommand and its arguments. */
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Data folders, for local commands. */
  readonly base: string;
  readonly head: string;
}

/** How a program ended. */
export interface RunOutcome {
  readonly end: 'ended' | 'timed-out' | 'interrupted' | 'not-started';
  /** Null if a signal ended it; absent if it did not start. */
  readonly exitCode?: number | null;
  readonly seconds: number;
  /** The end of the output, redacted. */
  readonly tail: string;
  /** Why it did not start. */
  readonly reason?: string;
}

interface RunnerPort {
  run(
    ready: ReadyRun,
    options: { readonly log: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<RunOutcome>;
  /** Redacts secrets in a text. */
  redact(text: string): string;
}

export interface CheckFilesPort {
  exists(path: string): boolean;
  /** The text of a file up to this size; undefined if it is a link, larger or missing. */
  textUpTo(path: string, maxBytes: number): string | undefined;
  makeFolder(path: string): void;
  withScratch<T>(name: string, use: (folder: string) => Promise<T>): Promise<T>;
}

/** What a PR check needs from outside. */
export interface PrCheckPorts {
  readonly git: Pick<typeof git, 'repositoryAt'>;
  readonly forge: {
    /** Throws if the kind of forge is unknown. Proposed data must not decide where a token is sent: `namedBy`. */
    open(
      url: string,
      options: ForgeChoice & Pick<ForgeOptions, 'namedBy' | 'readOnly'>,
    ): Promise<Pick<Awaited<ReturnType<typeof forge.openForge>>, 'comment'>>;
  };
  readonly files: CheckFilesPort;
  readonly loadFolder: (folder: string, files: 'exported') => Promise<Snapshot>;
  /** All problems of an instance. */
  readonly validate: (snapshot: Snapshot) => Promise<readonly Problem[]>;
  /** What the managers of all environments would apply. */
  readonly renderWorkloads: (instance: Instance) => Promise<RenderedWorkloads>;
  readonly guard: Guard;
  readonly runner: RunnerPort;
  /** Starts dry runs on a copy of a side's data in the scratch folder. */
  readonly shadowRunner: (
    side: { readonly folder: string; readonly instance: Instance },
    scratch: string,
  ) => ShadowRunner;
  /** Distinguishes the shadows of this process from all others. */
  readonly shadowId: string;
  readonly now: () => Date;
  /** What rollouts remember; absent where no record is given. */
  readonly recorded?: RecordedScope;
  readonly signal: AbortSignal;
}

/** The repository of the instance under check. */
export type CheckedRepository = Awaited<ReturnType<typeof git.openRepository>>;

type ForgeOptions = Parameters<typeof forge.openForge>[1];
/** For repositories whose URL does not identify the forge. */
type ForgeChoice = Pick<ForgeOptions, 'kind' | 'api'>;

/** What to compare, as requested by the user. */
export interface ComparedRequest {
  readonly base?: string;
  readonly head?: string;
  readonly worktree?: boolean;
  readonly remote: string;
}

export interface RunsRequest {
  readonly jobs: number;
  /** Seconds. */
  readonly timeout: number;
  readonly logDir: string;
  readonly onResult: (result: RunResult) => void;
}

export interface ShadowsRequest extends Pick<RunsRequest, 'jobs' | 'timeout'> {
  /** Shards to compare at most. */
  readonly most: number;
}

export interface PrCheckRequest extends ComparedRequest {
  /** Compare what the managers would apply. */
  readonly render: boolean;
  readonly selectStrict: boolean;
  readonly compareSha?: string;
  readonly capabilities?: Capabilities;
  readonly images: ImageChoice;
  /** Execute the runs, unless the change adds errors; only plan them when absent. */
  readonly runs?: RunsRequest;
  /** Compare the images that the change introduces with those at base; needs `render`. */
  readonly shadows?: ShadowsRequest;
}

export interface CommentRequest {
  /** Merge request number. */
  readonly number: number;
  /** Repository URL; that of the remote when absent. */
  readonly repository?: string;
  readonly remote: string;
  readonly forge: ForgeChoice;
}
