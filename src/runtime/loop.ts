import { linked, type Outcome, outcomeOf, outcomeWithin, type Random, type SteadyClock } from './clock.ts';
import type { LoopHealth } from './health.ts';
import type { LogFields, Logger } from './logs.ts';
import type { CounterMetric, Metrics } from './metrics.ts';

export interface PassContext {
  /** Aborted on shutdown: finish the current object and return. */
  readonly signal: AbortSignal;
  /** Reconcile everything; otherwise only what changed since the last pass. */
  readonly full: boolean;
  readonly reason: PassReason;
}

export interface PassResult {
  /** 0 is success; anything else is retried soon. */
  readonly code: number;
  /** Whether the pass changed anything. */
  readonly changed: boolean;
  /** Revision of the instance that the pass acted on. */
  readonly revision?: string | undefined;
  /** The next poll runs a pass although the instance did not change. */
  readonly again?: true;
}

export interface LoopOptions {
  /** Default 60; SLEEP_DURATION_SECS. */
  readonly pollSeconds?: number | undefined;
  /** Default 600. */
  readonly resyncSeconds?: number | undefined;
  /** Default 10; SLEEP_ON_ERROR. */
  readonly errorSeconds?: number | undefined;
  /** Default 25: how long a pass may take to end after a shutdown was requested, or after its time was over. */
  readonly graceSeconds?: number | undefined;
  /** A pass that takes longer is asked to stop and has failed; no limit when absent. RUN_TIMEOUT_SECS. */
  readonly timeoutSeconds?: number | undefined;
  /** A second full pass runs this long after the start, even if nothing changed; none when absent. */
  readonly secondAfterSeconds?: number | undefined;
  /** One pass only, whatever its result. */
  readonly runOnce?: boolean | undefined;
}

export interface LoopParts {
  readonly pass: (context: PassContext) => Promise<PassResult>;
  /** The current revision of the instance from a cheap request; when undefined or on an error a pass runs. */
  readonly unchanged?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
  readonly clock: SteadyClock;
  readonly random: Random;
  readonly metrics: Pick<Metrics, 'runStarted' | 'runEnded' | 'counter'>;
  readonly logger: Logger;
  readonly health: LoopHealth;
  /** Ends the loop. */
  readonly signal: AbortSignal;
  readonly options?: LoopOptions | undefined;
}

export interface LoopEnd {
  /** The exit code of the process. */
  readonly code: number;
  /** A pass did not stop in time and may still run: the process has to exit without releasing the lease. */
  readonly abandoned: boolean;
}

type Settings = {
  readonly [Key in Exclude<keyof LoopOptions, 'secondAfterSeconds' | 'timeoutSeconds'>]-?: NonNullable<
    LoopOptions[Key]
  >;
} & {
  readonly timeoutSeconds: number | undefined;
  /** When the second full pass is due, on the steady clock. */
  readonly secondAt: number;
};
type Passes = CounterMetric<'result'>;

/** A running loop. */
interface Loop {
  readonly parts: LoopParts;
  readonly settings: Settings;
  readonly passes: Passes;
  memory: PassMemory;
}

type DuePass = Exclude<PassDecision, 'skip'>;

/** The result of one iteration. */
interface Attempt {
  readonly end: 'ok' | 'failed' | 'interrupted' | 'abandoned';
  readonly code: number;
}

const REVISION_TIMEOUT_MS = 30_000;
/** The code of a pass whose time was over, as of timeout(1). */
const TIMED_OUT = 124;

/**
 * Runs passes one after the other until the signal is aborted; with `runOnce` a single one, whose code is the result.
 * A pass that fails or throws is logged and retried; it never ends the loop.
 */
export async function runLoop(parts: LoopParts): Promise<LoopEnd> {
  const loop: Loop = {
    parts,
    settings: settingsOf(parts.clock.steady(), parts.options),
    passes: passCounter(parts),
    memory: { failures: 0 },
  };
  if (loop.settings.runOnce) return runOnce(loop);
  while (!parts.signal.aborted) {
    const { end, code } = await step(loop);
    if (end === 'abandoned') return { code, abandoned: true };
    await pause(loop, end === 'failed');
  }
  return { code: 0, abandoned: false };
}

async function runOnce(loop: Loop): Promise<LoopEnd> {
  if (loop.parts.signal.aborted) return { code: 1, abandoned: false };
  const { end, code } = await attemptPass(loop, { reason: 'first', full: true }, undefined);
  if (end === 'interrupted') loop.parts.logger.warn('pass interrupted');
  return { code, abandoned: end === 'abandoned' };
}

