import { defined } from '../../base/index.ts';
import type { Opening } from '../../gates/index.ts';
import type { ScopeTrack } from '../decide/decide-rollouts.ts';
import type { WaveReport } from '../decide/decision.ts';
import type { Stop } from '../facts.ts';
import { durationText } from '../file/duration.ts';
import type { ShardExplanation } from '../forecast/explain.ts';
import type { Failure, ScopeRecord, ShardRecord } from '../record/record.ts';
import type { ShadowRecord } from '../record/shadow-record.ts';
import { versionText } from './rollout-view.ts';

/** `unknown`: its cluster could not be observed. `uncounted`: pinned or disabled. */
export type BoardShardState =
  | 'failed'
  | 'unknown'
  | 'returning'
  | 'moving'
  | 'soaking'
  | 'held'
  | 'uncounted'
  | 'soaked';

export interface BoardShard {
  readonly id: string;
  readonly environment: string;
  readonly track?: string;
  readonly wave?: string;
  readonly state: BoardShardState;
  /** The version that its object was last seen with. */
  readonly version?: string;
  /** One sentence: why it is in this state. */
  readonly reason: string;
  /** Every gate between it and its target; absent when it runs the target, or cannot be seen. */
  readonly gates?: ShardExplanation['rows'];
  readonly opening?: Opening;
  /** The comparison of dry runs that holds it, or its own. */
  readonly shadow?: ShadowRecord;
  /** The shard that was compared, where it is another one. */
  readonly shadowOf?: string;
}

/** By `shardKey`. */
export type Explained = ReadonlyMap<string, ShardExplanation>;

export function shardKey({ environment, upstream }: Pick<ScopeTrack, 'environment' | 'upstream'>, id: string): string {
  return JSON.stringify([environment, upstream, id]);
}

export type ReadShard = (id: string, wave: WaveReport | undefined) => BoardShard;

/** Reads the cells of one track. */
export function shardReader(decision: ScopeTrack, scope: ScopeRecord | undefined, explained: Explained): ReadShard {
  const { track, environment, target, state } = decision;
  const ids = (of: readonly { readonly id: string }[]): ReadonlySet<string> => new Set(of.map(({ id }) => id));
  const [moving, returning] = [ids(decision.moves), ids(decision.returns)];
  const [unseen, uncounted] = [new Set(decision.unseen), new Set(decision.uncounted)];
  const stops = new Map(decision.stopped.map(({ shard, stop }) => [shard, stop]));
  const failures = new Map(scope?.failures.filter(({ image }) => image === target).map((one) => [one.shard, one]));
  return (id, wave) => {
    const record = scope?.shards.get(id);
    const explanation = explained.get(shardKey(decision, id));
    const image = record?.image;
    const facts: ShardSituation = {
      ...defined({ failure: failures.get(id), closed: explanation?.rows.find(({ ok }) => !ok)?.reason }),
      ...defined({ stop: stops.get(id) }),
      ...{ isUnseen: unseen.has(id), isReturning: returning.has(id), isMoving: moving.has(id) },
      ...{ isUncounted: uncounted.has(id), isOnTarget: image === target, isComplete: state === 'complete' },
    };
    return {
      ...{ id, environment, track, ...situation(facts, record, wave) },
      ...defined({
        wave: wave?.name,
        version: image === undefined ? undefined : versionText(image),
        gates: explanation?.rows,
        opening: explanation?.opening,
        shadow: explanation?.shadow,
        shadowOf: explanation?.shadowOf,
      }),
    };
  };
}

interface ShardSituation {
  readonly failure?: Failure;
  /** The reason of the first closed gate. */
  readonly closed?: string;
  /** Of a shard that counts, while its track has not completed. */
  readonly stop?: Stop;
  readonly isUnseen: boolean;
  readonly isReturning: boolean;
  readonly isMoving: boolean;
  readonly isUncounted: boolean;
  readonly isOnTarget: boolean;
  readonly isComplete: boolean;
}

function situation(
  facts: ShardSituation,
  record: ShardRecord | undefined,
  wave: WaveReport | undefined,
): Pick<BoardShard, 'state' | 'reason'> {
  const { failure, closed } = facts;
  if (facts.isReturning) return { state: 'returning', reason: `goes back: ${failure?.reason ?? 'the image failed'}` };
  if (failure !== undefined) return { state: 'failed', reason: failure.reason };
  if (facts.isUnseen) return { state: 'unknown', reason: 'its cluster or its pods cannot be observed' };
  if (facts.isUncounted) return { state: 'uncounted', reason: closed ?? 'it is pinned or disabled' };
  if (facts.isMoving) return { state: 'moving', reason: 'every gate is open: the next pass of the manager moves it' };
  if (!facts.isOnTarget) return { state: 'held', reason: closed ?? 'it has no workload yet' };
  if (facts.isComplete) return { state: 'soaked', reason: SOAKED };
  return soaking(record?.soak?.micros ?? 0, wave?.soak ?? 0, facts.stop);
}

const SOAKED = 'it runs the target and has soaked it';

function soaking(soaked: number, wanted: number, stop: Stop | undefined): Pick<BoardShard, 'state' | 'reason'> {
  if (stop !== undefined) return { state: 'soaking', reason: `it does not soak: it is stopped (${stop})` };
  if (soaked >= wanted) return { state: 'soaked', reason: SOAKED };
  return { state: 'soaking', reason: `healthy on the target for ${durationText(soaked)} of ${durationText(wanted)}` };
}
