import { memoize } from './once.ts';

/** Extensions of other cron dialects that neither Kubernetes nor `five-fields` supports. */
const EXTENSIONS = /[LW#+]/i;
const NAMES = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat/gi;
const BARE_STEP = /(?:^|,)\//;

/** Five fields, whatever they say, as a regular expression. */
export const FIVE_FIELDS_PATTERN = '^\\s*\\S+(?:\\s+\\S+){4}\\s*$';

/** Minute, hour, day, month and weekday, and nothing else. */
export function fiveFields(text: string): ParsedCron<CronFieldTexts> {
  const fields = text.trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = fields;
  if (fields.length !== 5 || !minute || !hour || !day || !month || !weekday)
    return { fault: 'it must have five fields: minute hour day month weekday' };
  if (EXTENSIONS.test(text.replace(NAMES, '0'))) return { fault: 'L, W, # and + are not supported' };
  if (fields.some((field) => BARE_STEP.test(field))) return { fault: 'a step needs * or a range before it' };
  return { minute, hour, day, month, weekday };
}

/** In UTC. */
export function compileCron(texts: ParsedCron<CronFieldTexts>, rule: DayRule = 'both'): ParsedCron<CronSchedule> {
  return 'fault' in texts ? texts : parseCronSchedule(texts, rule);
}

/** A fleet has few schedules and many clusters; parsing one costs as much as a small datafile. */
const MAX_KNOWN = 1_000;
const known = memoize(MAX_KNOWN, (expression) => ({ fault: findFault(expression) }));

/** Why a five-field cron expression in UTC is invalid, or undefined. */
export function cronFault(expression: string): string | undefined {
  return known(expression).fault;
}

function findFault(expression: string): string | undefined {
  const compiled = compileCron(fiveFields(expression));
  if ('fault' in compiled) return compiled.fault;
  const everMatches = matchesSomeDay(expression) || compiled.next(0) !== undefined;
  return everMatches ? undefined : 'it never matches a date';
}

/** Only a day of the month can be one that never comes; looking for the next run costs more than all the rest. */
function matchesSomeDay(expression: string): boolean {
  return expression.trim().split(/\s+/)[2] === '*';
}

/** The times at which a schedule matches, in UTC. */
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

/** A field of a cron expression. */
export interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The end of `*`, where it is not `max`. */
  readonly end?: number;
  /** Names of values, from `min` on. */
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

export const CRON_FIELDS = {
  second: { name: 'second', min: 0, max: 59 },
  minute: { name: 'minute', min: 0, max: 59 },
  hour: { name: 'hour', min: 0, max: 23 },
  day: { name: 'day', min: 1, max: 31 },
  month: { name: 'month', min: 1, max: 12, names: MONTHS },
  /** Sunday is 0 and 7. */
  weekday: { name: 'weekday', min: 0, max: 7, end: 6, names: WEEKDAYS },
  year: { name: 'year', min: 1970, max: 2099 },
} as const satisfies Readonly<Record<string, CronField>>;

/** `first` to `last` in steps, as in `*`, `5`, `5-9`, `5-9/2`, `5/10` (from 5 on) and their names. */
interface CronRange {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

export type ParsedCron<Value> = Value | { readonly fault: string };

const ITEM = /^(?:([*?])|([a-z]+|\d{1,10})(?:-([a-z]+|\d{1,10}))?)(?:\/(\d{1,10}))?$/i;

/** One member of a list. `last` may be before `first`: whether that wraps around is for the caller to say. */
export function parseCronRange(item: string, field: CronField): ParsedCron<CronRange> {
  const [, star, from = '', to, steps] = ITEM.exec(item) ?? [];
  const step = Number(steps ?? 1);
  if (step === 0) return { fault: `the step of ${item} must be at least 1` };
  const end = field.end ?? field.max;
  if (star !== undefined) return { first: field.min, last: end, step };
  if (from === '') return { fault: `${JSON.stringify(item)} is not a valid ${field.name}` };
  const first = parseValue(from, field);
  const last = to === undefined ? first : parseValue(to, field);
  if (typeof first !== 'number') return first;
  if (typeof last !== 'number') return last;
  return { first, last: isOpen(to, steps) ? end : last, step };
}

/** `5/10` goes on to the end of the field. */
function isOpen(to: string | undefined, steps: string | undefined): boolean {
  return to === undefined && steps !== undefined;
}

function parseValue(text: string, { name, min, max, names = [] }: CronField): ParsedCron<number> {
  const named = names.indexOf(text.toLowerCase());
  const value = named === -1 ? Number(text) : named + min;
  if (value >= min && value <= max) return value;
  return {
    fault: /^\d+$/.test(text)
      ? `invalid ${name} ${text}: use ${min} to ${max}`
      : `${JSON.stringify(text)} is not a valid ${name}`,
  };
}

/** The values of a list of numbers, ranges and steps. */
function parseCronValues(text: string, field: CronField): ParsedCron<ReadonlySet<number>> {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const range = parseCronRange(item, field);
    if ('fault' in range) return range;
    const fault = rangeFault(item, range, field);
    if (fault !== undefined) return { fault };
    for (let value = range.first; value <= range.last; value += range.step) values.add(value);
  }
  return values;
}

function rangeFault(item: string, { first, last, step }: CronRange, { name, min, max, end }: CronField) {
  if (last < first) return `${item} runs backwards`;
  const longest = min === 0 && end === undefined ? max + 1 : max;
  return step > longest ? `the step of ${item} is larger than ${longest}, the longest for a ${name}` : undefined;
}

/** A date matches the day of the month and the weekday (`both`), or one of them where both are restricted (`either`). */
export type DayRule = 'both' | 'either';

interface CronDays {
  matches(day: number, weekday: number, daysInMonth: number): boolean;
}

const LAST_DAY = /^l$/i;
const LAST_WEEKDAY = /^(\w+)l$/i;
const NTH_WEEKDAY = /^(\w+)#([1-5])$/;

function parseCronDays(texts: { readonly day: string; readonly weekday: string }, rule: DayRule): ParsedCron<CronDays> {
  const dayItems = texts.day.split(',');
  const lastDay = dayItems.some((item) => LAST_DAY.test(item));
  const days = parseItems(
    dayItems.filter((item) => !LAST_DAY.test(item)),
    CRON_FIELDS.day,
  );
  if ('fault' in days) return days;
  const weekdays = parseWeekdays(texts.weekday.split(','));
  if ('fault' in weekdays) return weekdays;
  const either = rule === 'either' && ![texts.day, texts.weekday].some((text) => /^[*?]/.test(text));
  return {
    matches(day, weekday, length) {
      const byDay = days.has(day) || (lastDay && day === length);
      if (either ? byDay : !byDay) return either;
      return weekdays.matches(day, weekday, length);
    },
  };
}

function parseItems(items: readonly string[], field: CronField): ParsedCron<ReadonlySet<number>> {
  return items.length === 0 ? new Set() : parseCronValues(items.join(), field);
}

function parseWeekdays(items: readonly string[]): ParsedCron<CronDays> {
  const plain = parseItems(
    items.filter((item) => !LAST_WEEKDAY.test(item) && !NTH_WEEKDAY.test(item)),
    CRON_FIELDS.weekday,
  );
  if ('fault' in plain) return plain;
  /** `5#2` is `5.2`, `5L` is `5.last`. */
  const special = new Set<string>();
  for (const item of items) {
    const [, day, nth = 'last'] = NTH_WEEKDAY.exec(item) ?? LAST_WEEKDAY.exec(item) ?? [];
    if (day === undefined) continue;
    const range = parseCronRange(day, CRON_FIELDS.weekday);
    if ('fault' in range) return range;
    special.add(`${range.first % 7}.${nth}`);
  }
  return {
    matches: (day, weekday, length) =>
      plain.has(weekday) ||
      (weekday === 0 && plain.has(7)) ||
      (special.size > 0 &&
        (special.has(`${weekday}.${Math.ceil(day / 7)}`) || (day + 7 > length && special.has(`${weekday}.last`)))),
  };
}

/** Times of a day, in seconds from midnight. */
interface CronTimes {
  readonly first: number;
  /** The first match from a second of the day on. */
  from(second: number): number | undefined;
}

function parseCronTimes(second: string, minute: string, hour: string): ParsedCron<CronTimes> {
  const parts = [
    parseCronValues(minute, CRON_FIELDS.minute),
    parseCronValues(hour, CRON_FIELDS.hour),
    parseCronValues(second, CRON_FIELDS.second),
  ];
  for (const part of parts) if ('fault' in part) return part;
  const [minutes, hours, seconds] = parts.map((part) => [...(part as Set<number>)].sort((a, b) => a - b)) as [
    number[],
    number[],
    number[],
  ];
  const from = (start: number): number | undefined => {
    for (const h of hours.filter((value) => value >= Math.floor(start / 3_600)))
      for (const m of minutes.filter((value) => h * 60 + value >= Math.floor(start / 60))) {
        const found = seconds.find((value) => h * 3_600 + m * 60 + value >= start);
        if (found !== undefined) return h * 3_600 + m * 60 + found;
      }
    return undefined;
  };
  return { first: from(0) ?? 0, from };
}
