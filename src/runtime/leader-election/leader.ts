import { hostname } from 'node:os';
import { EchelonError } from '../../base/index.ts';
import { linked, outcomeOf, type Random, type SteadyClock, systemClock, systemRandom } from '../clock.ts';
import type { LoopHealth } from '../health.ts';
import { type Logger, silentLogger } from '../logs.ts';
import type { LoopEnd } from '../loop.ts';
import { type LeaderLease, leaderLease } from './lease.ts';
import type { Leadership, LeaseApi, LeaseRecord } from './term.ts';

export interface AsLeader {
  readonly lease: LeaderLease;
  readonly signal: AbortSignal;
  readonly health: LoopHealth;
  readonly logger: Logger;
  /** Whether ending before any work ran is a failure. */
  readonly runOnce?: boolean | undefined;
  /** The leader's work; its signal is aborted on shutdown or when the lease is lost. */
  readonly run: (leadership: Leadership, signal: AbortSignal) => Promise<LoopEnd>;
}

/**
 * Runs the work while leading and stays on standby otherwise, until the signal is aborted or the work ends. The lease is
 * released only when the work has ended; if the work may still run, the lease is left to expire.
 */
export async function runAsLeader(parts: AsLeader): Promise<LoopEnd> {
  for (;;) {
    const leadership = await standBy(parts);
    if (leadership === undefined) return { code: parts.runOnce ? 1 : 0, abandoned: false };
    const end = await lead(parts, leadership);
    if (end !== 'lost') return end;
    parts.logger.warn('lease lost, going to standby');
  }
}

/** Undefined when the shutdown comes first. */
async function standBy({ lease, signal, health }: AsLeader): Promise<Leadership | undefined> {
  health.waiting('waiting for the lease');
  const acquired = await outcomeOf(() => lease.acquire(signal));
  health.beat();
  if (acquired.kind === 'value') return acquired.value;
  await lease.release();
  if (signal.aborted) return undefined;
  throw acquired.thrown;
}

async function lead({ lease, signal, run }: AsLeader, leadership: Leadership): Promise<LoopEnd | 'lost'> {
  const ended = await outcomeOf(() => runWhile(leadership, signal, run));
  if (ended.kind === 'value' && ended.value.abandoned) {
    lease.abandon();
    return ended.value;
  }
  const lost = leadership.signal.aborted && !signal.aborted;
  if (!lost) await lease.release();
  if (ended.kind === 'thrown') throw ended.thrown;
  return lost ? 'lost' : ended.value;
}

async function runWhile(leadership: Leadership, signal: AbortSignal, run: AsLeader['run']): Promise<LoopEnd> {
  const { controller, unlink } = linked(signal, leadership.signal);
  try {
    return await run(leadership, controller.signal);
  } finally {
    unlink();
  }
}

interface HeldLeaseOptions {
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
export async function withHeldLease<T>(
  { api, name, signal, clock = systemClock, random = systemRandom }: HeldLeaseOptions,
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

/** Permission to write, checked by every attempt of a write. */
type Permit = Pick<Leadership, 'mayWrite' | 'signal'>;

/** Who may write in this process: no one, until that is decided. */
export interface WritePermits {
  /** Undefined where no lease is used: writing is not restricted. */
  current(): Permit | undefined;
  /** A leadership, or undefined where no lease is used. */
  grant(permit: Permit | undefined): void;
}

export function writePermits(): WritePermits {
  let permit: Permit | undefined = {
    mayWrite: () => false,
    signal: AbortSignal.abort(new Error('the lease is not held')),
  };
  return {
    current: () => permit,
    grant: (next) => {
      permit = next;
    },
  };
}
