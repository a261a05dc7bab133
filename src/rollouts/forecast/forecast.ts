import { firstClosed, type Instant, later, MICROS, type Turn, turnAt, type Verdict } from '../../gates/index.ts';
import type { RolloutOptions } from '../decide/decide-rollouts.ts';
import { membersOf } from '../decide/decide-rollouts.ts';
import { decideMembers, type MembersDecision } from '../decide/decide-track.ts';
import { ROLLOUT_GATES } from '../decide/rollout-gates.ts';
import { rulesOf, type TrackRules } from '../decide/track-rules.ts';
import type { ScopeFacts } from '../facts.ts';
import type { RolloutFile } from '../file/rollout-file.ts';
import { emptyScope, type RolloutRecord, type ScopeRecord, scopeKey } from '../record/record.ts';
import { idealShards } from './ideal-world.ts';
import { nextEvent } from './next-event.ts';

/** When a wave begins to move and when it has soaked, at the earliest. */
export interface WaveForecast {
  readonly name: string;
  /** The first pass in which a shard of it moves; absent when none does any more. */
  readonly startsAt?: Instant;
  /** The first pass that finds it passed. */
  readonly passedAt?: Instant;
}

export interface TrackForecast {
  readonly track: string;
  readonly environment: string;
  readonly upstream: string;
  readonly target: string;
  readonly waves: readonly WaveForecast[];
  readonly completesAt?: Instant;
  /** What keeps it from completing by itself: the first closed gate of a shard. */
  readonly blocked?: { readonly id: string; readonly verdict: Verdict };
}

/** How far ahead a forecast goes. */
const HORIZON = 120 * MICROS.day;
/** Passes with an event; a track of 5,000 shards that move one by one has as many. */
const MOST_PASSES = 20_000;

/**
 * The decision run forward on a virtual clock: passes come every period from `now` on, what is written arrives before the next
 * one, and everything stays healthy. Passes in which nothing can change are left out.
 */
export function forecastRollouts(
  file: RolloutFile,
  scopes: readonly ScopeFacts[],
  record: RolloutRecord,
  options: RolloutOptions,
): TrackForecast[] {
  return scopes.flatMap((facts) => {
    const before = record.scopes.get(scopeKey(facts)) ?? emptyScope(facts);
    return [...membersOf(file, facts, before)].flatMap(([track, shards]) => {
      if (track === undefined) return [];
      const rules = rulesOf(file, track, facts.environment);
      return [forecastTrack(rules, { ...facts, shards }, { ...record, scope: before }, options)];
    });
  });
}

type Known = Omit<RolloutRecord, 'scopes'> & { readonly scope: ScopeRecord };

function forecastTrack(rules: TrackRules, first: ScopeFacts, record: Known, options: RolloutOptions): TrackForecast {
  const { period } = options;
  const end = later(options.now, HORIZON);
  const watch = new Watch(rules);
  let { now } = options;
  let turn = turnAt(record, now, 2 * period);
  let { scope } = record;
  let facts = first;
  for (let passes = 0; passes < MOST_PASSES; passes += 1) {
    const decision = decideMembers(rules, facts, scope, { now, turn }, ROLLOUT_GATES);
    scope = recordAfter(scope, rules.track.name, decision);
    watch.note(decision, now);
    if (decision.progress.isComplete) break;
    // What was just written, or seen for the first time, is seen by the very next pass.
    const acted = decision.moves.length + decision.returns.length + decision.shadows.length;
    const wrote = acted > 0 || passes < 2 || turn.isLate;
    const event = wrote ? later(now, period) : nextEvent(rules, facts, decision, now);
    if (event === undefined || event > end) break;
    const next = later(now, Math.ceil((event - now) / period) * period);
    facts = { ...withoutFault(facts), shards: idealShards(facts, decision, scope, { track: rules.track, now, next }) };
    turn = turnTo(turn, now, next, 2 * period);
    now = next;
  }
  return watch.forecast(first);
}

/** All passes that are left out were healthy, so that their time counts as a whole. */
function turnTo(turn: Turn, now: Instant, next: Instant, most: number): Turn {
  return turn.isLate ? turnAt(turn, next, most) : { checkIn: next, interval: next - now, isLate: false };
}

function withoutFault({ queriesFault: _, ...facts }: ScopeFacts): ScopeFacts {
  return facts;
}

function recordAfter(scope: ScopeRecord, track: string, { shards, progress, failures }: MembersDecision): ScopeRecord {
  return {
    ...scope,
    shards: new Map([...scope.shards, ...shards]),
    tracks: new Map([...scope.tracks, [track, progress]]),
    failures,
  };
}

/** Notes when waves begin and pass. */
class Watch {
  readonly #rules: TrackRules;
  readonly #starts = new Map<string, Instant>();
  readonly #passed = new Map<string, Instant>();
  #last: MembersDecision | undefined;
  #completesAt: Instant | undefined;

  constructor(rules: TrackRules) {
    this.#rules = rules;
  }

  note(decision: MembersDecision, now: Instant): void {
    const moving = new Set(decision.moves.map(({ id }) => id));
    for (const { name, shards, state } of decision.waves) {
      if (!this.#starts.has(name) && shards.some((id) => moving.has(id))) this.#starts.set(name, now);
      if (state === 'passed' && !this.#passed.has(name)) this.#passed.set(name, now);
    }
    if (decision.progress.isComplete) this.#completesAt ??= now;
    this.#last = decision;
  }

  forecast({ environment, upstream, target }: ScopeFacts): TrackForecast {
    const { name: track, waves } = this.#rules.track;
    return {
      ...{ track, environment, upstream, target: this.#last?.target ?? target },
      waves: waves.map(({ name }) => waveForecast(name, this.#starts.get(name), this.#passed.get(name))),
      ...(this.#completesAt === undefined ? this.#blocked() : { completesAt: this.#completesAt }),
    };
  }

  /** Shards that are pinned or disabled do not count (D1): another one keeps the track, if there is one. */
  #blocked(): Pick<TrackForecast, 'blocked'> {
    const closed = (this.#last?.verdicts ?? []).flatMap(({ id, verdicts }) => {
      const verdict = firstClosed(verdicts);
      return verdict === undefined ? [] : [{ id, verdict }];
    });
    const blocked = closed.find(({ verdict }) => verdict.gate !== 'pinned') ?? closed[0];
    return blocked === undefined ? {} : { blocked };
  }
}

function waveForecast(name: string, startsAt: Instant | undefined, passedAt: Instant | undefined): WaveForecast {
  return {
    name,
    ...(startsAt === undefined ? {} : { startsAt }),
    ...(passedAt === undefined ? {} : { passedAt }),
  };
}
