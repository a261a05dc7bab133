import type { Capabilities } from '../../sharding/index.ts';
import type { RunResult } from '../pr-check/report.ts';
import type { ImageChoice } from '../pr-check/run-images.ts';
import type { ForgeChoice } from './forge-port.ts';

/** What is compared, as the user names it. */
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

export interface PrCheckRequest extends ComparedRequest {
  /** Compares what the managers would write. */
  readonly render: boolean;
  readonly selectStrict: boolean;
  readonly compareSha?: string;
  readonly capabilities?: Capabilities;
  readonly images: ImageChoice;
  /** Carries out the runs, unless the change brings errors; absent: only plans them. */
  readonly runs?: RunsRequest;
}

export interface CommentRequest {
  /** Of the merge request. */
  readonly number: number;
  /** Address of the repository; that of the remote when absent. */
  readonly repository?: string;
  readonly remote: string;
  readonly forge: ForgeChoice;
}
