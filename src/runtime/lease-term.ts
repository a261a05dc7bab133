import type { SteadyClock } from './clock.ts';
import type { LeaseRecord } from './lease-api.ts';

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
