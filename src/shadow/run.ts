/** The image that a shard runs, and the one that it would run. */
export type ShadowSide = 'baseline' | 'candidate';

/** One dry run of a shard. */
export interface ShadowRun {
  readonly integration: string;
  readonly shard: ShadowShard;
  readonly side: ShadowSide;
  /** 0 for the run that is compared; 1 and more for further runs of the baseline, which measure noise. */
  readonly repetition: number;
  readonly image: string;
  /** The integration's subcommand and its arguments. */
  readonly words: readonly string[];
  /** The variables of a pod, those that make it a dry run included; an empty one switches something off. */
  readonly variables: Readonly<Record<string, string>>;
  /** Unique among the runs of a request, and safe as the name of a file: `terraform-resources_app-sre_candidate`. */
  readonly name: string;
}

/** A shard of an integration and where it runs. */
export interface ShadowShard {
  readonly environment: string;
  readonly cluster: string;
  readonly namespace: string;
  /** Its display name. */
  readonly name: string;
  /** The workload that runs it. */
  readonly kind: 'Deployment' | 'StatefulSet' | 'CronJob';
  readonly object: string;
}

/** What a run printed and how it ended. */
export interface ShadowOutput {
  readonly end: 'ended' | 'timed-out' | 'interrupted' | 'not-started';
  /** Null if a signal ended it; absent if it did not start or it is not known. */
  readonly exitCode?: number | null;
  /** Standard output and standard error together, secrets removed. */
  readonly output: string;
  /** The output is not whole. */
  readonly truncated?: boolean;
  readonly seconds: number;
  /** Why it did not start. */
  readonly reason?: string;
  /** Where the output is kept, as shown to the user. */
  readonly log?: string;
}

/** Starts dry runs: containers, local processes, Jobs. A run that fails is a value; only a fault of the runner itself throws. */
export interface ShadowRunner {
  start(run: ShadowRun, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<ShadowOutput>;
}
