import { count, defined } from '../../base/index.ts';
import { continued, MICROS, type Streak, type StreakSighting, type Turn } from '../../gates/index.ts';
import type { JobFacts, LiveShard, QueryAnswer, ShardFacts } from '../facts.ts';
import { durationText } from '../file/duration.ts';
import type { HealthRules } from '../file/rollout-file.ts';
import type { MoveRecord, ShardRecord } from '../record/record.ts';
import { findingsOf, findingText } from './query-findings.ts';
import { shadowAfter } from './shadows.ts';

/** How long a shard must be healthy before another one takes its place (D11). */
export const STEADY_AFTER = 5 * MICROS.minute;
/** A query that is wrong once may be a sample of the time before. */
const MOST_WRONG = 2;

/** A shard as this pass finds it: its record brought up to date, and what it fails. */
export interface Sighting {
  readonly facts: ShardFacts;
  readonly record: ShardRecord;
  /** It runs the target and has soaked it for as long as its wave wants. */
  readonly hasSoaked: boolean;
  readonly failure?: { readonly image: string; readonly reason: string };
}

/** Not stopped, converged and ready; a CronJob whose last job, since its move if it has one, did not fail. */
export function isUp({ workload, live }: ShardFacts, since = 0): boolean {
  if (live === undefined || live.stopped !== undefined || !live.converged) return false;
  return workload === 'CronJob' ? lastJob(live, since)?.state !== 'failed' : live.ready;
}

/** The last job of the live image that ended. */
function lastJob(live: LiveShard | undefined, since: number): JobFacts | undefined {
  let last: JobFacts | undefined;
  for (const job of live?.jobs ?? []) {
    if (job.image !== live?.image || job.state === 'running' || job.startedAt < since) continue;
    if (last === undefined || job.startedAt > last.startedAt) last = job;
  }
  return last;
}

/** The answers together: one wrong is wrong, one unknown is unknown (F4). */
export function answerOf(live: LiveShard, { queries }: HealthRules): QueryAnswer {
  const answers = queries.map((name) => live.queries?.[name] ?? 'unknown');
  if (answers.includes('wrong')) return 'wrong';
  return answers.includes('unknown') ? 'unknown' : 'expected';
}

/** Whether it was seen healthy (D5). */
function healthOf(facts: ShardFacts, rules: HealthRules, move: MoveRecord | undefined): StreakSighting {
  if (!facts.seen) return 'unknown';
  if (facts.live === undefined || !isUp(facts, move?.at)) return 'no';
  if (move !== undefined && move.restarts > rules.maxRestarts) return 'no';
  const answer = answerOf(facts.live, rules);
  return answer === 'expected' ? 'yes' : answer === 'wrong' ? 'no' : 'unknown';
}

export interface SightingRules {
  readonly health: HealthRules;
  /** Of its wave. */
  readonly soak: number;
  readonly target: string;
  /** A shard that has soaked a completed target is not measured any more. */
  readonly isComplete: boolean;
}

/** Brings the record of a shard up to date with what this pass saw of it. */
export function sighted(
  facts: ShardFacts,
  before: ShardRecord | undefined,
  rules: SightingRules,
  turn: Turn,
): Sighting {
  return before !== undefined && rules.isComplete && isSettled(facts, before, rules.target)
    ? { facts, record: before, hasSoaked: false }
    : measured(facts, before, rules, turn);
}

function measured(facts: ShardFacts, before: ShardRecord | undefined, rules: SightingRules, turn: Turn): Sighting {
  const { integration, shard, parent } = facts;
  const image = facts.seen ? facts.live?.image : before?.image;
  const move = before?.move === undefined ? undefined : seenMove(facts, before.move, rules.health, turn);
  const health = healthOf(facts, rules.health, move);
  const soak = soakAfter(facts, before, { ...rules, image, sighted: health, since: move?.at ?? 0 }, turn);
  const adopted = before?.good ?? (move === undefined && facts.seen && isUp(facts) ? image : undefined);
  const hasSoaked = facts.seen && (soak?.micros ?? -1) >= rules.soak;
  const good = hasSoaked ? image : adopted;
  const shadow = shadowAfter(facts, before, rules.target);
  const now = { integration, shard, parent, image, good, soak, held: before?.held, shadow, move: undefined };
  const record =
    before !== undefined && move === undefined && isUnchanged(before, now)
      ? before
      : { integration, shard, ...defined({ ...now, move: move && steadied(move, health, turn) }) };
  return { facts, hasSoaked, ...outcome(facts, record, before, rules.health) };
}

