import { EchelonError, messageOf } from '../../base/index.ts';
import { type BoundedOutcome, outcomeWithin, type Random, type SteadyClock } from '../clock.ts';
import type { Logger } from '../logs.ts';
import type { Metrics } from '../metrics.ts';
import {
  isLostRace,
  type Leadership,
  type LeaseApi,
  type LeaseRecord,
  leaseTerm,
  type Moment,
  mayTake,
  momentOf,
  type Observation,
  observe,
  type Term,
} from './term.ts';

export interface LeaseOptions {
  readonly api: LeaseApi;
  /** The candidate, such as the pod name; a suffix makes it unique, so that two with the same name are distinct. */
  readonly holder: string;
  readonly clock: SteadyClock;
  readonly random: Random;
  /** Default 30: how long a lease is valid without a renewal. */
  readonly durationSeconds?: number | undefined;
  /** Default: a third of the duration. */
  readonly renewEverySeconds?: number | undefined;
  readonly logger: Logger;
  readonly onAccess?: OnLeaseAccess | undefined;
}

export interface LeaderLease {
  /** The holder identity in the record. */
  readonly identity: string;
  /** Waits until this process leads, then renews in the background; rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<Leadership>;
  /** Ends the leadership and clears the holder if it is still this one, so that another can lead at once. Never throws. */
  release(): Promise<void>;
  /** Ends the leadership but lets the lease expire: for when work done under it may still be running. */
  abandon(): void;
}

const DEFAULT_DURATION_SECONDS = 30;
/** Fractions of the duration. The margin covers writes in flight and clock drift. */
const MARGIN = 1 / 6;
const RENEW_EVERY = 1 / 3;
const REQUEST_LIMIT = 1 / 6;
const TRY_AGAIN_AFTER = 1 / 15;
const JITTER = 0.2;
const RELEASE_ATTEMPTS = 3;

interface Times {
  readonly durationSeconds: number;
  readonly lifetime: number;
  readonly renewEvery: number;
  readonly request: number;
  readonly tryAgain: number;
}

/** A running candidate. */
interface Candidate {
  readonly options: LeaseOptions;
  readonly times: Times;
  readonly identity: string;
  readonly access: LeaseAccess;
  observation: Observation | undefined;
  term: Term | undefined;
  /** Whether anything was written that has to be released. */
  wrote: boolean;
}

/** A candidate in a leader election. Acquire one leadership at a time. */
export function leaderLease(options: LeaseOptions): LeaderLease {
  const candidate: Candidate = {
    options,
    times: timesOf(options),
    identity: `${options.holder}_${suffix(options.random)}`,
    access: leaseAccess(options.logger, options.onAccess),
    observation: undefined,
    term: undefined,
    wrote: false,
  };
  return {
    identity: candidate.identity,
    acquire: (signal) => acquire(candidate, signal),
    release: () => release(candidate),
    abandon: () => candidate.term?.end('the lease was abandoned'),
  };
}

async function acquire(candidate: Candidate, signal: AbortSignal): Promise<Leadership> {
  const { options, times } = candidate;
  for (;;) {
    signal.throwIfAborted();
    if (candidate.term?.mayWrite()) return candidate.term;
    candidate.term = await tryToTake(candidate, signal);
    if (candidate.term?.mayWrite()) return begin(candidate, candidate.term);
    await options.clock.sleep(times.tryAgain * (1 + JITTER * options.random()), signal);
  }
}

function begin(candidate: Candidate, term: Term): Leadership {
  const { logger } = candidate.options;
  logger.info('lease acquired', { identity: candidate.identity, transitions: term.transitions });
  term.signal.addEventListener('abort', () =>
    logger.info('leadership ended', { reason: messageOf(term.signal.reason) }),
  );
  void keepRenewing(candidate, term);
  void endInTime(candidate, term);
  return term;
}

/** One attempt: read, and write when the lease may be taken. */
async function tryToTake(candidate: Candidate, signal: AbortSignal): Promise<Term | undefined> {
  const { options, times, identity } = candidate;
  const read = await request(candidate, 'read', signal, (own) => options.api.read(own));
  if (read.kind !== 'value') return undefined;
  const record = read.value;
  const known = candidate.observation?.record?.holder;
  candidate.observation = observe(candidate.observation, record, options.clock.steady(), times.durationSeconds);
  if (!mayTake(candidate.observation, identity, options.clock.steady())) {
    if (record?.holder !== known) options.logger.info('waiting for the lease', { holder: record?.holder });
    if (record !== undefined) await dryRunUpdate(candidate, record, signal);
    return undefined;
  }
  const sent = momentOf(options.clock);
  const written = await write(candidate, record, takenFrom(candidate, record), signal);
  return written.kind === 'value' ? leaseTerm(options.clock, times.lifetime, sent, written.value) : undefined;
}