/** One iteration: a pass, or nothing when none is due. */
async function step(loop: Loop): Promise<Attempt> {
  const { clock, health, signal } = loop.parts;
  const revision = await currentRevision(loop.parts);
  if (signal.aborted) return { end: 'interrupted', code: 1 };
  const decision = decidePass(loop.memory, revision, clock.steady(), loop.settings);
  if (decision !== 'skip') return attemptPass(loop, decision, revision);
  loop.passes.inc({ result: 'skipped' });
  health.beat();
  return { end: 'ok', code: 0 };
}

async function currentRevision({ unchanged, clock, signal, logger }: LoopParts): Promise<string | undefined> {
  if (unchanged === undefined) return undefined;
  const outcome = await outcomeWithin({ clock, ms: REVISION_TIMEOUT_MS, signal }, unchanged);
  if (outcome.kind === 'value') return outcome.value;
  if (outcome.kind !== 'aborted') {
    logger.debug('instance revision unknown', outcome.kind === 'thrown' ? { error: outcome.thrown } : {});
  }
  return undefined;
}

async function attemptPass(loop: Loop, due: DuePass, revision: string | undefined): Promise<Attempt> {
  const { clock, metrics, health, signal, logger } = loop.parts;
  const start = clock.steady();
  metrics.runStarted();
  health.beat();
  const outcome = await passWithGrace(loop, due);
  health.beat();
  if (outcome === 'abandoned') {
    logger.error('pass abandoned: it did not stop in time', { graceSeconds: loop.settings.graceSeconds });
    return { end: 'abandoned', code: 1 };
  }
  if (outcome.kind === 'thrown' && isInterruption(outcome.thrown, signal)) return { end: 'interrupted', code: 1 };
  const code = codeOf(outcome);
  metrics.runEnded({ seconds: secondsSince(start, clock), code });
  if (outcome.kind !== 'value' || code !== 0) noteFailure(loop, due, outcome);
  else noteSuccess(loop, due, { ...outcome.value, revision: outcome.value.revision ?? revision }, start);
  return { end: code === 0 ? 'ok' : 'failed', code };
}

/** The result of a pass. A pass that timed out has failed, whatever it returned. */
type PassOutcome = Outcome<PassResult> | { readonly kind: 'timeout' };

function codeOf(outcome: PassOutcome): number {
  if (outcome.kind === 'timeout') return TIMED_OUT;
  return outcome.kind === 'value' ? outcome.value.code : 1;
}

/** The outcome of a pass, or that it did not stop in time after the signal or after its time was over. */
async function passWithGrace(
  { parts: { pass, clock, signal }, settings }: Loop,
  due: DuePass,
): Promise<PassOutcome | 'abandoned'> {
  const { controller, unlink } = linked(signal);
  const { timeoutSeconds } = settings;
  const timeout = { isOver: false };
  const over = new AbortController();
  const grace = new Promise<'abandoned'>((resolve) => {
    const wait = (): void => {
      clock.sleep(settings.graceSeconds * 1000, over.signal).then(
        () => resolve('abandoned'),
        () => undefined,
      );
    };
    controller.signal.addEventListener('abort', wait, { once: true });
  });
  const endTime = (): void => {
    timeout.isOver = !controller.signal.aborted;
    controller.abort(new Error(`timed out after ${timeoutSeconds} s`));
  };
  if (timeoutSeconds !== undefined) clock.sleep(timeoutSeconds * 1000, over.signal).then(endTime, () => undefined);
  const outcome = await Promise.race([outcomeOf(() => pass({ signal: controller.signal, ...due })), grace]);
  unlink();
  over.abort();
  return outcome !== 'abandoned' && timeout.isOver ? { kind: 'timeout' } : outcome;
}

/** A pass that stopped because of the shutdown has not failed. */
function isInterruption(thrown: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (thrown === signal.reason || (thrown instanceof Error && thrown.name === 'AbortError'));
}

function noteFailure(loop: Loop, { reason }: DuePass, outcome: PassOutcome): void {
  const failures = loop.memory.failures + 1;
  const why = failureOf(outcome, loop.settings);
  loop.memory = { ...loop.memory, failures };
  loop.passes.inc({ result: 'failed' });
  loop.parts.logger.error('pass failed', { reason, failures, ...why });
}

function failureOf(outcome: PassOutcome, { timeoutSeconds }: Settings): LogFields {
  if (outcome.kind === 'timeout') return { code: TIMED_OUT, timeoutSeconds };
  return outcome.kind === 'thrown' ? { error: outcome.thrown } : { code: outcome.value.code };
}

function noteSuccess(loop: Loop, { reason, full }: DuePass, result: PassResult, start: number): void {
  const { logger, health, clock } = loop.parts;
  const { revision, changed, again } = result;
  const notable = changed || reason === 'first' || reason === 'retry';
  loop.memory = { failures: 0, revision: again ? undefined : revision, lastFull: full ? start : loop.memory.lastFull };
  loop.passes.inc({ result: 'ok' });
  health.succeeded();
  const seconds = secondsSince(start, clock);
  logger[notable ? 'info' : 'debug']('pass completed', { reason, changed, revision, seconds });
}

