import { EchelonError, isLoopbackHost } from '../../../base/index.ts';

export interface PlanClock {
  now(): Date;
  /** How requests wait before the next attempt; real time when absent. */
  sleep?(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The time of this machine, or that of a simulated OCM whose time runs faster. */
export interface UpgradesClock extends PlanClock {
  readonly simulated: boolean;
}

const VARIABLE = 'ECHELON_SIM_CLOCK';

/** `2026-03-02T00:00:00.000Z*60`: since then time runs sixty times as fast. `sim ocm --speed` prints it. */
export function clockOf(env: Readonly<Record<string, string | undefined>>, wall = Date.now): UpgradesClock {
  const given = env[VARIABLE];
  if (given === undefined || given === '') return { simulated: false, now: () => new Date(wall()) };
  const [, text = '', speed = ''] = /^([^*]+)\*(\d{1,6})$/.exec(given) ?? [];
  const start = Date.parse(text);
  if (Number.isNaN(start) || Number(speed) < 1) throw invalidClock(given);
  return { simulated: true, now: () => new Date(start + (wall() - start) * Number(speed)) };
}

/** A faster clock would schedule the upgrades of a real OCM for the wrong time. */
export function requireSimulated(url: string): void {
  if (isLoopbackHost(new URL(url).hostname)) return;
  throw new EchelonError({
    code: 'SIM_CLOCK_REFUSED',
    message: `${VARIABLE} is set, but ${url} is not on this machine and has no simulated time`,
    hint: `unset ${VARIABLE}, or use the URL that echelon sim ocm prints`,
  });
}

function invalidClock(given: string): EchelonError {
  return new EchelonError({
    code: 'SIM_CLOCK_INVALID',
    message: `${VARIABLE}=${given} is not a simulated clock`,
    hint: 'use the value that echelon sim ocm --clock real --speed prints, such as 2026-03-02T00:00:00.000Z*60',
  });
}
