import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { ScopeFacts, ShardFacts } from '../facts.ts';
import type { RolloutEvent } from '../record/history.ts';
import type { Failure, MoveRecord, ScopeRecord, ShardRecord, TrackRecord } from '../record/record.ts';
import { alertsOf } from './alerts.ts';
import { chooseMoves } from './choose-moves.ts';
import type { Hold, Move, Return, StoppedShard, TrackDecision, TrackState } from './decision.ts';
import { observeTrack } from './observe-track.ts';
import { returnsOf } from './returns.ts';
import type { RolloutGates, TrackContext } from './rollout-gate.ts';
import { ROLLOUT_GATES } from './rollout-gates.ts';
import type { PlacedSighting, RolloutPass, SeenShards } from './seen-shards.ts';
import { wantedShadows } from './shadows.ts';
import { answerOf, isUp, runningIn } from './sighting.ts';
import { trackContext } from './track-context.ts';
import { trackEvents } from './track-events.ts';
import { inForce, rejectionOf, type TrackRules } from './track-rules.ts';
import { waveReport } from './wave-view.ts';

/**
 * Decides about the shards of one track in one environment and upstream. Pure: the same facts, record and time give the same
 * decision. `facts.shards` are those of the track, with the ones that only the record knows as unseen.
 */
export function decideTrack(
  rules: TrackRules,
  facts: ScopeFacts,
  record: ScopeRecord,
  pass: RolloutPass,
  gates: RolloutGates = ROLLOUT_GATES,
): TrackDecision {
  const { shards, progress, failures, events, ...decision } = decideMembers(rules, facts, record, pass, gates);
  return {
    ...decision,
    record: {
      ...record,
      shards: new Map([...record.shards, ...shards]),
      tracks: new Map([...record.tracks, [rules.track.name, progress]]),
      failures,
      history: [...record.history, ...events],
    },
  };
}

/** The decision, and only what it changes in the record. */
export interface MembersDecision extends Omit<TrackDecision, 'record'> {
  readonly shards: ReadonlyMap<string, ShardRecord>;
  readonly progress: TrackRecord;
  readonly failures: readonly Failure[];
  readonly events: readonly RolloutEvent[];
}

export function decideMembers(
  rules: TrackRules,
  facts: ScopeFacts,
  record: ScopeRecord,
  pass: RolloutPass,
  gates: RolloutGates,
): MembersDecision {
  const { now } = pass;
  const before = record.tracks.get(rules.track.name);
  const observed = observeTrack(rules, facts, record, pass);
  const { sightings, others, target } = observed;
  const context = trackContext(rules, facts, observed, now);
  const progress = progressOf(before, target, context, now);
  const chosen = chooseMoves(others, context, progress, gates);
  const returns = returnsOf(others, context);
  const writes = new Map<string, Move | Return>([...chosen.moves, ...returns].map((write) => [write.id, write]));
  const { events, noted } = trackEvents(record, observed, context, progress);
  const holds = holdsOf(others, facts.target, writes);
  return {
    track: rules.track.name,
    environment: facts.environment,
    upstream: facts.upstream,
    target,
    state: stateOf(progress, context),
    moves: chosen.moves.filter(({ id }) => !returns.some((back) => back.id === id)),
    returns,
    holds,
    waves: context.waves.map((view, at) =>
      waveReport({ ...view, isPassed: view.isPassed || progress.isComplete }, at <= context.firstUnpassed),
    ),
    verdicts: chosen.verdicts,
    shadows: wantedShadows(chosen.verdicts, sightings, context),
    alerts: alertsOf(others, context, progress),
    queries: progress.isComplete ? [] : context.queryFindings,
    stopped: progress.isComplete ? [] : stoppedShards(others),
    unseen: idsOf(others, ({ seen }) => !seen),
    uncounted: idsOf(others, ({ pinned, disabled }) => pinned !== undefined || disabled),
    shards: recordsAfter(record.shards, observed, writes, { holds, progress, context }),
    progress: { ...progress, noted },
    failures: observed.failures,
    events,
  };
}

function idsOf(sightings: readonly PlacedSighting[], has: (facts: ShardFacts) => boolean): string[] {
  return sightings.filter(({ facts }) => has(facts)).map(({ facts }) => facts.id);
}

function stoppedShards(sightings: readonly PlacedSighting[]): StoppedShard[] {
  return sightings.flatMap(({ facts: { id: shard, live, pinned, disabled } }) => {
    const stop = live?.stopped;
    return stop === undefined || pinned !== undefined || disabled ? [] : [{ shard, stop }];
  });
}