/** Whether a shard has soaked the completed target before and still runs it, as most do in most passes: nothing is measured. */
export function isSettled(facts: ShardFacts, before: ShardRecord, target: string): boolean {
  const { integration, shard, parent, image, good, soak, move, shadow } = before;
  if (!facts.seen || facts.live?.image !== target || image !== target || good !== target) return false;
  if (facts.integration !== integration || facts.shard !== shard || facts.parent !== parent) return false;
  return soak === undefined && move === undefined && shadow === undefined && facts.shadow === undefined;
}

/** Whether a shard without a move is as its record says, which is then kept: nothing is made, compared or stored again. */
function isUnchanged(
  before: ShardRecord,
  now: { readonly [Name in keyof ShardRecord]-?: ShardRecord[Name] | undefined },
) {
  for (const name in now) if (before[name as keyof ShardRecord] !== now[name as keyof ShardRecord]) return false;
  return true;
}

interface SoakRules extends Pick<SightingRules, 'soak' | 'target' | 'isComplete'> {
  readonly image: string | undefined;
  readonly sighted: StreakSighting;
  /** Jobs from before the move do not count. */
  readonly since: number;
}

/** The soak of the target so far; of other images there is none. */
function soakAfter(
  facts: ShardFacts,
  before: ShardRecord | undefined,
  rules: SoakRules,
  turn: Turn,
): Streak | undefined {
  const { image, target, isComplete } = rules;
  if (image !== target || (isComplete && before?.good === image)) return undefined;
  return soakOf(facts, before?.image === image ? before?.soak : undefined, rules, turn);
}

/** A CronJob soaks by one succeeded job of the target instead of by time. */
function soakOf(
  facts: ShardFacts,
  known: Streak | undefined,
  { sighted: health, soak, since }: SoakRules,
  turn: Turn,
): Streak | undefined {
  if (facts.workload !== 'CronJob') return continued(known, health, turn);
  const kept = health === 'no' ? undefined : known;
  const isDone = lastJob(facts.live, since)?.state === 'succeeded';
  return isDone && health === 'yes' ? { micros: Math.max(soak, kept?.micros ?? 0), sighted: true } : kept;
}

/** The move after this sighting: whether it arrived, its restarts, its queries, how long it was not ready. */
function seenMove(facts: ShardFacts, move: MoveRecord, rules: HealthRules, turn: Turn): MoveRecord {
  const { unready: before, runs: ran, ...rest } = move;
  const { live } = facts;
  if (!facts.seen || live === undefined || live.image !== move.image) {
    const missed = move.missed ?? (facts.seen && !move.seen ? true : undefined);
    // Stopped on an image that it is about to leave: that is not about the one that it takes.
    const runs = live === undefined || move.seen ? ran : runningIn(facts);
    return { ...rest, ...defined({ missed, runs, unready: continued(before, 'unknown', turn) }) };
  }
  const { missed: _, instead: __, ...arrived } = rest;
  return {
    ...arrived,
    seen: true,
    restarts: move.restarts + (live.restarts < move.lastRestarts ? live.restarts : live.restarts - move.lastRestarts),
    lastRestarts: live.restarts,
    wrong: WRONG_AFTER[answerOf(live, rules)](move.wrong),
    ...defined({ runs: runningIn(facts) ?? ran, unready: continued(before, unreadiness(facts, move), turn) }),
  };
}

/** Whether it was seen not ready; a stopped one need not be. */
function unreadiness(facts: ShardFacts, move: MoveRecord): StreakSighting {
  if (facts.live?.stopped !== undefined) return 'unknown';
  return isUp(facts, move.at) ? 'no' : 'yes';
}

/** Where a shard runs, or would once it is created; undefined for a stopped one, and one that is declared so. */
export function runningIn(facts: ShardFacts, declared?: ShardFacts['declaredStop']): string | undefined {
  return (facts.live?.stopped ?? declared) === undefined ? placeOf(facts) : undefined;
}

/** An object of another kind or in another place is another one: that it does not exist yet is nobody's hand. */
function placeOf({ workload, cluster, namespace }: ShardFacts): string {
  return `${workload} ${cluster}/${namespace}`;
}

/** How many wrong sightings there are in a row. */
const WRONG_AFTER: Readonly<Record<QueryAnswer, (before: number) => number>> = {
  wrong: (before) => before + 1,
  unknown: (before) => before,
  expected: () => 0,
};

function steadied(move: MoveRecord, health: StreakSighting, turn: Turn): MoveRecord {
  const { healthy: before, ...rest } = move;
  if (move.steady || !move.seen) return rest;
  const healthy = continued(before, health, turn);
  if (healthy !== undefined && healthy.micros >= STEADY_AFTER) return { ...rest, steady: true };
  return { ...rest, ...defined({ healthy }) };
}

