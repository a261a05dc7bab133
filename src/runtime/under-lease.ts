import { hostname } from 'node:os';
import { EchelonError } from '../base/index.ts';
import { type SteadyClock, systemClock } from './clock.ts';
import { leaderLease } from './lease.ts';
import type { LeaseApi, LeaseRecord } from './lease-api.ts';
import type { Leadership } from './lease-term.ts';
import { silentLogger } from './logger.ts';
import { type Random, systemRandom } from './random.ts';

export interface UnderLease {
  readonly api: LeaseApi;
  /** The lease in words, such as `CLUSTER/NAMESPACE/NAME`. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly clock?: SteadyClock;
  readonly random?: Random;
}

/** Longer than a lease that nobody renews any more is valid. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Runs a command's work as the holder of a lease, then releases it. A lease that another holds and renews is refused at once:
 * its holder does the work. One that its holder left behind is taken when it has expired.
 */
export async function underLease<T>(
  { api, name, signal, clock = systemClock, random = systemRandom }: UnderLease,
  work: (leadership: Leadership) => Promise<T>,
): Promise<T> {
  const found = await api.read(signal);
  if (found !== undefined && isRenewed(found, clock.now())) throw held(name, found);
  const over = new AbortController();
  const onAccess = (_request: unknown, _outcome: unknown, problem: string | undefined): void => {
    if (problem !== undefined) over.abort(unavailable(name, problem));
  };
  const lease = leaderLease({ api, holder: hostname(), clock, random, logger: silentLogger, onAccess });
  const taken = new AbortController();
  clock.sleep(LONGEST_WAIT_MS, taken.signal).then(
    () => over.abort(unavailable(name, 'another process took it first')),
    () => undefined,
  );
  try {
    const leadership = await lease.acquire(AbortSignal.any([signal, over.signal]));
    taken.abort();
    return await work(leadership);
  } finally {
    taken.abort();
    await lease.release();
  }
}

/** By the wall clock: where clocks disagree, the lease is still not taken before it was seen to expire. */
function isRenewed({ holder, renewTime, durationSeconds }: LeaseRecord, now: Date): boolean {
  return holder !== '' && renewTime.getTime() + durationSeconds * 1_000 > now.getTime();
}

function held(name: string, { holder, renewTime }: LeaseRecord): EchelonError {
  return new EchelonError({
    code: 'LEASE_HELD',
    message: `lease ${name} is held by ${holder}, which renewed it at ${renewTime.toISOString()}. Nothing was applied`,
    hint: 'leave it to the holder, or stop that first',
  });
}

function unavailable(name: string, why: string): EchelonError {
  return new EchelonError({
    code: 'LEASE_UNAVAILABLE',
    message: `cannot take lease ${name}: ${why}. Nothing was applied`,
    hint: 'check its place, and the permission to get, create and update it',
  });
}
