import { defined } from '../../base/index.ts';
import { type Instant, turnAt, wait } from '../../gates/index.ts';
import type { ScopeFacts, ShardFacts } from '../facts.ts';
import type { RolloutFile, Track } from '../file/rollout-file.ts';
import { boundedHistory } from '../record/history.ts';
import { emptyScope, type RolloutRecord, type ScopeRecord, type ShardRecord, scopeKey } from '../record/record.ts';
import { decideMembers, type MembersDecision } from './decide-track.ts';
import type { Hold, ShardVerdicts } from './decision.ts';
import { unsightedScope } from './observe-track.ts';
import { ROLLOUT_GATES } from './rollout-gates.ts';
import type { RolloutPass } from './seen-shards.ts';
import { rulesOf, trackFinder } from './track-rules.ts';

export type ScopeTrack = Omit<MembersDecision, 'shards' | 'progress' | 'failures' | 'events'>;

/** Without a hold when this pass could not see it. */
export interface Orphan extends ShardVerdicts {
  readonly environment: string;
  readonly upstream: string;
  readonly hold?: Hold;
}

/** What one pass decides about everything that a manager operates. */
export interface RolloutsDecision {
  readonly tracks: readonly ScopeTrack[];
  /** Shards that left their track while they were held (F3). */
  readonly orphans: readonly Orphan[];
  readonly record: RolloutRecord;
}

/** `period` is that of the loop, in microseconds: a longer gap between two passes counts as two of them (D4). */
export interface RolloutOptions {
  readonly now: Instant;
  readonly period: number;
}

/** Decides every track of the file in every scope. */
export function decideRollouts(
  file: RolloutFile,
  scopes: readonly ScopeFacts[],
  record: RolloutRecord,
  { now, period }: RolloutOptions,
): RolloutsDecision {
  const turn = turnAt(record, now, 2 * period);
  const pass: RolloutPass = { now, turn };
  const decided = scopes.map((facts) => {
    const before = record.scopes.get(scopeKey(facts)) ?? emptyScope(facts);
    return decideScope(file, facts, before, pass);
  });
  const seen = new Set(scopes.map(scopeKey));
  const unseen = [...record.scopes].filter(([key]) => !seen.has(key));
  const after = new Map([
    ...unseen.map(([key, scope]) => [key, unsightedScope(scope, turn)] as const),
    ...decided.map(({ scope }) => [scopeKey(scope), scope] as const),
  ]);
  return {
    tracks: decided.flatMap(({ tracks }) => tracks),
    orphans: decided.flatMap(({ orphans }) => orphans),
    record: {
      checkIn: turn.checkIn,
      ...defined({ behind: turn.behind }),
      scopes: decided.some(({ hasEvents }) => hasEvents) ? boundedHistory(after) : after,
    },
  };
}

interface DecidedScope extends Pick<RolloutsDecision, 'tracks' | 'orphans'> {
  readonly scope: ScopeRecord;
  readonly hasEvents: boolean;
}

function decideScope(file: RolloutFile, facts: ScopeFacts, before: ScopeRecord, pass: RolloutPass): DecidedScope {
  const members = membersOf(file, facts, before);
  let { failures } = before;
  const decided = file.tracks.flatMap((track) => {
    const shards = members.get(track);
    if (shards === undefined) return [];
    const rules = rulesOf(file, track, facts.environment);
    const decision = decideMembers(rules, { ...facts, shards }, { ...before, failures }, pass, ROLLOUT_GATES);
    failures = decision.failures;
    return [decision];
  });
  const orphans = (members.get(undefined) ?? []).flatMap((shard) =>
    orphanOf(shard, facts, before.shards.get(shard.id)),
  );
  const events = decided.flatMap((decision) => decision.events);
  const history = events.length === 0 ? before.history : [...before.history, ...events];
  return {
    tracks: decided.map(({ shards: _, progress: __, failures: ___, events: ____, ...decision }) => decision),
    orphans: orphans.map(({ orphan }) => orphan),
    hasEvents: events.length > 0,
    scope: {
      ...{ environment: facts.environment, upstream: facts.upstream, failures, history },
      shards: joined(
        [...decided.map(({ shards }) => shards), new Map(orphans.map(({ entry }) => entry))],
        before.shards,
      ),
      tracks: new Map([
        ...[...before.tracks].filter(([name]) => isNamed(file.tracks, name)),
        ...decided.map(({ track, progress }) => [track, progress] as const),
      ]),
    },
  };
}

