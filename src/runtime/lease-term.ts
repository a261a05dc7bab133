import type { SteadyClock } from './clock.ts';
import type { LeaseRecord } from './lease-api.ts';

/** The right to act alone, for as long as it lasts. */
export interface Leadership {
  /** Aborted when the lease is lost or given back; it never comes back to life. */
  readonly signal: AbortSignal;
  /**
   * Whether writing is safe now: ask before every write. False early enough before anybody else can take the lease,
   * also when a renewal hangs, or when this process was stopped for a while.
   */
  mayWrite(): boolean;
  /** Grows with every new leader: of two writers the one with the lower number is the older. */
  readonly transitions: number;
}

/** A moment on both clocks of this machine. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** One leadership as its keeper sees it. */
export interface Term extends Leadership {
  /** As stored last; undefined when that is not known. */
  record: LeaseRecord | undefined;
  /** Milliseconds until it is lost. */
  left(): number;
  /** A renewal succeeded that was sent at this moment. */
  renewed(sent: Moment, record: LeaseRecord): void;
  end(reason: string): void;
}

export function momentOf(clock: SteadyClock): Moment {
  return { steady: clock.steady(), wall: clock.now().getTime() };
}

/**
 * A term ends `lifetime` milliseconds after its last renewal was **sent**: whoever sees that renewal sees it later, and
 * waits longer. Time counts on the clock that shows more of it, since the steady clock stands while a machine sleeps.
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
