import { memoize } from '../base/index.ts';
import { type CompiledCron, compileCron } from '../instance/index.ts';
import { type CronDialect, translateCron } from './cron-dialect.ts';
import { type Instant, instantOf, later, millisecondsOf } from './instant.ts';

/** How far ahead of a slot something must be, and may be, scheduled, in microseconds. */
export interface Timing {
  readonly lead: number;
  readonly window: number;
}

/** Whether a schedule asks for something now. `slot` is when it would start; a fault is a schedule that never does. */
export type Due =
  | { readonly due: boolean; readonly slot: Instant; readonly opens: Instant }
  | { readonly due: false; readonly fault: string };

const MAX_KNOWN = 1_000;
/** With the slot that was found last, and after which time: finding one takes long, and many ask for the same. */
type Compiled = CompiledCron & { known?: { readonly asked: number; readonly slot: number } };
type Found = Extract<Compiled, { readonly cron: unknown }>;

const compile: Readonly<Record<CronDialect, (text: string) => Compiled>> = {
  'five-fields': memoize(MAX_KNOWN, (text) => compileCron(translateCron(text, 'five-fields'))),
  croniter: memoize(MAX_KNOWN, (text) => compileCron(translateCron(text, 'croniter'))),
};

/** What keeps a text from being a schedule at all, or nothing. */
export function scheduleFault(text: string, dialect: CronDialect): string | undefined {
  const compiled = compile[dialect](text);
  return 'fault' in compiled ? compiled.fault : undefined;
}

/** Whether some date matches a sound schedule; an impossible one such as `0 0 30 2 *` is found only by looking. */
export function everMatches(text: string, dialect: CronDialect): boolean {
  return comes[dialect](text);
}

/** Looking takes long, and the same few schedules are read in every pass. */
const comes: Readonly<Record<CronDialect, (text: string) => boolean>> = {
  'five-fields': memoize(MAX_KNOWN, (text) => isFound(compile['five-fields'](text))),
  croniter: memoize(MAX_KNOWN, (text) => isFound(compile.croniter(text))),
};

function isFound(compiled: Compiled): boolean {
  return 'cron' in compiled && compiled.cron.nextRun(new Date(0)) !== null;
}

/** Both a day of the month and a weekday are asked for; other tools would take either. */
export function asksForBothDays(text: string): boolean {
  const [, , day = '*', , weekday = '*'] = text.trim().split(/\s+/);
  return ![day, weekday].some((field) => field === '*' || field === '?');
}

/** Due when the first slot strictly after `now + lead` is at most `window` after `now`. Everything in UTC. */
export function windowAt(text: string, now: Instant, options: { dialect: CronDialect; timing: Timing }): Due {
  const { dialect, timing } = options;
  const compiled = compile[dialect](text);
  if ('fault' in compiled) return { due: false, fault: `${JSON.stringify(text)} is no schedule: ${compiled.fault}` };
  const next = nextSlot(compiled, wholeSecond(later(now, timing.lead)));
  if (next === undefined) return { due: false, fault: `the schedule ${JSON.stringify(text)} never comes again` };
  const slot = instantOf(next);
  return { due: slot - now <= timing.window, slot, opens: later(slot, -timing.window) };
}

/** The first slot strictly after a time, in milliseconds. It stays the same until it has come. */
function nextSlot(compiled: Found, after: number): number | undefined {
  const { known } = compiled;
  if (known !== undefined && known.asked <= after && after < known.slot) return known.slot;
  const slot = compiled.cron.nextRun(new Date(after))?.getTime();
  if (slot !== undefined) compiled.known = { asked: after, slot };
  return slot;
}

/** Slots are whole seconds, so the first one after a second is the first one after any part of it. */
function wholeSecond(instant: Instant): number {
  return Math.floor(millisecondsOf(instant) / 1_000) * 1_000;
}