type Shards = ScopeRecord['shards'];

/** All records of a scope: the same ones as before where nothing changed. */
function joined(parts: readonly Shards[], before: Shards): Shards {
  const [only = new Map<string, ShardRecord>(), ...others] = parts.filter(({ size }) => size > 0);
  const all = others.length === 0 ? only : new Map([only, ...others].flatMap((part) => [...part]));
  return isSame(before, all) ? before : all;
}

function isSame(before: Shards, now: Shards): boolean {
  if (before === now) return true;
  if (before.size !== now.size) return false;
  for (const [id, shard] of now) if (before.get(id) !== shard) return false;
  return true;
}

type Members = ReadonlyMap<Track | undefined, readonly ShardFacts[]>;

/** Of complete facts, which are the same ones while nothing changes. */
const MEMBERS = new WeakMap<ScopeFacts, { readonly file: RolloutFile; readonly members: Members }>();

/** The shards of each track; those of no track under undefined. */
export function membersOf(file: RolloutFile, facts: ScopeFacts, before: ScopeRecord): Members {
  const known = MEMBERS.get(facts);
  if (known?.file === file) return known.members;
  const members = Map.groupBy(withUnseen(facts, before), trackFinder(file.tracks, facts.environment));
  if (facts.isComplete) MEMBERS.set(facts, { file, members });
  return members;
}

function isNamed(tracks: readonly Track[], name: string): boolean {
  return tracks.some((track) => track.name === name);
}

/** Shards that the record knows and an incomplete list does not have were not seen; a complete list removed them (D3). */
function withUnseen(facts: ScopeFacts, { shards }: ScopeRecord): readonly ShardFacts[] {
  if (facts.isComplete) return facts.shards;
  const declared = new Set(facts.shards.map(({ id }) => id));
  const missing = [...shards].filter(([id]) => !declared.has(id));
  return [...facts.shards, ...missing.map(([id, shard]) => unseenFacts(id, shard))];
}

function unseenFacts(id: string, { integration, shard, parent }: ShardRecord): ShardFacts {
  return {
    ...{ id, integration, shard, ...defined({ parent }), cluster: '', namespace: '' },
    ...{ workload: 'Deployment', disabled: false, seen: false },
  };
}

/** It keeps its image until the declared one changes; a shard that was not held does as if there were no tracks (F3). */
function orphanOf(shard: ShardFacts, facts: ScopeFacts, before: ShardRecord | undefined) {
  const { id, live, seen } = shard;
  const held = before?.held;
  if (before === undefined || held === undefined || isReleased(shard, facts, held.target)) return [];
  const reason = `it left the track ${held.track} while it was held; it keeps its image until another one is declared`;
  const { environment, upstream, target } = facts;
  const hold = { id, target, ...defined({ image: live?.image }) };
  const { soak: _, move: __, image: last, ...rest } = before;
  const image = seen ? live?.image : last;
  return [
    {
      entry: [id, { ...rest, ...defined({ image }) }] as const,
      orphan: { environment, upstream, ...(seen ? { hold } : {}), id, image: target, verdicts: [wait('wave', reason)] },
    },
  ];
}

function isReleased({ pinned, seen, live }: ShardFacts, { target }: ScopeFacts, from: string): boolean {
  return from !== target || pinned !== undefined || (seen && live?.image === target);
}
