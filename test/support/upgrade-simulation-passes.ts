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
const MOST_JUMP_MINUTES = 6 * 60;
/** One that is days ahead. */
const LONG_JUMP = { mostDays: 9, most: 3, passes: 3 };
/** What such a clock scheduled is over before faults end. */
const LONG_JUMPS_END = (LONG_JUMP.mostDays + 3) * DAY;

/** How far before a slot it is due; what comes later has missed it. */
const WINDOW = { most: 115, least: 7 };
const JUST_BEFORE = { most: 13, least: 3 };
/** Slots of a day that no pass can miss all of. */
const MANY_SLOTS = 24;
/** Between passes that follow each other closely, before, while and after upgrades run. */
const CLOSE = [1, 2, 3, 5, 8, 15, 40, 75] as const;
/** Between others. */
const APART = [12, 24, 36, 48].map((hours) => hours * 60);

/** At first in bursts, many of them just before a slot; from `quietFrom` on at every slot. */
export function drawTimes(draw: Dice, schedules: readonly string[], days: number, quietFrom: Minute): Minute[] {
  const times = new Set<Minute>();
  const read = schedules.flatMap((text) => readSchedule(text) ?? []);
  for (let at = 0; at < days * DAY; at += draw.pick(APART)) times.add(at + draw.int(0, 6 * 60));
  for (let day = 0; day < days; day += 1) {
    const slots = read.map((schedule) => schedule.slotsOn(momentOf(day * DAY)));
    for (const time of day * DAY < quietFrom ? drawBurst(draw, slots) : drawWindows(draw, slots))
      times.add(day * DAY + time);
  }
  return [...times].filter((at) => at >= 0 && at < days * DAY).sort((a, b) => a - b);
}

/** On every third day or so. */
function drawBurst(draw: Dice, slots: readonly (readonly number[])[]): number[] {
  if (draw.chance(0.64)) return [];
  const some = slots.filter((each) => each.length > 0 && (each.length < MANY_SLOTS || draw.chance(0.3)));
  const before = draw.chance(0.6) ? JUST_BEFORE : WINDOW;
  let at = some.length === 0 ? draw.int(0, DAY) : draw.pick(draw.pick(some)) - draw.int(before.least, before.most);
  return Array.from({ length: draw.int(2, 5) }, () => {
    at += draw.pick(CLOSE);
    return at;
  });
}

function drawWindows(draw: Dice, slots: readonly (readonly number[])[]): number[] {
  const rare = slots.filter((each) => each.length > 0 && each.length < MANY_SLOTS);
  return rare.map((each) => draw.pick(each) - draw.int(WINDOW.least, WINDOW.most));
}

const NO_SKEW: PassPlan['clock'] = { a: 0, b: 0 };
const UNDISTURBED: Omit<PassPlan, 'at'> = { who: ['a'], turns: false, clock: NO_SKEW, faults: [] };

export function drawPasses(draw: Dice, times: readonly Minute[], quietFrom: Minute): PassPlan[] {
  let leader: Who = 'a';
  let jump = 0;
  return times.map((at): PassPlan => {
    if (at >= quietFrom) return { at, ...UNDISTURBED };
    if (draw.chance(0.12)) leader = leader === 'a' ? 'b' : 'a';
    jump = nextJump(draw, jump);
    return { at, ...drawPass(draw, leader, jump) };
  });
}

/** The same passes with a clock that is days ahead in some of those in which one works alone with a clock that is right. */
export function withLongJumps(draw: Dice, passes: readonly PassPlan[], quietFrom: Minute): PassPlan[] {
  const ahead = new Map<number, number>();
  const last = passes.findLastIndex(({ at }) => at < quietFrom - LONG_JUMPS_END);
  if (last < 0) return [...passes];
  for (let left = draw.int(1, LONG_JUMP.most); left > 0; left -= 1) {
    const minutes = draw.int(DAY, LONG_JUMP.mostDays * DAY);
    const from = draw.int(0, last);
    for (let index = from; index < from + draw.int(1, LONG_JUMP.passes); index += 1) ahead.set(index, minutes);
  }
  return passes.map((plan, index) => {
    const [who, other] = plan.who;
    const minutes = ahead.get(index);
    if (minutes === undefined || who === undefined || other !== undefined || plan.clock[who] !== 0) return plan;
    return { ...plan, clock: { ...NO_SKEW, [who]: minutes } };
  });
}

function drawPass(draw: Dice, leader: Who, jump: number): Omit<PassPlan, 'at'> {
  const both = jump === 0 && draw.chance(0.2);
  const who: Who[] = both ? ['a', 'b'] : [leader];
  const faults = draw.chance(0.4) ? who.flatMap((each) => drawFaults(draw, each)) : [];
  return {
    who,
    faults,
    turns: both || draw.chance(0.06),
    clock: both ? drawSkew(draw) : { ...NO_SKEW, [leader]: jump },
    ...(draw.chance(0.35) ? { reaction: draw.pick(['block', 'sicken']) } : {}),
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
