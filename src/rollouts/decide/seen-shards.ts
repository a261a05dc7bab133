import type { Instant, Turn } from '../../gates/index.ts';
import type { ShardFacts } from '../facts.ts';
import { wavesOf } from '../file/waves.ts';
import type { ScopeRecord, ShardRecord } from '../record/record.ts';
import { type Sighting, sighted } from './sighting.ts';
import { isResumedSince, type TrackRules } from './track-rules.ts';

/** One pass: its time, and what it credits. */
export interface RolloutPass {
  readonly now: Instant;
  readonly turn: Turn;
}

export interface PlacedSighting extends Sighting {
  readonly wave?: number;
}

interface Placed {
  readonly facts: ShardFacts;
  readonly wave?: number;
}

export function placedShards({ track }: TrackRules, shards: readonly ShardFacts[]): Map<string, Placed> {
  const placed = new Map<string, Placed>();
  for (const [wave, members] of wavesOf(track, shards).entries())
    for (const facts of members) placed.set(facts.id, { facts, wave });
  for (const facts of shards) if (!placed.has(facts.id)) placed.set(facts.id, { facts });
  return placed;
}

export function seen(
  { track, overrules }: TrackRules,
  placed: ReadonlyMap<string, Placed>,
  record: ScopeRecord,
  { target, isComplete, pass }: { readonly target: string; readonly isComplete: boolean; readonly pass: RolloutPass },
): Map<string, PlacedSighting> {
  const lifted = new Set(
    record.failures
      .filter(({ image, at }) => isResumedSince(overrules, image, at, pass.now))
      .map(({ shard, image }) => JSON.stringify([shard, image])),
  );
  const sightings = new Map<string, PlacedSighting>();
  for (const [id, { facts, wave }] of placed) {
    const soak = (wave === undefined ? undefined : track.waves[wave]?.soak) ?? 0;
    const known = record.shards.get(id);
    const isLifted = lifted.size > 0 && lifted.has(JSON.stringify([id, known?.move?.image]));
    const before = isLifted ? forgiven(known, pass.now) : known;
    const sighting = sighted(facts, before, { health: track.health, soak, target, isComplete }, pass.turn);
    sightings.set(id, wave === undefined ? sighting : { ...sighting, wave });
  }
  return sightings;
}

/** What counted towards a failure that was lifted does not count towards the next. */
function forgiven(shard: ShardRecord | undefined, now: Instant): ShardRecord | undefined {
  if (shard?.move === undefined) return shard;
  const { unready: _, ...move } = shard.move;
  return { ...shard, move: { ...move, at: now, restarts: 0, wrong: 0 } };
}
