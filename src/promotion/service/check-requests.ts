import type { Capabilities } from '../../sharding/index.ts';
import type { DeliveryRequest } from '../ports.ts';
import type { RunResult } from '../pr-check/report.ts';
import type { ImageChoice } from '../pr-check/run-images.ts';

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
  readonly forge: DeliveryRequest['forge'];
}
