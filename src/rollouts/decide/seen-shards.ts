import type { Instant, Turn } from '../../gates/index.ts';
import type { ShardFacts } from '../facts.ts';
import type { Track } from '../file/rollout-file.ts';
import { wavesOf } from '../file/waves.ts';
import type { ScopeRecord, ShardRecord } from '../record/record.ts';
import { isSettled, isUp, type Sighting, sighted } from './sighting.ts';
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

/** Where the shards of a list are in a completed track; a list of facts is the same one while they are. */
const PLACES = new WeakMap<readonly ShardFacts[], { readonly track: Track; readonly placed: Places }>();

export type Places = ReadonlyMap<string, Placed>;

/** The wave of each shard, wave by wave; those of no wave last. Kept while a completed track and its shards are the same. */
export function placesOf({ track }: TrackRules, shards: readonly ShardFacts[], isComplete: boolean): Places {
  const known = PLACES.get(shards);
  if (known?.track === track) return known.placed;
  const placed = placedShards(track, shards);
  if (isComplete) PLACES.set(shards, { track, placed });
  return placed;
}

function placedShards(track: Track, shards: readonly ShardFacts[]): Map<string, Placed> {
  const placed = new Map<string, Placed>();
  for (const [wave, members] of wavesOf(track, shards).entries())
    for (const facts of members) placed.set(facts.id, { facts, wave });
  for (const facts of shards) if (!placed.has(facts.id)) placed.set(facts.id, { facts });
  return placed;
}

/** The shards of a track as one pass sees them. */
export interface SeenShards {
  /** By id, wave by wave, in the order in which they move; those of no wave last. */
  readonly sightings: ReadonlyMap<string, PlacedSighting>;
  /** Those that something may have to be decided about, in the same order: all but those at rest. */
  readonly others: readonly PlacedSighting[];
}

interface Seeing {
  readonly target: string;
  readonly isComplete: boolean;
  readonly pass: RolloutPass;
}

interface KeptShards extends Pick<ScopeRecord, 'shards'>, Pick<Seeing, 'target'> {
  readonly seen: SeenShards;
}

/** What was seen of shards on which time has no influence, by their places. */
const TIMELESS = new WeakMap<Places, KeptShards>();

/** Sees every shard; in a completed track only where facts or records have changed, or time may change something. */
export function seenShards(rules: TrackRules, placed: Places, record: ScopeRecord, seeing: Seeing): SeenShards {
  const { target, isComplete } = seeing;
  const known = isComplete ? TIMELESS.get(placed) : undefined;
  if (known?.shards === record.shards && known.target === target) return known.seen;
  const sightings = sightingsOf(rules, placed, record, seeing);
  const all = [...sightings.values()];
  if (!isComplete) return { sightings, others: all };
  const seen = { sightings, others: all.filter((one) => !isAtRest(one, record.shards.get(one.facts.id), target)) };
  if (seen.others.every((one) => isTimeless(one, record.shards.get(one.facts.id), target)))
    TIMELESS.set(placed, { shards: record.shards, target, seen });
  return seen;
}

/** A shard that counts, has soaked the completed target, runs it and is up: there is nothing to move, to hold or to report. */
function isAtRest({ facts, record }: Sighting, before: ShardRecord | undefined, target: string): boolean {
  if (facts.pinned !== undefined || facts.disabled || before?.held !== undefined || !isUp(facts)) return false;
  return record === before && isSettled(facts, before, target);
}

/** A shard that will be seen the same until facts or record change, such as a pinned one: nothing of it is measured. */
function isTimeless({ facts, record }: Sighting, before: ShardRecord | undefined, target: string): boolean {
  if (record !== before || record.soak !== undefined || record.move !== undefined || !facts.seen) return false;
  return facts.live?.image !== target || isSettled(facts, record, target);
}

function sightingsOf(
  { track, overrules }: TrackRules,
  placed: Places,
  record: ScopeRecord,
  { target, isComplete, pass }: Seeing,
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

/** What counted towards a failure that was lifted does not count towards the next; nor that it is still stopped. */
function forgiven(shard: ShardRecord | undefined, now: Instant): ShardRecord | undefined {
  if (shard?.move === undefined) return shard;
  const { unready: _, runs: __, ...move } = shard.move;
  return { ...shard, move: { ...move, at: now, restarts: 0, wrong: 0 } };
}