/** A standby that may not write would find out only when it has to lead. */
async function dryRunUpdate(candidate: Candidate, record: LeaseRecord, signal: AbortSignal): Promise<void> {
  const { api } = candidate.options;
  if (api.dryRunUpdate === undefined || candidate.access.mayWrite() === true) return;
  const attempt = api.dryRunUpdate.bind(api, record);
  await request(candidate, 'write', signal, attempt);
}

function takenFrom({ options, times, identity }: Candidate, record: LeaseRecord | undefined): LeaseRecord {
  const now = options.clock.now();
  const own = record?.holder === identity;
  return {
    holder: identity,
    acquireTime: own ? record.acquireTime : now,
    renewTime: laterThan(record, now),
    durationSeconds: times.durationSeconds,
    transitions: record === undefined ? 0 : record.transitions + (own ? 0 : 1),
    resourceVersion: record?.resourceVersion,
  };
}

/** Kubernetes drops an update that changes nothing, so every renewal has to differ, also when a clock stands still. */
function laterThan(record: LeaseRecord | undefined, now: Date): Date {
  return record?.renewTime.getTime() === now.getTime() ? new Date(now.getTime() + 1) : now;
}

async function keepRenewing(candidate: Candidate, term: Term): Promise<void> {
  const { clock } = candidate.options;
  let pause = candidate.times.renewEvery;
  while (await sleptUnlessOver(clock, pause, term)) {
    const renewed = await renew(candidate, term);
    pause = renewed ? candidate.times.renewEvery : candidate.times.tryAgain;
  }
}

/** Aborts the signal in time even while a renewal hangs. */
async function endInTime({ options: { clock } }: Candidate, term: Term): Promise<void> {
  while (await sleptUnlessOver(clock, Math.ceil(term.left()), term));
}

async function sleptUnlessOver(clock: SteadyClock, ms: number, term: Term): Promise<boolean> {
  await clock.sleep(ms, term.signal).catch(() => undefined);
  return term.mayWrite();
}

async function renew(candidate: Candidate, term: Term): Promise<boolean> {
  const stored = term.record ?? (await readAgain(candidate, term));
  if (stored === 'unknown' || !term.mayWrite()) return false;
  const known = stored === 'none' ? undefined : stored;
  const sent: Moment = momentOf(candidate.options.clock);
  const base = takenFrom(candidate, known);
  const next = known === undefined ? { ...base, transitions: term.transitions } : base;
  const written = await write(candidate, known, next, term.signal);
  if (written.kind === 'value') term.renewed(sent, written.value);
  else term.record = undefined;
  return written.kind === 'value';
}

/** After a failed renewal: reads who holds the lease and ends the term when another does. */
async function readAgain(candidate: Candidate, term: Term): Promise<LeaseRecord | 'none' | 'unknown'> {
  const read = await request(candidate, 'read', term.signal, (own) => candidate.options.api.read(own));
  if (read.kind !== 'value') return 'unknown';
  if (read.value === undefined) return 'none';
  if (read.value.holder === candidate.identity) return read.value;
  term.end(read.value.holder === '' ? 'the lease was cleared' : `the lease was taken by ${read.value.holder}`);
  return 'unknown';
}

async function release(candidate: Candidate): Promise<void> {
  candidate.term?.end('the lease was released');
  candidate.term = undefined;
  candidate.observation = undefined;
  for (let left = RELEASE_ATTEMPTS; candidate.wrote && left > 0; left -= 1) {
    if (await releaseOnce(candidate)) candidate.wrote = false;
  }
}

/** False when another attempt may help; one without a response would take too long again. */
async function releaseOnce(candidate: Candidate): Promise<boolean> {
  const { options, identity } = candidate;
  const read = await request(candidate, 'read', undefined, (own) => options.api.read(own));
  if (read.kind !== 'value') return read.kind === 'timeout';
  if (read.value?.holder !== identity) return true;
  const free = { ...read.value, holder: '', renewTime: options.clock.now() };
  const written = await write(candidate, read.value, free, undefined);
  return written.kind !== 'thrown';
}

function write(
  candidate: Candidate,
  stored: LeaseRecord | undefined,
  record: LeaseRecord,
  signal: AbortSignal | undefined,
): Promise<BoundedOutcome<LeaseRecord>> {
  const { api } = candidate.options;
  candidate.wrote = true;
  return request(candidate, 'write', signal, (own) =>
    stored === undefined ? api.create(record, own) : api.update(record, own),
  );
}

