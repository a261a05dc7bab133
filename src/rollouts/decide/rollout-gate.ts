import type { Gate, GateList, Instant } from '../../gates/index.ts';
import type { ShardFacts } from '../facts.ts';
import type { Failure } from '../record/record.ts';
import type { ShadowRecord } from '../record/shadow-record.ts';
import type { QueryFinding } from './decision.ts';
import type { DifferingShard } from './shadows.ts';
import type { TrackRules } from './track-rules.ts';
import type { WaveView } from './wave-view.ts';

/** A shard and the image that it would take. */
export interface MoveSubject {
  readonly facts: ShardFacts;
  /** Its position among the waves; absent when none selects it. */
  readonly wave?: number;
  readonly image: string;
  /** To the shard's good or the track's stable image (D7). */
  readonly isBack: boolean;
  /** Of the target. */
  readonly shadow?: ShadowRecord;
}

/** What the gates of one track know. */
export interface TrackContext extends TrackRules {
  readonly environment: string;
  readonly now: Instant;
  /** The image that the track moves to. */
  readonly target: string;
  /** The declared image, where it waits for the target to end (D9). */
  readonly queued?: string;
  readonly waves: readonly WaveView[];
  /** Position of the first wave that is not passed; the number of waves when all are. */
  readonly firstUnpassed: number;
  /** The failure that halts an image. */
  readonly failureOf: (image: string) => Failure | undefined;
  readonly isExpedited: (image: string) => boolean;
  readonly queriesFault?: string;
  /** Queries of shards on the target that are not as expected. */
  readonly queryFindings: readonly QueryFinding[];
  /** The first shard whose shadow found more than its rule allows, and no user accepted. */
  readonly differing?: DifferingShard;
  /** Shards of a wave that moved to an image, or are about to, and are not yet steady (D11); stopped ones take no place (D2). */
  readonly underWay: (wave: number, image: string) => ReadonlySet<string>;
}

export type RolloutGate = Gate<MoveSubject, TrackContext>;
export type RolloutGates = GateList<RolloutGate>;
