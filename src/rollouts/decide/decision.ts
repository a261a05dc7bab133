import type { Instant, Verdict } from '../../gates/index.ts';
import type { QueryAnswer, Stop } from '../facts.ts';
import type { ScopeRecord } from '../record/record.ts';

/** An image to be written to a shard, after the record with its announcement is stored (A3). */
export interface Move {
  readonly id: string;
  readonly image: string;
  /** Whether it goes back to an image that the shard or the track has soaked (D7). */
  readonly isBack: boolean;
}

/** A shard that keeps its live image although another one is declared for it. */
export interface Hold {
  readonly id: string;
  /** Its live image; absent when it has no object and must not get one yet. */
  readonly image?: string;
  readonly target: string;
}

/** A failed shard that goes back to its good image; written only over `from` (A4). */
export interface Return {
  readonly id: string;
  readonly image: string;
  readonly from: string;
}

/** The verdicts of all gates about one shard that does not run the target, in the order of the rows. */
export interface ShardVerdicts {
  readonly id: string;
  readonly wave?: string;
  /** The image that the gates decide about. */
  readonly image: string;
  readonly verdicts: readonly Verdict[];
}

export type WaveState = 'closed' | 'open' | 'passed';

export interface WaveReport {
  readonly name: string;
  readonly state: WaveState;
  /** Ids of its shards, in the order in which they move. */
  readonly shards: readonly string[];
  /** How many count (D1), run the target and have soaked it. */
  readonly counting: number;
  readonly onTarget: number;
  readonly soaked: number;
  /** How long, in microseconds. */
  readonly soak: number;
  /** Why it is not passed. */
  readonly reason?: string;
}

/** What needs a human: a failure that stops the track, a return that does not become healthy, an image set by hand. */
export interface Alert {
  readonly kind: 'halted' | 'shadow-differs' | 'return-failed' | 'failing-after-completion' | 'set-by-hand';
  readonly shard: string;
  readonly image: string;
  readonly reason: string;
  readonly at?: Instant;
}

/** A query of a shard that runs the target, which is not as expected: the shard does not soak. */
export interface QueryFinding {
  readonly shard: string;
  readonly query: string;
  readonly answer: Exclude<QueryAnswer, 'expected'>;
  /** What it gave, and what was expected. */
  readonly text: string;
  /** The track moved the shard to the target. */
  readonly isUnderWay: boolean;
}

/** A shard that counts and is stopped: it does not soak (D2). */
export interface StoppedShard {
  readonly shard: string;
  readonly stop: Stop;
}

/** Dry runs that are to be compared before a shard can move. */
export interface WantedShadow {
  readonly id: string;
  readonly image: string;
  /** The live image. */
  readonly baseline: string;
}

export type TrackState = 'complete' | 'under-way' | 'halted' | 'rejected' | 'paused';

/** What one pass decides about a track. */
export interface TrackDecision {
  readonly track: string;
  readonly environment: string;
  readonly upstream: string;
  /** The image that the track moves to: the declared one, or with `supersede: queue` the one under way. */
  readonly target: string;
  readonly state: TrackState;
  readonly moves: readonly Move[];
  readonly holds: readonly Hold[];
  readonly returns: readonly Return[];
  readonly waves: readonly WaveReport[];
  readonly verdicts: readonly ShardVerdicts[];
  /** At most a few at once, those that run already first. */
  readonly shadows: readonly WantedShadow[];
  readonly alerts: readonly Alert[];
  /** None once the track has completed: no query is asked then. */
  readonly queries: readonly QueryFinding[];
  /** None once the track has completed. */
  readonly stopped: readonly StoppedShard[];
  /** Ids of shards that this pass could not see, and of those that are pinned or disabled: they do not count (D1). */
  readonly unseen: readonly string[];
  readonly uncounted: readonly string[];
  /** The record after this pass, with moves and returns announced. */
  readonly record: ScopeRecord;
}
