import type { Instant } from '../../gates/index.ts';

/** What the last comparison of two dry runs of a shard found: on its live image, and on the one that it would take. */
export interface ShadowRecord {
  /** The image that it would take. */
  readonly image: string;
  /** The one that it ran. */
  readonly baseline: string;
  /** When the runs began, on the data of that time. */
  readonly at: Instant;
  /** When it was last tried again, without a result. */
  readonly triedAt?: Instant;
  readonly result: 'same' | 'different' | 'inconclusive';
  /** Actions that only one of the images would take. */
  readonly differences: number;
  /** `sha256:…` of those actions; absent where there are none. */
  readonly digest?: string;
  /** The first of those actions, one on a line, or why it is inconclusive. */
  readonly text?: string;
}
