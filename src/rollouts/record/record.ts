import type { ClockBehind, Instant, Streak } from '../../gates/index.ts';
import type { RolloutEvent } from './history.ts';
import type { ShadowRecord } from './shadow-record.ts';

/** What rollouts remember between passes. Immutable. */
export interface RolloutRecord {
  /** Time of the last sighting; absent before the first. */
  readonly checkIn?: Instant;
  /** Present while the clock runs before the last sighting. */
  readonly behind?: ClockBehind;
  /** By `scopeKey`. */
  readonly scopes: ReadonlyMap<string, ScopeRecord>;
}

/** Of the shards of one environment and upstream. */
export interface ScopeRecord {
  readonly environment: string;
  readonly upstream: string;
  /** By id. */
  readonly shards: ReadonlyMap<string, ShardRecord>;
  /** By name. */
  readonly tracks: ReadonlyMap<string, TrackRecord>;
  readonly failures: readonly Failure[];
  /** What happened, oldest first; `boundedHistory` keeps it short. */
  readonly history: readonly RolloutEvent[];
}

export interface ShardRecord {
  readonly integration: string;
  readonly shard: string;
  readonly parent?: string;
  /** The image that its object was set to when it was last seen; absent when it had none. */
  readonly image?: string;
  /** The last image that it soaked; at adoption its healthy live image (D7). */
  readonly good?: string;
  /** How long it has been seen healthy without interruption on `image`, while its track is under way. */
  readonly soak?: Streak;
  /** The move that was announced for it, until the track completes or it goes back. */
  readonly move?: MoveRecord;
  /** Of the target, until it runs it. */
  readonly shadow?: ShadowRecord;
  /** The declared image that it is held back from, and the track that holds it (F3). */
  readonly held?: { readonly target: string; readonly track: string };
}

/** A move, from its announcement on. */
export interface MoveRecord {
  readonly image: string;
  /** A way back that the failure of `from` caused. */
  readonly returnFrom?: string;
  readonly at: Instant;
  /** The live object has shown the image. */
  readonly seen: boolean;
  /** A pass since then saw that it was not written: what happens to the shard is not about the image any more (D2). */
  readonly missed?: true;
  /** The image that was announced before, and not seen: a late write of it is nobody's hand. */
  readonly instead?: string;
  /** It was healthy just before; otherwise it cannot fail the image (D5). */
  readonly wasHealthy: boolean;
  /**
   * The kind, cluster and namespace in which it was not stopped at the announcement, or was seen running since: stopping or
   * deleting it there fails the image (D2). Absent for one that was stopped before, and in records from before there was this field.
   */
  readonly runs?: string;
  /** More than image and resources changed: it does not return by itself (A2). */
  readonly altersTemplate?: true;
  /** It was healthy for five minutes (D11). */
  readonly steady: boolean;
  /** For how long it has been seen not ready. */
  readonly unready?: Streak;
  /** For how long it has been seen healthy, until it is steady. */
  readonly healthy?: Streak;
  /** Restarts since the move, and the last sum seen. */
  readonly restarts: number;
  readonly lastRestarts: number;
  /** Sightings in a row in which a query was wrong. */
  readonly wrong: number;
}

/** A target that failed on a shard (D6). */
export interface Failure {
  readonly shard: string;
  readonly image: string;
  readonly at: Instant;
  /** The track that the shard was in. */
  readonly track: string;
  readonly reason: string;
}

export interface TrackRecord {
  /** The target under way, or the completed one. */
  readonly target: string;
  /** When it became the target. */
  readonly since: Instant;
  readonly isComplete: boolean;
  /** The last image that all of the track soaked (D7). */
  readonly stable?: string;
  /** What the history has already; absent in a record from before there was one. */
  readonly noted?: NotedEvents;
}

/** Events that a state causes once, however long it lasts. */
export interface NotedEvents {
  /** Names of waves that the target has passed. */
  readonly waves: readonly string[];
  /** Overrules that have taken effect and are still in force. */
  readonly overrules: readonly string[];
}

export const EMPTY_RECORD: RolloutRecord = { scopes: new Map() };

export function scopeKey({ environment, upstream }: Pick<ScopeRecord, 'environment' | 'upstream'>): string {
  return JSON.stringify([environment, upstream]);
}

export function emptyScope({ environment, upstream }: Pick<ScopeRecord, 'environment' | 'upstream'>): ScopeRecord {
  return { environment, upstream, shards: new Map(), tracks: new Map(), failures: [], history: [] };
}
