import type { Instance } from '../../instance/index.ts';
import type { ShadowRunner, ShadowShard } from '../run.ts';

/** The image of a shard, and why it may not be the one that runs. */
export interface RunningImage {
  readonly image: string;
  readonly note?: string;
}

/** What a shadow needs from outside. */
export interface ShadowPorts {
  /** The data that all runs read: one revision, which does not change while they run. */
  readonly instance: Instance;
  /** Why the runs may not have read the same data; undefined where they have. */
  readonly dataChanged: () => Promise<string | undefined>;
  /** The image that each shard runs; undefined where it is not known. */
  readonly runningImages: (
    integration: string,
    shards: readonly ShadowShard[],
  ) => Promise<(shard: ShadowShard) => RunningImage | undefined>;
  readonly runner: ShadowRunner;
  readonly signal: AbortSignal;
}
