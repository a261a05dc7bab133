import { type CronDays, type DayRule, parseCronDays } from './cron-days.ts';
import { CRON_FIELDS, type ParsedCron, parseCronValues } from './cron-field.ts';
import { type CronTimes, parseCronTimes } from './cron-times.ts';

/** When a schedule matches, in UTC. */
export interface CronSchedule {
  /** The first match strictly after a time; both in milliseconds since 1970. Undefined if there is none. */
  next(after: number): number | undefined;
}

/** The texts of the fields. `L` is the last day of the month, `5L` its last Friday, `5#2` its second Friday. */
export interface CronFieldTexts {
  readonly second?: string;
  readonly minute: string;
  readonly hour: string;
  readonly day: string;
  readonly month: string;
  readonly weekday: string;
  readonly year?: string;
}

const SECOND = 1_000;
/** 29 February falls on a given weekday every 28 years, or 40 around a century that is not a leap year. */
const LONGEST_GAP = 41;

export function parseCronSchedule(texts: CronFieldTexts, rule: DayRule = 'both'): ParsedCron<CronSchedule> {
  const times = parseCronTimes(texts.second ?? '0', texts.minute, texts.hour);
  const months = parseCronValues(texts.month, CRON_FIELDS.month);
  const years = texts.year === undefined ? undefined : parseCronValues(texts.year, CRON_FIELDS.year);
  const days = parseCronDays(texts, rule);
  for (const part of [times, months, years, days]) if (part !== undefined && 'fault' in part) return part;
  return scheduleOf({ times, months, years, days } as Parts);
}

interface Parts {
  readonly times: CronTimes;
  readonly months: ReadonlySet<number>;
  readonly years: ReadonlySet<number> | undefined;
  readonly days: CronDays;
}

function scheduleOf({ times, months, years, days }: Parts): CronSchedule {
  /** The first matching day from `day` on in a month. */
  const dayIn = (year: number, month: number, day: number): number | undefined => {
    if (!months.has(month) || years?.has(year) === false) return undefined;
    const length = daysIn(year, month);
    for (let at = day; at <= length; at += 1)
      if (days.matches(at, new Date(Date.UTC(year, month - 1, at)).getUTCDay(), length)) return at;
    return undefined;
  };
  const startOf = (year: number, month: number, day: number): number | undefined => {
    const end = years === undefined ? year + LONGEST_GAP : CRON_FIELDS.year.max;
    let [y, m, d] = [year, month, day];
    while (y <= end) {
      const found = dayIn(y, m, d);
      if (found !== undefined) return Date.UTC(y, m - 1, found);
      [y, m, d] = m === 12 ? [y + 1, 1, 1] : [y, m + 1, 1];
    }
    return undefined;
  };
  return {
    next(after) {
      const from = new Date((Math.floor(after / SECOND) + 1) * SECOND);
      const [year, month, day] = [from.getUTCFullYear(), from.getUTCMonth() + 1, from.getUTCDate()];
      const midnight = Date.UTC(year, month - 1, day);
      const today = startOf(year, month, day);
      const second = today === midnight ? times.from((from.getTime() - midnight) / SECOND) : undefined;
      if (second !== undefined) return midnight + second * SECOND;
      const later = today === midnight ? startOf(year, month, day + 1) : today;
      return later === undefined ? undefined : later + times.first * SECOND;
    },
  };
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
