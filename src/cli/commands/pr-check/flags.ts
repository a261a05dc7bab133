import type { RunnerFlags } from '../../../promotion/index.ts';
import type { Format } from '../../output/format.ts';
import type { DesiredFlags } from '../manager/flags.ts';

export interface PrCheckFlags extends DesiredFlags, RunnerFlags {
  readonly output: Format;
  readonly base?: string;
  readonly head?: string;
  readonly worktree?: boolean;
  readonly remote: string;
  readonly schemas?: string;
  readonly rolloutRecord?: string;
  readonly render: boolean;
  readonly selectStrict?: boolean;
  readonly compareSha?: string;
  readonly run?: boolean;
  readonly shadow?: boolean;
  readonly maxShadows: number;
  readonly jobs: number;
  /** Seconds. */
  readonly timeout: number;
  readonly logDir: string;
  readonly markdown?: string;
  readonly junit?: string;
  readonly comment?: number;
  readonly repository?: string;
  readonly forge?: 'gitlab' | 'github';
  readonly forgeApi?: string;
}
