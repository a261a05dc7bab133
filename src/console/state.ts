import type { ShardStatus } from '../manager/index.ts';
import type { ClusterExplanation, Fault, FleetPlan, Forecast, Instant } from '../upgrades/index.ts';

/** One half of what the console shows. Neither half depends on the other. */
export type Half<Data> =
  /** The first look is under way. */
  | { readonly kind: 'waiting' }
  /** Nothing was configured for it; what to do. */
  | { readonly kind: 'absent'; readonly message: string; readonly hint: string }
  | { readonly kind: 'failed'; readonly at: Instant; readonly error: Fault }
  /** With an error where a later look failed: then this is what the last good one saw. */
  | { readonly kind: 'known'; readonly asOf: Instant; readonly data: Data; readonly error?: Fault };

/** How the forecast of a look stands. Making one takes long, and clusters are shown before. */
export type Outlook =
  | { readonly kind: 'ready' }
  | { readonly kind: 'making' }
  | { readonly kind: 'failed'; readonly error: Fault };

/** What one look at OCM and the histories gave. */
export interface UpgradesData {
  readonly plan: FleetPlan;
  readonly clusters: readonly ClusterExplanation[];
  readonly outlook: Outlook;
  /** Where the outlook is not ready, that of a look before, or one without clusters where there is none yet. */
  readonly forecast: Forecast;
  /** By the id of a cluster: versions that the history has it on, oldest first. It keeps no dates. */
  readonly recorded: ReadonlyMap<string, readonly string[]>;
  /** What whoever runs the console should know. */
  readonly notes: readonly string[];
}

export interface ConsoleShard extends ShardStatus {
  /** Of the namespace; absent where no file of the instance has it. */
  readonly environment?: string;
  /** Short names of the images, such as `f929a38`. */
  readonly expectedTag?: string;
  readonly liveTag?: string;
}

/** What one look at the clusters that integrations run on gave. */
export interface ShardsData {
  readonly revision: string;
  readonly shards: readonly ConsoleShard[];
  /** Namespaces that could not be looked at, and integrations that could not be rendered. */
  readonly faults: readonly Fault[];
  /** Errors that `echelon validate` tells in full. */
  readonly errors: number;
}

/** A version that a cluster was seen on, by this console. */
export interface Sighted {
  readonly version: string;
  readonly since: Instant;
}

/** Everything that pages are made of. */
export interface ConsoleState {
  readonly startedAt: Instant;
  /** Seconds between two looks. */
  readonly refreshSeconds: number;
  readonly upgrades: Half<UpgradesData>;
  readonly shards: Half<ShardsData>;
  /** By the id of a cluster, oldest first: what this console saw since it started. */
  readonly sighted: ReadonlyMap<string, readonly Sighted[]>;
}

/** The data of a half, if there is any. */
export function dataOf<Data>(half: Half<Data>): Data | undefined {
  return half.kind === 'known' ? half.data : undefined;
}
