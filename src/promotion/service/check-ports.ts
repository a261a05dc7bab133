import type { Instance, Problem, Snapshot } from '../../instance/index.ts';
import type { PlannedRun } from '../pr-check/report.ts';
import type { Guard, RenderedWorkloads } from '../pr-check/workload-report.ts';
import type { ForgePort } from './forge-port.ts';
import type { GitPort } from './git-port.ts';

/** A run with everything that it is given. */
export interface ReadyRun {
  readonly run: PlannedRun;
  /** The sub-command of the integration and its arguments. */
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Folders of the data, for commands on this machine. */
  readonly base: string;
  readonly head: string;
}

/** How a program ended. */
export interface RunOutcome {
  readonly end: 'ended' | 'timed-out' | 'interrupted' | 'not-started';
  /** Null when a signal ended it; absent when it did not begin. */
  readonly exitCode?: number | null;
  readonly seconds: number;
  /** The end of the output, secrets removed. */
  readonly tail: string;
  /** Why it did not begin. */
  readonly reason?: string;
}

export interface RunnerPort {
  run(
    ready: ReadyRun,
    options: { readonly log: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<RunOutcome>;
  /** Removes secrets from a text. */
  redact(text: string): string;
}

export interface CheckFilesPort {
  exists(path: string): boolean;
  /** The text of a file that is no link and not larger than this; undefined where it is not so. */
  textUpTo(path: string, maxBytes: number): string | undefined;
  makeFolder(path: string): void;
  withScratch<T>(name: string, use: (folder: string) => Promise<T>): Promise<T>;
}

/** What a check of a change needs of the world around it. */
export interface PrCheckPorts {
  readonly git: Pick<GitPort, 'repositoryAt'>;
  readonly forge: Pick<ForgePort, 'open'>;
  readonly files: CheckFilesPort;
  readonly loadFolder: (folder: string, files: 'exported') => Promise<Snapshot>;
  /** Everything that is wrong with an instance. */
  readonly validate: (snapshot: Snapshot) => Promise<readonly Problem[]>;
  /** What the managers of all environments would write. */
  readonly renderWorkloads: (instance: Instance) => Promise<RenderedWorkloads>;
  readonly guard: Guard;
  readonly runner: RunnerPort;
  readonly signal: AbortSignal;
}
