import type { JobFacts, ScopeFacts, ShadowRecord, ShardFacts } from '../../src/rollouts/index.ts';

/** What the oracle needs to know of the file: written down by the simulation, not read from it. */
export interface OracleRules {
  readonly waves: readonly { readonly shards?: readonly string[]; readonly soakMinutes: number }[];
  readonly maxRestarts: number;
  /** First and last hour of the window, in UTC. */
  readonly hours?: readonly [number, number];
  readonly frozen: readonly (readonly [from: number, until: number])[];
  readonly overrules: readonly OracleOverrule[];
  readonly hasTrack: boolean;
  readonly hasQueries: boolean;
  /** Differences that a shadow may find; none is asked for when absent. */
  readonly shadow?: number;
}

export interface OracleOverrule {
  readonly action: 'pause' | 'resume' | 'expedite' | 'reject' | 'accept-shadow';
  readonly image: string;
  readonly digest?: string;
  readonly at: number;
  readonly until?: number;
}

export interface PassTime {
  readonly now: number;
  readonly period: number;
}

interface Seen {
  image?: string | undefined;
  /** What the track moved to; soak of one target does not count for another. */
  target?: string;
  /** Microseconds without interruption between sightings that were healthy on the image. */
  micros: number;
  healthy: boolean;
  good?: string | undefined;
  /** The image of which a job succeeded. */
  jobbed?: string | undefined;
  took?: Took;
}

interface Took {
  image: string;
  wasUp: boolean;
  seen: boolean;
  restarts: number;
  last: number;
  at: number;
  isReturn: boolean;
  /** Of a return: the image that it left. */
  from?: string | undefined;
  /** A pass saw it on the image from before: it was not written. */
  missed: boolean;
  /** What was announced before and never seen. */
  instead?: string | undefined;
  /** It was not stopped when the move was announced, or was seen running since. */
  ran: boolean;
}

/** What a lineage of records can know: saved and restored together with the record. */
export interface OracleLedger {
  checkIn?: number;
  shards: Record<string, Seen>;
  failed: { shard: string; image: string; at: number }[];
  /** What the last comparison of a shard with the target found. */
  shadows: Record<string, ShadowRecord>;
  stable?: string;
}

export const NEW_LEDGER: OracleLedger = { shards: {}, failed: [], shadows: {} };
const MICRO_MINUTE = 60_000_000;

export function soakOf(wave: number, { waves }: OracleRules): number {
  return (waves[wave]?.soakMinutes ?? 0) * MICRO_MINUTE;
}

export function isUp({ workload, live }: ShardFacts): boolean {
  if (live === undefined || live.stopped !== undefined || !live.converged) return false;
  return workload === 'CronJob' ? live.jobs?.every(({ state }) => state !== 'failed') !== false : live.ready;
}

/** A shard belongs to the first wave that lists it, or that lists nothing. */
export function wavesByHand(shards: readonly ShardFacts[], { waves }: OracleRules): Map<string, number> {
  const found = new Map<string, number>();
  for (const { id, shard } of shards) {
    const at = waves.findIndex((wave) => wave.shards === undefined || wave.shards.includes(shard));
    if (at !== -1) found.set(id, at);
  }
  return found;
}

/** The ledger after what a pass saw. */
export function seen(
  before: OracleLedger,
  facts: ScopeFacts,
  rules: OracleRules,
  time: PassTime & { readonly target: string },
): OracleLedger {
  const ledger = structuredClone(before);
  const turn = turnOf(ledger, time);
  ledger.checkIn = Math.max(before.checkIn ?? time.now, time.now);
  if (!rules.hasTrack) return ledger;
  lift(ledger, rules, time.now);
  const declared = new Set(facts.shards.map(({ id }) => id));
  for (const known of [ledger.shards, ledger.shadows])
    for (const id of Object.keys(known)) if (!declared.has(id)) delete known[id];
  const waveOf = wavesByHand(facts.shards, rules);
  for (const shard of facts.shards) {
    const own = ledger.shards[shard.id] ?? { micros: 0, healthy: false };
    ledger.shards[shard.id] = own;
    compare(ledger, shard, time.target);
    const known = { good: own.good, wasReplaced: isReplaced(own, shard), wasDeleted: isDeleted(own, shard) };
    watchRunning(own, shard);
    sight(own, shard, rules, { ...turn, soak: soakOf(waveOf.get(shard.id) ?? 0, rules) });
    noteFailure(ledger, shard.id, failedBy(own, shard, rules, known), time.now);
    miss(own, shard);
  }
  return ledger;
}

