import type { Instance, Problem, Snapshot } from '../../instance/index.ts';
import type { RecordedScope } from '../../rollouts/index.ts';
import type { ShadowRunner } from '../../shadow/index.ts';
import type { ForgePort, GitPort } from '../ports.ts';
import type { PlannedRun } from '../pr-check/report.ts';
import type { Guard, RenderedWorkloads } from '../pr-check/workload-report.ts';

/** A run with its inputs. */
export interface ReadyRun {
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
  readonly git: Pick<GitPort, 'repositoryAt'>;
  readonly forge: Pick<ForgePort, 'open'>;
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
