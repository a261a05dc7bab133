import { EchelonError } from '../../base/index.ts';
import type { SteadyClock } from '../clock.ts';

/** The fields of a Kubernetes Lease that a leader election needs. */
export interface LeaseRecord {
  /** Empty when the lease is free. */
  readonly holder: string;
  readonly acquireTime: Date;
  readonly renewTime: Date;
  readonly durationSeconds: number;
  /** How often the holder changed: increases with every new leader. */
  readonly transitions: number;
  /** Changes with every write; an update of another version than the stored one is a lost race. */
  readonly resourceVersion?: string | undefined;
}

/**
 * Storage of one lease. A write that lost a race rejects with an EchelonError of code KUBE_CONFLICT, a create of what
 * exists with KUBE_EXISTS. A write whose response got lost may have been applied: the caller finds out by reading.
 */
export interface LeaseApi {
  read(signal?: AbortSignal): Promise<LeaseRecord | undefined>;
  create(record: LeaseRecord, signal?: AbortSignal): Promise<LeaseRecord>;
  /** Compare and swap on `resourceVersion`. */
  update(record: LeaseRecord, signal?: AbortSignal): Promise<LeaseRecord>;
  /** An update that changes nothing, to find out whether one is possible; one that lost a race is possible. */
  dryRunUpdate?(record: LeaseRecord, signal?: AbortSignal): Promise<void>;
}

/** Another candidate was faster: not an error. */
export function isLostRace(thrown: unknown): boolean {
  return thrown instanceof EchelonError && (thrown.code === 'KUBE_CONFLICT' || thrown.code === 'KUBE_EXISTS');
}

/** The lease as a candidate last saw it, and since when, by its own steady clock, it has not changed. */
export interface Observation {
  readonly record: LeaseRecord | undefined;
  readonly since: number;
  /** For how many milliseconds without a change it is valid; a deleted lease keeps the time it had. */
  readonly guarded: number;
}

/**
 * Adds what was just read. Times written by others are never compared with a local clock, so the clocks of two
 * machines need not agree, only run at about the same speed.
 */
export function observe(
  before: Observation | undefined,
  record: LeaseRecord | undefined,
  now: number,
  fallbackSeconds: number,
): Observation {
  if (before !== undefined && sameRecord(before.record, record)) return before;
  const guarded = record === undefined ? (before?.guarded ?? 0) : durationOf(record, fallbackSeconds);
  return { record, since: now, guarded };
}

/** Whether this candidate may take the lease: it is free, already its own, or expired. */
export function mayTake({ record, since, guarded }: Observation, identity: string, now: number): boolean {
  return guarded === 0 || record?.holder === identity || now - since > guarded;
}

function durationOf({ holder, durationSeconds }: LeaseRecord, fallbackSeconds: number): number {
  if (holder === '') return 0;
  return (durationSeconds > 0 ? durationSeconds : fallbackSeconds) * 1000;
}

function sameRecord(a: LeaseRecord | undefined, b: LeaseRecord | undefined): boolean {
  return a === undefined || b === undefined ? a === b : fingerprint(a) === fingerprint(b);
}

function fingerprint(record: LeaseRecord): string {
  const { holder, acquireTime, renewTime, durationSeconds, transitions, resourceVersion } = record;
  const times = [acquireTime.getTime(), renewTime.getTime()];
  return JSON.stringify([holder, ...times, durationSeconds, transitions, resourceVersion]);
}

/** The exclusive right to write while it lasts. */
export interface Leadership {
  /** Aborted when the lease is lost or released; final. */
  readonly signal: AbortSignal;
  /**
   * Whether writing is safe now: check before every write. Turns false some time before anyone else can take the lease,
   * also when a renewal hangs or this process was suspended.
   */
  mayWrite(): boolean;
  /** Increases with every new leader: of two writers the one with the lower number is the older. */
  readonly transitions: number;
}

/** A moment on both the wall clock and the steady clock. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** A leadership with what its holder needs to renew it. */
export interface Term extends Leadership {
  /** As last stored; undefined when unknown. */
  record: LeaseRecord | undefined;
  /** Milliseconds until it is lost. */
  left(): number;
  /** Records a successful renewal that was sent at this moment. */
  renewed(sent: Moment, record: LeaseRecord): void;
  end(reason: string): void;
}

export function momentOf(clock: SteadyClock): Moment {
  return { steady: clock.steady(), wall: clock.now().getTime() };
}

/**
 * A term ends `lifetime` milliseconds after its last renewal was **sent**: any other candidate sees that renewal later, and
 * waits longer. The clock that shows the longer time counts, since the steady clock stops while a machine sleeps.
 */
export function leaseTerm(clock: SteadyClock, lifetime: number, sent: Moment, record: LeaseRecord): Term {
  const over = new AbortController();
  let last = sent;
  const left = (): number => {
    const now = momentOf(clock);
    return lifetime - Math.max(now.steady - last.steady, now.wall - last.wall);
  };
  const end = (reason: string): void => over.abort(new Error(reason));
  const mayWrite = (): boolean => {
    if (!over.signal.aborted && left() <= 0) end('the lease was not renewed in time');
    return !over.signal.aborted;
  };
  return {
    record,
    signal: over.signal,
    transitions: record.transitions,
    left,
    end,
    mayWrite,
    renewed(at, stored) {
      if (!mayWrite()) return;
      last = at;
      this.record = stored;
    },
  };
}
