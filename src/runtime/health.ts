import type { SteadyClock } from './clock.ts';

export interface HealthState {
  readonly ok: boolean;
  /** One line for people. */
  readonly reason: string;
}

/** What probes ask. */
export interface Health {
  /** Whether the loop still goes on; if not, only a restart helps. */
  live(): HealthState;
  /** Whether the process does its work, or stands by to do it. */
  ready(): HealthState;
}

/** What the loop tells. */
export interface LoopHealth extends Health {
  /** A pass begins or ends, well or not. */
  beat(): void;
  /** A pass has ended well. */
  succeeded(): void;
  /** Standing by, such as for the lease, until the next beat. */
  waiting(reason: string): void;
}

const SHORTEST_LIMIT_SECONDS = 30 * 60;
const POLLS = 3;

/** How long the loop may be silent: a pass over a large fleet takes minutes, and a poll may be far apart. */
export function silenceLimitSeconds(pollSeconds: number): number {
  return Math.max(SHORTEST_LIMIT_SECONDS, POLLS * pollSeconds);
}

export function createHealth(clock: Pick<SteadyClock, 'steady'>, limitSeconds = SHORTEST_LIMIT_SECONDS): LoopHealth {
  let last = clock.steady();
  let ready = false;
  let waiting: string | undefined;
  const beat = (): void => {
    last = clock.steady();
    waiting = undefined;
  };
  return {
    beat,
    succeeded: () => {
      beat();
      ready = true;
    },
    waiting: (reason) => {
      beat();
      waiting = reason;
    },
    live: () => {
      if (waiting !== undefined) return { ok: true, reason: waiting };
      const silent = Math.floor((clock.steady() - last) / 1000);
      return silent <= limitSeconds
        ? { ok: true, reason: `last sign of life ${silent} s ago` }
        : { ok: false, reason: `no sign of life for ${silent} s, more than ${limitSeconds} s` };
    },
    ready: () => {
      if (waiting !== undefined) return { ok: true, reason: waiting };
      return ready ? { ok: true, reason: 'ready' } : { ok: false, reason: 'no pass has succeeded yet' };
    },
  };
}
