import type { Instant } from '../../gates/index.ts';

/** Below `resources/`: the file that declares tracks, queries, freezes and human decisions. */
export const ROLLOUTS_RESOURCE = '/echelon/rollouts.yml';

/** What `rollouts.yml` declares. Durations are in microseconds, times are UTC. */
export interface RolloutFile {
  readonly tracks: readonly Track[];
  readonly queries: readonly HealthQuery[];
  readonly freezes: readonly RolloutFreeze[];
  readonly overrules: readonly Overrule[];
}

/** An ordered list of waves for a set of shards. A shard belongs to the first track that matches it. */
export interface Track {
  readonly name: string;
  readonly match: Match;
  readonly waves: readonly Wave[];
  /** Minutes at which moves may begin, as a cron expression; always when absent. */
  readonly window?: string;
  readonly health: HealthRules;
  /** Before a shard moves, dry runs on both images are compared; not when absent. */
  readonly shadow?: ShadowRule;
  readonly onFailure: 'halt' | 'rollback';
  readonly supersede: 'restart' | 'queue';
}

/** Names, in which `*` stands for any text; an absent list matches everything. */
export interface Match {
  readonly environments?: readonly string[];
  readonly integrations?: readonly string[];
}

/** Shards that may move together: the listed ones and a share of the others; all that are left when neither is given. */
export interface Wave {
  readonly name: string;
  /** Ids (`integration/shard`) or names of shards; the name of a shard includes its sub-shards. */
  readonly shards?: readonly string[];
  /** Of all shards of the track, taken from those that no earlier wave has. */
  readonly percent?: number;
  readonly soak: number;
  readonly maxParallel: number;
  /** Instead of the track's. */
  readonly shadow?: ShadowRule;
}

/** What the comparison of two dry runs may find before a shard moves. */
export interface ShadowRule {
  /** Actions that only one of the images would take. */
  readonly maxDifferences: number;
}

export interface HealthRules {
  readonly maxRestarts: number;
  readonly progressDeadline: number;
  /** Names of queries. */
  readonly queries: readonly string[];
}

/** A PromQL expression and the sample that a healthy shard gives. */
export interface HealthQuery {
  readonly name: string;
  readonly promql: string;
  readonly expect: { readonly min?: number; readonly max?: number };
}

/** A time in which nothing that it matches moves forward; its end is outside. */
export interface RolloutFreeze {
  readonly name: string;
  readonly from: Instant;
  readonly until: Instant;
  readonly match: Match;
  readonly reason: string;
}

export const OVERRULE_ACTIONS = ['pause', 'resume', 'expedite', 'reject', 'accept-shadow'] as const;

/** A human decision about a track. */
export interface Overrule {
  readonly track: string;
  readonly action: (typeof OVERRULE_ACTIONS)[number];
  /** The whole image, its tag, or its tag and digest; every image when absent. */
  readonly image?: string;
  /** Of an accept-shadow: the beginning of the digest of the difference that it accepts. */
  readonly digest?: string;
  readonly at: Instant;
  /** Of a pause and an expedite. */
  readonly until?: Instant;
  readonly reason: string;
}
