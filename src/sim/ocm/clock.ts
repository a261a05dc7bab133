import { EchelonError } from '../../base/index.ts';

/** The time of a simulated world. Compatible with the clocks of `runtime/`. */
export interface SimClock {
  now(): Date;
  /** Absent on a real clock. */
  advanceTo?(moment: Date): void | Promise<void>;
}

/** A clock that advances only on request. */
export interface ManualClock extends SimClock {
  advanceTo(moment: Date): void;
}

export function manualClock(start: Date): ManualClock {
  let now = start.getTime();
  return {
    now: () => new Date(now),
    advanceTo: (moment) => {
      if (!(moment.getTime() >= now)) throw backwards(new Date(now), moment);
      now = moment.getTime();
    },
  };
}

/** The wall clock, or one that runs `speed` times as fast since `start`. */
export function runningClock(speed = 1, wall: () => number = Date.now, start = wall()): SimClock {
  return { now: () => new Date(start + (wall() - start) * speed) };
}

function backwards(now: Date, moment: Date): EchelonError {
  const asked = Number.isNaN(moment.getTime()) ? 'an invalid date' : moment.toISOString();
  return new EchelonError({
    code: 'SIM_TIME_INVALID',
    message: `cannot advance to ${asked}: the simulated time is ${now.toISOString()}`,
    hint: 'use a time in the future',
  });
}
