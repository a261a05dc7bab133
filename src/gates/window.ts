import { type CronSchedule, compileCron, memoize, type ParsedCron } from '../base/index.ts';
import { type CronDialect, translateCron } from './cron-dialect.ts';
import { type Instant, instantOf, later, millisecondsOf } from './instant.ts';

/** How far ahead of a slot something must be, and may be, scheduled, in microseconds. */
export interface Timing {
  readonly lead: number;
  readonly window: number;
}

/** Whether a schedule is due now. `slot` is when it would start; a fault means that it never does. */
export type Due =
  | { readonly due: boolean; readonly slot: Instant; readonly opens: Instant }
  | { readonly due: false; readonly fault: string };

const MAX_KNOWN = 1_000;
/** How far ahead the end of a time that is due is searched. */
const MOST_SLOTS = 1_000;
/** Caches the last slot found, and the time it was searched from: the search is slow and often repeated. */
type Compiled = ParsedCron<CronSchedule> & {
  known?: { readonly from: number; readonly slot: number };
  /** A time in which it is due throughout. */
  stretch?: { readonly timing: Timing; readonly from: Instant; readonly until: Instant };
};
type Sound = Extract<Compiled, CronSchedule>;

const compile: Readonly<Record<CronDialect, (text: string) => Compiled>> = {
  'five-fields': memoize(MAX_KNOWN, (text) => compileCron(translateCron(text, 'five-fields'))),
  croniter: memoize(MAX_KNOWN, (text) => compileCron(translateCron(text, 'croniter'))),
};

/** Why a text is not a valid schedule; undefined for a valid one. */
export function scheduleFault(text: string, dialect: CronDialect): string | undefined {
  const compiled = compile[dialect](text);
  return 'fault' in compiled ? compiled.fault : undefined;
}

/** Whether any date matches a valid schedule; an impossible one such as `0 0 30 2 *` shows only in a search. */
export function everMatches(text: string, dialect: CronDialect): boolean {
  return hasDates[dialect](text);
}

/** The search is slow, and every pass reads the same few schedules. */
const hasDates: Readonly<Record<CronDialect, (text: string) => boolean>> = {
  'five-fields': memoize(MAX_KNOWN, (text) => hasDate(compile['five-fields'](text))),
  croniter: memoize(MAX_KNOWN, (text) => hasDate(compile.croniter(text))),
};

function hasDate(compiled: Compiled): boolean {
  return !('fault' in compiled) && compiled.next(0) !== undefined;
}

/** The schedule restricts both the day of the month and the weekday; other tools match either. */
export function restrictsBothDays(text: string): boolean {
  const [, , day = '*', , weekday = '*'] = text.trim().split(/\s+/);
  return ![day, weekday].some((field) => field === '*' || field === '?');
}

/** Due when the first slot strictly after `now + lead` is at most `window` after `now`. Everything in UTC. */
export function windowAt(text: string, now: Instant, options: { dialect: CronDialect; timing: Timing }): Due {
  const { dialect, timing } = options;
  const compiled = compile[dialect](text);
  if ('fault' in compiled)
    return { due: false, fault: `${JSON.stringify(text)} is not a valid schedule: ${compiled.fault}` };
  const next = nextSlot(compiled, wholeSecond(later(now, timing.lead)));
  if (next === undefined) return { due: false, fault: `the schedule ${JSON.stringify(text)} has no future date` };
  const slot = instantOf(next);
  return { due: slot - now <= timing.window, slot, opens: later(slot, -timing.window) };
}

/**
 * The earliest time at which a schedule can become due, or stop being due: what `windowAt` says of that, it says until then.
 * A dense schedule is due for long; the search ends after some slots, so that it may have to be repeated from there.
 */
export function windowUntil(text: string, now: Instant, options: { dialect: CronDialect; timing: Timing }): number {
  const { dialect, timing } = options;
  const due = windowAt(text, now, options);
  if ('fault' in due) return Number.POSITIVE_INFINITY;
  if (!due.due) return due.opens;
  const compiled = compile[dialect](text);
  if ('fault' in compiled) return Number.POSITIVE_INFINITY;
  const { stretch } = compiled;
  if (stretch !== undefined && stretch.timing === timing && stretch.from <= now && now < stretch.until)
    return stretch.until;
  let { slot } = due;
  for (let slots = 1; slots < MOST_SLOTS; slots += 1) {
    const next = compiled.next(millisecondsOf(slot));
    if (next === undefined || instantOf(next) - later(slot, -timing.lead) > timing.window) break;
    slot = instantOf(next);
  }
  const until = later(slot, -timing.lead);
  compiled.stretch = { timing, from: now, until };
  return until;
}

/** The first slot strictly after a time, in milliseconds. It stays the same until it has passed. */
function nextSlot(compiled: Sound, after: number): number | undefined {
  const { known } = compiled;
  if (known !== undefined && known.from <= after && after < known.slot) return known.slot;
  const slot = compiled.next(after);
  if (slot !== undefined) compiled.known = { from: after, slot };
  return slot;
}

/** Slots are whole seconds, so the first one after a second is the first one after any part of it. */
function wholeSecond(instant: Instant): number {
  return Math.floor(millisecondsOf(instant) / 1_000) * 1_000;
}
