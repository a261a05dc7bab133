import type { LoopHealth } from './health.ts';
import type { LeaderLease } from './lease.ts';
import type { Leadership } from './lease-term.ts';
import type { Logger } from './logger.ts';
import type { LoopEnd } from './loop.ts';
import { linked, outcomeOf } from './race.ts';

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
