import { EchelonError } from '../../base/index.ts';

/** The time of a simulated world. The clocks of `runtime/` fit. */
export interface SimClock {
  now(): Date;
  /** Absent on a clock that runs by itself. */
  advanceTo?(moment: Date): void | Promise<void>;
}

/** A clock that stands still until its owner moves it. */
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

/** The wall clock, or one that starts with it and runs `speed` times as fast. */
export function runningClock(speed = 1, wall: () => number = Date.now): SimClock {
  const start = wall();
  return { now: () => new Date(start + (wall() - start) * speed) };
}

function backwards(now: Date, moment: Date): EchelonError {
  const asked = Number.isNaN(moment.getTime()) ? 'no date' : moment.toISOString();
  return new EchelonError({
    code: 'SIM_TIME_INVALID',
    message: `the simulator cannot advance to ${asked}: it is ${now.toISOString()} there`,
    hint: 'name a moment that is still to come',
  });
}
