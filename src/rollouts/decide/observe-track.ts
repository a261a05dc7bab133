import { continued, type Instant, type Turn } from '../../gates/index.ts';
import type { ScopeFacts, ShardFacts } from '../facts.ts';
import { wavesOf } from '../file/waves.ts';
import type { Failure, ScopeRecord, ShardRecord } from '../record/record.ts';
import { type Sighting, sighted } from './sighting.ts';
import { isResumedSince, type TrackRules } from './track-rules.ts';
import { haltingFailures, targetOf } from './track-target.ts';

/** One pass: its time, and what it credits. */
export interface RolloutPass {
  readonly now: Instant;
  readonly turn: Turn;
}

/** A track as one pass sees it. */
export interface ObservedTrack {
  readonly target: string;
  /** By id, wave by wave, in the order in which they move; those of no wave last. */
  readonly sightings: ReadonlyMap<string, PlacedSighting>;
  readonly failures: readonly Failure[];
  /** By image. */
  readonly halting: ReadonlyMap<string, Failure>;
}

export interface PlacedSighting extends Sighting {
  readonly wave?: number;
}

/** Sees every shard, notes what failed, and finds the target: a failure may end the one under way. */
export function observeTrack(
  rules: TrackRules,
  facts: ScopeFacts,
  record: ScopeRecord,
  pass: RolloutPass,
): ObservedTrack {
  const before = record.tracks.get(rules.track.name);
  const placed = placedShards(rules, facts.shards);
  const hasShard = (id: string): boolean => placed.has(id);
  const halting = (failures: readonly Failure[]) => haltingFailures(rules, failures, hasShard, pass.now);
  const see = (target: string) => {
    const isComplete = before?.isComplete === true && before.target === target;
    return seen(rules, placed, record, { target, isComplete, pass });
  };
  const known = unlifted(rules, record.failures, hasShard, pass.now);
  const found = { halting: halting(known), now: pass.now };
  const first = targetOf(rules, facts.target, before, found);
  const sightings = see(first);
  const failures = withNew(known, sightings, rules.track.name, pass.now);
  const now = { halting: halting(failures), now: pass.now };
  const target = targetOf(rules, facts.target, before, now);
  return { target, sightings: target === first ? sightings : see(target), failures, halting: now.halting };
}

interface Placed {
  readonly facts: ShardFacts;
  readonly wave?: number;
}

function placedShards({ track }: TrackRules, shards: readonly ShardFacts[]): Map<string, Placed> {
  const placed = new Map<string, Placed>();
  for (const [wave, members] of wavesOf(track, shards).entries())
    for (const facts of members) placed.set(facts.id, { facts, wave });
  for (const facts of shards) if (!placed.has(facts.id)) placed.set(facts.id, { facts });
  return placed;
}

function seen(
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

/** Failures that a later `resume` of the track did not lift, and those of other tracks. */
function unlifted(
  { track, overrules }: TrackRules,
  failures: readonly Failure[],
  hasShard: (id: string) => boolean,
  now: Instant,
): readonly Failure[] {
  return failures.filter(
    ({ image, at, shard, track: name }) =>
      !((name === track.name || hasShard(shard)) && isResumedSince(overrules, image, at, now)),
  );
}

function withNew(
  known: readonly Failure[],
  sightings: ReadonlyMap<string, Sighting>,
  track: string,
  at: Instant,
): readonly Failure[] {
  const keys = new Set(known.map(({ shard, image }) => JSON.stringify([shard, image])));
  const added: Failure[] = [];
  for (const [shard, { failure }] of sightings) {
    if (failure === undefined || keys.has(JSON.stringify([shard, failure.image]))) continue;
    added.push({ shard, ...failure, at, track });
  }
  return added.length === 0 ? known : [...known, ...added];
}

/** A scope that a pass did not observe: nothing of it was seen. */
export function unsightedScope(scope: ScopeRecord, turn: Turn): ScopeRecord {
  return { ...scope, shards: new Map([...scope.shards].map(([id, shard]) => [id, unsighted(shard, turn)])) };
}

function unsighted(shard: ShardRecord, turn: Turn): ShardRecord {
  const { soak, move, ...rest } = shard;
  const still = continued(soak, 'unknown', turn);
  return {
    ...rest,
    ...(still === undefined ? {} : { soak: still }),
    ...(move === undefined ? {} : { move: unsightedMove(move, turn) }),
  };
}

function unsightedMove({ unready, healthy, ...rest }: NonNullable<ShardRecord['move']>, turn: Turn) {
  const [not, well] = [continued(unready, 'unknown', turn), continued(healthy, 'unknown', turn)];
  return { ...rest, ...(not === undefined ? {} : { unready: not }), ...(well === undefined ? {} : { healthy: well }) };
}
