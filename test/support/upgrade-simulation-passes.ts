import { readSchedule } from './upgrade-simulation-cron.ts';
import type { Dice } from './upgrade-simulation-dice.ts';
import {
  CALL_CLASSES,
  type CallClass,
  DAY,
  type Fault,
  type FaultKind,
  type Minute,
  momentOf,
  type PassPlan,
  type Who,
} from './upgrade-simulation-scenario.ts';

/** Nothing is late, stale or slow for longer. */
export const MOST_LATE_MINUTES = 8;
export const MOST_STALE_MINUTES = 8;
export const MOST_SLOW_MINUTES = 2;
/** Clocks that are wrong while two schedulers work at once. */
export const MOST_SKEW_MINUTES = 3;
/** A clock that jumps while one works alone. */
export const MOST_JUMP_MINUTES = 6 * 60;

/** The longest before a slot at which it is due, and the shortest. */
const WINDOW = { most: 115, least: 10 };

/** Slots of a day that no pass can miss all of. */
const MANY_SLOTS = 24;

/** At slots of the schedules, and in between at intervals from minutes to half a day. */
export function drawTimes(draw: Dice, schedules: readonly string[], days: number, quietFrom: Minute): Minute[] {
  const times = new Set<Minute>();
  const read = schedules.flatMap((text) => readSchedule(text) ?? []);
  for (let day = 0; day < days; day += 1) {
    for (const schedule of read) {
      const slots = schedule.slotsOn(momentOf(day * DAY));
      const isWanted = draw.chance(0.4) || (day * DAY >= quietFrom && slots.length < MANY_SLOTS);
      if (slots.length === 0 || !isWanted) continue;
      times.add(Math.max(0, day * DAY + draw.pick(slots) - draw.int(WINDOW.least, WINDOW.most)));
    }
  }
  for (let at = draw.int(0, DAY); at < days * DAY; at += draw.pick([10, 45, 360, 720, 1080, 1440])) times.add(at);
  return [...times].filter((at) => at < days * DAY).sort((a, b) => a - b);
}

const NO_SKEW: PassPlan['clock'] = { a: 0, b: 0 };
const UNDISTURBED: Omit<PassPlan, 'at'> = { who: ['a'], turns: false, clock: NO_SKEW, faults: [], blockAfter: false };

export function drawPasses(draw: Dice, times: readonly Minute[], quietFrom: Minute): PassPlan[] {
  let leader: Who = 'a';
  let jump = 0;
  return times.map((at): PassPlan => {
    if (at >= quietFrom) return { at, ...UNDISTURBED };
    if (draw.chance(0.03)) leader = leader === 'a' ? 'b' : 'a';
    jump = nextJump(draw, jump);
    return { at, ...drawPass(draw, leader, jump) };
  });
}

function drawPass(draw: Dice, leader: Who, jump: number): Omit<PassPlan, 'at'> {
  const both = jump === 0 && draw.chance(0.12);
  const who: Who[] = both ? ['a', 'b'] : [leader];
  const faults = draw.chance(0.4) ? who.flatMap((each) => drawFaults(draw, each)) : [];
  return {
    who,
    faults,
    turns: both || draw.chance(0.06),
    clock: both ? drawSkew(draw) : { ...NO_SKEW, [leader]: jump },
    blockAfter: draw.chance(0.2),
  };
}

/** A jump lasts for some passes. */
function nextJump(draw: Dice, jump: number): number {
  if (jump !== 0) return draw.chance(0.4) ? 0 : jump;
  if (!draw.chance(0.015)) return 0;
  return draw.pick([-1, 1]) * draw.int(1, draw.chance(0.5) ? 20 : MOST_JUMP_MINUTES);
}

function drawSkew(draw: Dice): PassPlan['clock'] {
  return draw.chance(0.5) ? NO_SKEW : { a: 0, b: draw.int(-MOST_SKEW_MINUTES, MOST_SKEW_MINUTES) };
}

const KINDS: Readonly<Record<CallClass, readonly FaultKind[]>> = {
  any: ['refuse', 'lose-answer', 'slow', 'crash-before', 'crash-after'],
  read: ['refuse', 'stale', 'stale', 'slow'],
  write: ['refuse', 'lose-answer', 'slow', 'crash-before', 'crash-after'],
  create: ['refuse', 'lose-answer', 'never-arrive', 'arrive-late', 'crash-before', 'crash-after', 'slow'],
  'store-read': ['refuse', 'slow', 'crash-before'],
  'store-write': ['refuse', 'lose-answer', 'slow', 'crash-before', 'crash-after'],
};

const MINUTES: Partial<Readonly<Record<FaultKind, number>>> = {
  'arrive-late': MOST_LATE_MINUTES,
  stale: MOST_STALE_MINUTES,
  slow: MOST_SLOW_MINUTES,
};

function drawFaults(draw: Dice, who: Who): Fault[] {
  return Array.from({ length: draw.int(1, 3) }, () => {
    const on = draw.chance(0.4) ? 'create' : draw.pick(CALL_CLASSES);
    const kind = draw.pick(KINDS[on]);
    return {
      ...{ who, on, kind },
      nth: draw.int(1, on === 'any' || on === 'read' ? 24 : 2),
      lasting: !kind.startsWith('crash') && kind !== 'slow' && draw.chance(0.3),
      minutes: draw.int(1, MINUTES[kind] ?? 1),
    };
  });
}
