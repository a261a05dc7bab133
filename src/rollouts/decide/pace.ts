import { type Instant, later, MICROS } from '../../gates/index.ts';
import { type RolloutRecord, scopeKey } from '../record/record.ts';
import type { ScopeTrack } from './decide-rollouts.ts';

/** Whether a track that has not completed gets on. */
interface TrackPace {
  /** When a shard last moved to the target, or when it became the target. */
  readonly lastProgress: Instant;
  /** When it should have moved on; absent while it waits for a human. */
  readonly dueAt?: Instant;
}

/** However short a soak is, one that begins again, or a CronJob that runs once a day, is no reason to worry. */
const LEAST = MICROS.day;
const GRACE = MICROS.hour;
/** Gates that somebody closed for a time. */
const CLOSED_FOR_A_TIME: ReadonlySet<string> = new Set(['paused', 'freeze', 'window']);

/** The pace of a track, by the record after the pass; undefined once it completed. Pure, so that a restart changes nothing. */
export function paceOf(decision: ScopeTrack, record: RolloutRecord): TrackPace | undefined {
  const { track, target, state, waves, verdicts } = decision;
  const scope = record.scopes.get(scopeKey(decision));
  const since = scope?.tracks.get(track)?.since;
  if (state === 'complete' || scope === undefined || since === undefined) return undefined;
  const moves = waves.flatMap(({ shards }) => shards.flatMap((id) => scope.shards.get(id)?.move ?? []));
  const lastProgress = moves.reduce((last, { image, at }) => (image === target && at > last ? at : last), since);
  if (state !== 'under-way') return { lastProgress };
  const soak = waves.find((wave) => wave.state !== 'passed')?.soak ?? 0;
  const openings = verdicts.flatMap((shard) =>
    shard.verdicts.flatMap(({ ok, gate, until }) => (!ok && CLOSED_FOR_A_TIME.has(gate) ? (until ?? []) : [])),
  );
  const due = later(lastProgress, Math.max(LEAST, soak + GRACE));
  return { lastProgress, dueAt: openings.reduce((last, at) => (at > last ? at : last), due) };
}
