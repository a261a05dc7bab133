import type { Version } from '../engine/versions.ts';
import type { Clock } from './clocks.ts';
import type { Kind } from './requirement-kinds.ts';
import type { Seat } from './seat.ts';
import type { UpgradeRun } from './upgrade-runs.ts';

/** Why a pass can differ from the one before. */
export type Task =
  /** An upgrade ends, or is not shown any more. */
  | { readonly what: 'run'; readonly seat: Seat; readonly run: UpgradeRun }
  /** A version is released. */
  | { readonly what: 'release' }
  /** Something was done to a cluster. */
  | { readonly what: 'examine'; readonly seat: Seat }
  /** A cluster took or released its mutexes. */
  | { readonly what: 'mutexes'; readonly seat: Seat }
  /** A window or a freeze can begin or end. */
  | { readonly what: 'clock'; readonly clock: Clock }
  /** A version can have soaked. */
  | { readonly what: 'kind'; readonly kind: Kind; readonly version: Version }
  /** A version soaks faster. */
  | { readonly what: 'soak'; readonly version: Version; readonly workload: string }
  /** An organization whose history is inherited has other minima. */
  | { readonly what: 'inheritance' }
  /** Anything. */
  | { readonly what: 'all' };