/** Complete once all that count have soaked the target; it stays so until there is another target. */
function progressOf(
  before: TrackRecord | undefined,
  target: string,
  { waves }: TrackContext,
  now: Instant,
): TrackRecord {
  const isSame = before?.target === target;
  const counting = waves.reduce((sum, wave) => sum + wave.counting, 0);
  const soaked = waves.reduce((sum, wave) => sum + wave.soaked, 0);
  const isComplete = (isSame && before.isComplete) || (counting > 0 && soaked === counting);
  const stable = isComplete ? target : before?.stable;
  return { target, since: isSame ? before.since : now, isComplete, ...defined({ stable }) };
}

function stateOf(
  { isComplete, target }: TrackRecord,
  { failureOf, differing, overrules, now }: TrackContext,
): TrackState {
  if (isComplete) return 'complete';
  if (failureOf(target) !== undefined || differing !== undefined) return 'halted';
  if (rejectionOf(overrules, target, now) !== undefined) return 'rejected';
  return inForce(overrules, 'pause', target, now) === undefined ? 'under-way' : 'paused';
}

/** A pin is written whatever the track says, so that a pinned shard is not held. */
function holdsOf(sightings: readonly PlacedSighting[], declared: string, writes: ReadonlyMap<string, unknown>): Hold[] {
  const holds: Hold[] = [];
  for (const { facts } of sightings) {
    const { id, seen, pinned, live } = facts;
    if (!seen || pinned !== undefined || live?.image === declared || writes.has(id)) continue;
    holds.push({ id, target: declared, ...defined({ image: live?.image }) });
  }
  return holds;
}

interface After {
  readonly holds: readonly Hold[];
  readonly progress: TrackRecord;
  readonly context: TrackContext;
}

/** The records after this pass, with what it announces; the same ones where it changes nothing. */
function recordsAfter(
  before: ReadonlyMap<string, ShardRecord>,
  { sightings, others }: SeenShards,
  writes: ReadonlyMap<string, Move | Return>,
  { holds, progress, context }: After,
): ReadonlyMap<string, ShardRecord> {
  const held = new Map(holds.map(({ id, target }) => [id, { target, track: context.track.name }]));
  const after = others.map(({ facts, record }) => {
    const known = settled(record, progress);
    const write = writes.get(facts.id);
    const kept = facts.seen ? held.get(facts.id) : known.held;
    // Most shards of most passes: the record that is known already.
    if (write === undefined && kept === known.held) return [facts.id, known] as const;
    return [facts.id, changed(known, kept, write && announcement(write, facts, record.move, context))] as const;
  });
  if (before.size === sightings.size && after.every(([id, record]) => before.get(id) === record)) return before;
  const records = new Map<string, ShardRecord>();
  for (const [id, { record }] of sightings) records.set(id, record);
  for (const [id, record] of after) records.set(id, record);
  return records;
}

function changed(record: ShardRecord, held: ShardRecord['held'], announced: MoveRecord | undefined): ShardRecord {
  const { held: _, ...rest } = record;
  return { ...rest, ...defined({ move: announced ?? rest.move, held }) };
}

/** Of a completed target nothing is kept but that it is good; a shard that came later still soaks it. */
function settled(record: ShardRecord, { isComplete, target }: TrackRecord): ShardRecord {
  if (!isComplete || record.image !== target || (record.soak === undefined && record.move === undefined)) return record;
  const { soak, move, ...rest } = record;
  return {
    ...rest,
    ...(soak === undefined || record.good === target ? {} : { soak }),
    ...(move === undefined || move.image === target ? {} : { move }),
  };
}

/** A move that is announced again keeps its time; its deadline starts when the live object shows the image (A3). */
function announcement(
  write: Move | Return,
  facts: ShardFacts,
  before: MoveRecord | undefined,
  { now, track }: TrackContext,
): MoveRecord {
  const returnFrom = 'from' in write ? write.from : undefined;
  const runs = runningIn(facts, facts.declaredStop);
  if (before?.image === write.image && before.returnFrom === returnFrom && !before.seen) {
    const { missed: _, runs: __, ...again } = before;
    return { ...again, ...defined({ runs }) };
  }
  return {
    image: write.image,
    ...defined({ returnFrom }),
    at: now,
    seen: false,
    ...(before === undefined || before.seen ? {} : { instead: before.image }),
    wasHealthy: facts.live === undefined || (isUp(facts) && answerOf(facts.live, track.health) !== 'wrong'),
    ...defined({ runs }),
    ...(facts.altersTemplate === true ? { altersTemplate: true as const } : {}),
    ...{ steady: false, restarts: 0, lastRestarts: 0, wrong: 0 },
  };
}