/** A comparison counts for one target, until the shard runs it; one without a result does not undo a difference. */
function compare(ledger: OracleLedger, { id, shadow, seen: isSeen, live }: ShardFacts, target: string): void {
  const known = ledger.shadows[id];
  if (known?.image !== target || (isSeen && live?.image === target)) delete ledger.shadows[id];
  if (shadow?.image !== target || (isSeen && live?.image === target)) return;
  const before = ledger.shadows[id];
  const isKept = before?.result === 'different' && (shadow.result === 'inconclusive' || shadow.at < before.at);
  if (!isKept) ledger.shadows[id] = shadow;
}

function miss({ took }: Seen, { seen: isSeen }: ShardFacts): void {
  if (took?.seen === false && isSeen) took.missed = true;
}

function noteFailure({ failed }: OracleLedger, shard: string, image: string | undefined, at: number): void {
  if (image === undefined || failed.some((one) => one.shard === shard && one.image === image)) return;
  failed.push({ shard, image, at });
}

interface Turn {
  readonly gap: number;
  readonly isLate: boolean;
  readonly target: string;
}

function turnOf({ checkIn }: OracleLedger, { now, period, target }: PassTime & { readonly target: string }): Turn {
  if (checkIn === undefined) return { gap: 0, isLate: false, target };
  return { gap: now <= checkIn ? 0 : Math.min(now - checkIn, 2 * period), isLate: now <= checkIn, target };
}

function sight(own: Seen, shard: ShardFacts, rules: OracleRules, turn: Turn & { readonly soak: number }): void {
  if (!shard.seen) {
    own.healthy = false;
    return;
  }
  const isWell = restarted(own, shard) <= rules.maxRestarts && isUp(shard);
  const isKnown = !rules.hasQueries || shard.live?.queries?.['q'] === 'expected';
  const isSame = isContinued(own, shard, turn.target);
  if (!isSame || !isWell) {
    own.micros = 0;
    delete own.jobbed;
  } else if (own.healthy && isKnown) own.micros += turn.gap;
  own.healthy = isWell && isKnown && (!turn.isLate || (own.healthy && isSame));
  own.image = shard.live?.image;
  own.target = turn.target;
  if (isWell && own.image !== undefined) approve(own, shard, isKnown, turn);
}

function isContinued(own: Seen, { live }: ShardFacts, target: string): boolean {
  return live?.image === target && own.image === target && own.target === target;
}

/** Notes the image as good where it has soaked, or where it is the first that was seen. */
function approve(
  own: Seen,
  shard: ShardFacts,
  isKnown: boolean,
  { target, soak }: Turn & { readonly soak: number },
): void {
  const { image } = own;
  if (isKnown && hasJob(shard, own.took?.at ?? 0)) own.jobbed = image;
  const byTime = own.micros >= soak && (own.healthy || own.micros > 0);
  const hasSoaked = shard.workload === 'CronJob' ? own.jobbed === image : byTime;
  if (hasSoaked && image === target) own.good = image;
  else if (own.took === undefined) own.good ??= image;
}

function hasJob({ live }: ShardFacts, since: number): boolean {
  const isDone = (job: JobFacts): boolean =>
    job.image === live?.image && job.state === 'succeeded' && job.startedAt >= since;
  return live?.jobs?.some(isDone) === true;
}