/** Ends moves that are over, and finds out whether the image failed. */
function outcome(
  facts: ShardFacts,
  record: ShardRecord,
  before: ShardRecord | undefined,
  health: HealthRules,
): Pick<Sighting, 'record' | 'failure'> {
  const { move, ...rest } = record;
  if (move === undefined) return { record };
  if (move.returnFrom !== undefined) return { record: isOver(facts, move) ? rest : record };
  const { image } = move;
  const isBraked = move.seen || isReplaced(facts, before);
  const braked = (isBraked ? brakeOf(facts, move) : undefined) ?? deletionOf(facts, move, before);
  if (isTaken(facts, move) || braked !== undefined) return withBrake(rest, before, image, braked);
  const reason = (before?.good === image ? undefined : stopOf(facts, move)) ?? failureOf(facts, move, health);
  return { record, ...(reason === undefined ? {} : { failure: { image, reason } }) };
}

/** The brake comes before the soak that this pass would credit: it fails what was not soaked before. */
function withBrake(
  record: ShardRecord,
  before: ShardRecord | undefined,
  image: string,
  reason: string | undefined,
): Pick<Sighting, 'record' | 'failure'> {
  if (reason === undefined || before?.good === image) return { record };
  const { good: _, soak: __, ...rest } = record;
  return { record: { ...rest, ...defined({ good: before?.good }) }, failure: { image, reason } };
}

/** Whether it was taken out of the track; of one that was never seen on the image the next sighting says whether it had it. */
function isTaken({ pinned, disabled, seen }: ShardFacts, move: MoveRecord): boolean {
  return (pinned !== undefined || disabled) && (seen || move.seen);
}

/**
 * Whether the first sighting after a move was announced shows an image that is neither the announced one nor the one from before:
 * somebody set it. Where the one from before is still there, the write may never have happened (R6).
 */
function isReplaced({ live }: ShardFacts, before: ShardRecord | undefined): boolean {
  const { move, image: last } = before ?? {};
  if (live === undefined || move === undefined || move.seen || move.missed === true) return false;
  return ![move.image, move.instead, last].includes(live.image);
}

/** A return is over when it is up, once it is written to a stopped shard (D8), and when somebody changed the shard since. */
function isOver(facts: ShardFacts, move: MoveRecord): boolean {
  if (!facts.seen) return false;
  if (facts.disabled || facts.pinned !== undefined || facts.live === undefined) return true;
  const { image, stopped } = facts.live;
  if (image === move.image) return stopped !== undefined || isUp(facts);
  return move.seen || image !== move.returnFrom;
}

/** What somebody did to stop the image on this shard (D2). */
function brakeOf({ pinned, disabled, seen, live }: ShardFacts, { image }: MoveRecord): string | undefined {
  if (pinned !== undefined) return pinned === image ? undefined : 'it was pinned to another image before it soaked';
  if (disabled) return 'it was disabled before it soaked';
  if (!seen || live === undefined || live.image === image) return undefined;
  return 'its image was changed by hand before it soaked';
}

/**
 * Whether somebody deleted it (D2): its object was there when it was last seen. Of an announced move nobody knows whether the
 * object had the image by then, unless a pass saw that it was not written.
 */
function deletionOf(facts: ShardFacts, { runs }: MoveRecord, before: ShardRecord | undefined): string | undefined {
  const isGone = facts.seen && facts.live === undefined && before?.image !== undefined;
  if (!isGone || runs !== placeOf(facts) || before.move?.missed === true) return undefined;
  return 'it was deleted before it soaked';
}

/** Whether somebody stopped it on the image (D2). The move goes on: the object still has the image, and may be taken back. */
function stopOf(facts: ShardFacts, { image, runs }: MoveRecord): string | undefined {
  const { live } = facts;
  if (live?.stopped === undefined || live.image !== image || runs !== placeOf(facts)) return undefined;
  return `it was stopped before it soaked: ${live.stopped}`;
}

function wrongText(live: LiveShard | undefined, rules: HealthRules): string {
  const [wrong] = live === undefined ? [] : findingsOf(live, rules);
  return `${wrong === undefined ? 'a query' : findingText(wrong)}, wrong in two observations`;
}

/** Why the image failed here, by what this pass and those before saw (D5). */
function failureOf({ live }: ShardFacts, move: MoveRecord, rules: HealthRules): string | undefined {
  const { maxRestarts, progressDeadline } = rules;
  if (!move.seen || !move.wasHealthy) return undefined;
  if (move.restarts > maxRestarts) return `${count(move.restarts, 'restart')}, more than ${maxRestarts}`;
  if (move.wrong >= MOST_WRONG) return wrongText(live, rules);
  const failed = live?.jobs?.some(
    ({ image, state, startedAt }) => image === move.image && state === 'failed' && startedAt >= move.at,
  );
  if (failed === true) return 'a job used up its retries';
  const { micros } = move.unready ?? { micros: 0 };
  return micros >= progressDeadline ? `not ready for ${durationText(micros)}` : undefined;
}
