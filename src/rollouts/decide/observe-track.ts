import { continued, type Instant, type Turn } from '../../gates/index.ts';
import type { ScopeFacts } from '../facts.ts';
import type { Failure, ScopeRecord, ShardRecord } from '../record/record.ts';
import { placesOf, type RolloutPass, type SeenShards, seenShards } from './seen-shards.ts';
import type { Sighting } from './sighting.ts';
import { isResumedSince, type TrackRules } from './track-rules.ts';
import { haltingFailures, targetOf } from './track-target.ts';

/** A track as one pass sees it. */
export interface ObservedTrack extends SeenShards {
  readonly target: string;
  readonly failures: readonly Failure[];
  /** By image. */
  readonly halting: ReadonlyMap<string, Failure>;
}

/** Sees every shard, notes what failed, and finds the target: a failure may end the one under way. */
export function observeTrack(
  rules: TrackRules,
  facts: ScopeFacts,
  record: ScopeRecord,
  pass: RolloutPass,
): ObservedTrack {
  const before = record.tracks.get(rules.track.name);
  const placed = placesOf(rules, facts.shards, before?.isComplete === true);
  const hasShard = (id: string): boolean => placed.has(id);
  const halting = (failures: readonly Failure[]) => haltingFailures(rules, failures, hasShard, pass.now);
  const see = (target: string) => {
    const isComplete = before?.isComplete === true && before.target === target;
    return seenShards(rules, placed, record, { target, isComplete, pass });
  };
  const known = unlifted(rules, record.failures, hasShard, pass.now);
  const found = { halting: halting(known), now: pass.now };
  const first = targetOf(rules, facts.target, before, found);
  const seen = see(first);
  const failures = withNew(known, seen.others, rules.track.name, pass.now);
  const now = { halting: halting(failures), now: pass.now };
  const target = targetOf(rules, facts.target, before, now);
  return { target, ...(target === first ? seen : see(target)), failures, halting: now.halting };
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
  sightings: readonly Sighting[],
  track: string,
  at: Instant,
): readonly Failure[] {
  const keys = new Set(known.map(({ shard, image }) => JSON.stringify([shard, image])));
  const added: Failure[] = [];
  for (const { facts, failure } of sightings) {
    if (failure === undefined || keys.has(JSON.stringify([facts.id, failure.image]))) continue;
    added.push({ shard: facts.id, ...failure, at, track });
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