/** One request with a timeout; a failure other than a lost race is logged, once per series. */
async function request<T>(
  { options: { clock }, times, access }: Candidate,
  kind: LeaseRequest,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<BoundedOutcome<T>> {
  const outcome = await outcomeWithin({ clock, ms: times.request, signal }, work);
  if (outcome.kind === 'timeout') access.failed(kind, `no response within ${times.request / 1000} s`);
  else if (outcome.kind === 'value') access.succeeded(kind);
  else if (outcome.kind === 'thrown' && !isLostRace(outcome.thrown)) access.failed(kind, outcome.thrown);
  return outcome;
}

function timesOf({ durationSeconds = DEFAULT_DURATION_SECONDS, renewEverySeconds }: LeaseOptions): Times {
  const duration = durationSeconds * 1000;
  const renewEvery = renewEverySeconds === undefined ? duration * RENEW_EVERY : renewEverySeconds * 1000;
  const lifetime = duration * (1 - MARGIN);
  if (!(Number.isSafeInteger(durationSeconds) && durationSeconds >= 1 && renewEvery > 0 && renewEvery < lifetime)) {
    throw new EchelonError({
      code: 'LEASE_TIMES_INVALID',
      message: `invalid lease times: duration ${durationSeconds} s, renewed every ${renewEvery / 1000} s`,
      hint: 'use a duration in whole seconds and renew at least three times within it',
    });
  }
  return {
    durationSeconds,
    lifetime,
    renewEvery,
    request: duration * REQUEST_LIMIT,
    tryAgain: duration * TRY_AGAIN_AFTER,
  };
}

/** Long enough to be unique among processes. */
function suffix(random: Random): string {
  return [random(), random()]
    .map((drawn) =>
      Math.floor(drawn * 2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('');
}

export type LeaseRequest = 'read' | 'write';

/** Whether the lease can be read and written, as its requests show. */
interface LeaseAccess {
  failed(request: LeaseRequest, why: unknown): void;
  succeeded(request: LeaseRequest): void;
  /** Whether writing is known to be possible; undefined before the first attempt. */
  mayWrite(): boolean | undefined;
}

/** Called after each request; `problem` is why the lease cannot be read or written, one line, while that lasts. */
export type OnLeaseAccess = (request: LeaseRequest, outcome: 'ok' | 'failed', problem: string | undefined) => void;

/** Logs a series of failures once. A lease that can be read but not written stays a problem until it is written. */
export function leaseAccess(logger: Logger, report: OnLeaseAccess = () => undefined): LeaseAccess {
  let failing: { readonly request: LeaseRequest; readonly problem: string } | undefined;
  let mayWrite: boolean | undefined;
  return {
    mayWrite: () => mayWrite,
    failed: (request, why) => {
      if (failing === undefined) logger.warn('cannot read or write lease', fieldsOf(why));
      if (request === 'write') mayWrite = false;
      if (failing?.request !== 'write' || request === 'write') failing = { request, problem: textOf(why) };
      report(request, 'failed', failing.problem);
    },
    succeeded: (request) => {
      if (request === 'write') mayWrite = true;
      if (failing !== undefined && (failing.request === 'read' || request === 'write')) {
        logger.info('lease access restored');
        failing = undefined;
      }
      report(request, 'ok', failing?.problem);
    },
  };
}

function fieldsOf(why: unknown): Readonly<Record<string, unknown>> {
  return typeof why === 'string' ? { reason: why } : { error: why };
}

function textOf(why: unknown): string {
  const hint = why instanceof EchelonError ? `; ${why.hint}` : '';
  return `${typeof why === 'string' ? why : messageOf(why)}${hint}`.replaceAll(/\s+/g, ' ');
}

/** Whether a replica can lead at all: what it cannot read or write it cannot acquire either. */
export function leaseMetrics(metrics: Pick<Metrics, 'gauge' | 'counter'>): OnLeaseAccess {
  const reachable = metrics.gauge('echelon_lease_reachable', 'Whether the lease can be read and written', []);
  const errors = metrics.counter('echelon_lease_errors_total', 'Failed requests for the lease', ['access']);
  for (const access of ['read', 'write']) errors.inc({ access }, 0);
  return (access, outcome, problem) => {
    if (outcome === 'failed') errors.inc({ access });
    reachable.replace([{ labels: {}, value: problem === undefined ? 1 : 0 }]);
  };
}
