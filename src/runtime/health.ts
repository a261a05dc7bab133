import type { SteadyClock } from './clock.ts';

export interface HealthState {
  readonly ok: boolean;
  /** One line of plain text. */
  readonly reason: string;
}

/** What probes check. */
export interface Health {
  /** Whether the loop is still running; if not, only a restart helps. */
  live(): HealthState;
  /** Whether the process is working, or on standby. */
  ready(): HealthState;
}

/** What the loop reports. */
export interface LoopHealth extends Health {
  /** A pass started or ended, successfully or not. */
  beat(): void;
  /** A pass succeeded. */
  succeeded(): void;
  /** On standby, such as for the lease, until the next beat. */
  waiting(reason: string): void;
  /** Why this process cannot lead, until it is undefined: it is not ready then, but a restart does not help either. */
  hindered(problem: string | undefined): void;
}

const SHORTEST_LIMIT_SECONDS = 30 * 60;
const POLLS = 3;

/** How long a pass that has timed out may take to end. */
const STOPPING_SECONDS = 60;

/** How long the loop may be silent: a pass over a large fleet takes minutes, and polls may be far apart. */
export function silenceLimitSeconds(pollSeconds: number, timeoutSeconds = 0): number {
  return Math.max(SHORTEST_LIMIT_SECONDS, POLLS * pollSeconds, timeoutSeconds + STOPPING_SECONDS);
}

export function createHealth(clock: Pick<SteadyClock, 'steady'>, limitSeconds = SHORTEST_LIMIT_SECONDS): LoopHealth {
  let last = clock.steady();
  let ready = false;
  let waiting: string | undefined;
  let problem: string | undefined;
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
    hindered: (why) => {
      problem = why;
    },
    live: () => {
      if (waiting !== undefined) return { ok: true, reason: waiting };
      const silent = Math.floor((clock.steady() - last) / 1000);
      return silent <= limitSeconds
        ? { ok: true, reason: `last activity ${silent} s ago` }
        : { ok: false, reason: `no activity for ${silent} s, limit ${limitSeconds} s` };
    },
    ready: () => {
      if (problem !== undefined) return { ok: false, reason: problem };
      if (waiting !== undefined) return { ok: true, reason: waiting };
      return ready ? { ok: true, reason: 'ready' } : { ok: false, reason: 'no pass has succeeded yet' };
    },
  };
}