/** Restarts since the move. */
function restarted({ took }: Seen, { live }: ShardFacts): number {
  if (took === undefined || live === undefined || took.image !== live.image) return 0;
  took.restarts += live.restarts >= took.last ? live.restarts - took.last : live.restarts;
  took.last = live.restarts;
  took.seen = true;
  return took.restarts;
}

/** Before its write a shard may be stopped for any reason; after it only running and then stopping counts. */
function watchRunning({ took }: Seen, { seen: isSeen, live }: ShardFacts): void {
  if (took === undefined || !isSeen || live === undefined) return;
  if (live.stopped === undefined) took.ran = true;
  else if (!took.seen && live.image !== took.image) took.ran = false;
}

/** It was there when it was last seen, and somebody deleted it since. */
function isDeleted({ took, image }: Seen, { seen: isSeen, live }: ShardFacts): boolean {
  if (took === undefined || !took.ran || took.missed || !isSeen) return false;
  return live === undefined && image !== undefined;
}

/** A later resume lifts a failure, and what led to it. */
function lift(ledger: OracleLedger, { overrules, hasTrack }: OracleRules, now: number): void {
  if (!hasTrack) return;
  const isLifted = ({ image, at }: OracleLedger['failed'][number]): boolean =>
    overrules.some((one) => one.action === 'resume' && one.image === image && one.at > at && one.at <= now);
  for (const { shard, image } of ledger.failed.filter(isLifted)) {
    const { took } = ledger.shards[shard] ?? {};
    if (took?.image === image) Object.assign(took, { restarts: 0, at: now, ran: false });
  }
  ledger.failed = ledger.failed.filter((failure) => !isLifted(failure));
}

/** The image that must have failed by now (D2, D5). A brake counts before the soak that the same pass would see. */
function failedBy(own: Seen, shard: ShardFacts, { maxRestarts }: OracleRules, known: Known): string | undefined {
  const { took } = own;
  if (took === undefined) return undefined;
  const { image, isReturn } = took;
  const cannotFail = isReturn || known.good === image;
  if (isBraked(shard, took, known)) {
    delete own.took;
    if (cannotFail) return undefined;
    own.good = known.good;
    return image;
  }
  if (isOut(shard, took)) delete own.took;
  else if (isStopped(shard, took)) return cannotFail ? undefined : image;
  return hasCrashed(shard, took, maxRestarts) ? image : undefined;
}

/** What was known before this pass saw the shard. */
interface Known {
  readonly good: string | undefined;
  readonly wasReplaced: boolean;
  readonly wasDeleted: boolean;
}

function isBraked(shard: ShardFacts, took: Took, { wasReplaced, wasDeleted }: Known): boolean {
  return wasDeleted || ((took.seen || wasReplaced) && isElsewhere(shard, took));
}

function isStopped({ live }: ShardFacts, { image, ran }: Took): boolean {
  return ran && live?.stopped !== undefined && live.image === image;
}

function hasCrashed({ live, pinned }: ShardFacts, { image, wasUp, restarts, isReturn }: Took, most: number): boolean {
  return wasUp && live?.image === image && restarts > most && pinned === undefined && !isReturn;
}

function isOut({ pinned, disabled, seen: isSeen }: ShardFacts, took: Took): boolean {
  return (pinned !== undefined || disabled) && (isSeen || took.seen);
}

/** The first sighting after an announcement shows what neither was there nor was announced: somebody set it. */
function isReplaced({ took, image }: Seen, { seen: isSeen, live }: ShardFacts): boolean {
  if (took === undefined || took.seen || took.missed || !isSeen || live === undefined) return false;
  return live.image !== took.image && live.image !== image && live.image !== took.instead;
}

function isElsewhere(shard: ShardFacts, took: Took): boolean {
  return shard.pinned === undefined ? shard.disabled || isChanged(shard, took) : shard.pinned !== took.image;
}

function isChanged({ seen: isSeen, live }: ShardFacts, { image }: Took): boolean {
  return isSeen && live !== undefined && live.image !== image;
}