/** To the millisecond. */
function secondsSince(start: number, clock: SteadyClock): number {
  return Math.round(clock.steady() - start) / 1000;
}

async function pause(
  { parts: { clock, random, signal }, settings, memory }: Loop,
  afterFailure: boolean,
): Promise<void> {
  const ms = afterFailure
    ? retryDelay(settings, memory.failures, random)
    : pollDelay(settings, memory, clock.steady(), random);
  const slept = await outcomeOf(() => clock.sleep(ms, signal));
  if (slept.kind === 'thrown' && !signal.aborted) throw slept.thrown;
}

function settingsOf(start: number, options: LoopOptions = {}): Settings {
  return {
    secondAt: start + (options.secondAfterSeconds ?? Number.POSITIVE_INFINITY) * 1000,
    pollSeconds: options.pollSeconds ?? 60,
    resyncSeconds: options.resyncSeconds ?? 600,
    errorSeconds: options.errorSeconds ?? 10,
    graceSeconds: options.graceSeconds ?? 25,
    timeoutSeconds: options.timeoutSeconds,
    runOnce: options.runOnce ?? false,
  };
}

function passCounter({ metrics }: LoopParts): Passes {
  const passes = metrics.counter('echelon_passes_total', 'Passes of the loop by result', ['result']);
  for (const result of ['ok', 'failed', 'skipped']) passes.inc({ result }, 0);
  return passes;
}

/** Why a pass runs: the first one, a retry after a failure, the second of a new leader, a periodic full resync, or a change. */
type PassReason = 'first' | 'retry' | 'second' | 'resync' | 'changed' | 'poll';

interface PassTimes {
  /** Between passes. */
  readonly pollSeconds: number;
  /** Interval of full passes, whatever changes. */
  readonly resyncSeconds: number;
  /** The longest wait after the first failure. */
  readonly errorSeconds: number;
  /** From this moment of the steady clock on, a second full pass is due; infinity for none. */
  readonly secondAt: number;
}

/** The state of the loop between passes; times are of the steady clock. */
interface PassMemory {
  /** Consecutive failures. */
  readonly failures: number;
  /** Revision of the last successful pass. */
  readonly revision?: string | undefined;
  /** Start of the last successful full pass. */
  readonly lastFull?: number | undefined;
}

type PassDecision = 'skip' | { readonly reason: PassReason; readonly full: boolean };

const JITTER = 0.1;
const LONGEST_RETRY_SECONDS = 300;
const SHORTEST_RETRY_SECONDS = 1;

/** Whether a pass is due when the instance is at this revision; undefined is an unknown revision. */
export function decidePass(
  memory: PassMemory,
  revision: string | undefined,
  now: number,
  { resyncSeconds, secondAt }: Pick<PassTimes, 'resyncSeconds' | 'secondAt'>,
): PassDecision {
  if (memory.failures > 0) return { reason: 'retry', full: true };
  if (memory.lastFull === undefined) return { reason: 'first', full: true };
  if (now >= secondAt && memory.lastFull < secondAt) return { reason: 'second', full: true };
  if (now - memory.lastFull >= resyncSeconds * 1000) return { reason: 'resync', full: true };
  if (revision === undefined || memory.revision === undefined) return { reason: 'poll', full: false };
  return revision === memory.revision ? 'skip' : { reason: 'changed', full: false };
}

/** Milliseconds until the next poll; jittered, so that the pods of a fleet do not poll all at once. */
export function pollDelay(
  { pollSeconds, secondAt }: Pick<PassTimes, 'pollSeconds' | 'secondAt'>,
  { lastFull = 0 }: PassMemory,
  now: number,
  random: Random,
): number {
  const poll = Math.round(pollSeconds * 1000 * (1 - JITTER + 2 * JITTER * random()));
  return lastFull < secondAt ? Math.min(poll, Math.max(0, Math.ceil(secondAt - now))) : poll;
}

/** Milliseconds until the next attempt: random, up to a limit that doubles with each failure, at most the poll interval. */
export function retryDelay(
  { pollSeconds, errorSeconds }: Pick<PassTimes, 'pollSeconds' | 'errorSeconds'>,
  failures: number,
  random: Random,
): number {
  const most = Math.min(errorSeconds * 2 ** (failures - 1), pollSeconds, LONGEST_RETRY_SECONDS);
  return Math.round(Math.max(most * random(), Math.min(most, SHORTEST_RETRY_SECONDS)) * 1000);
}
