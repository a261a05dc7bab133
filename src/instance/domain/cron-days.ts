import { CRON_FIELDS, type CronField, type ParsedCron, parseCronRange, parseCronValues } from './cron-field.ts';

/** A date matches the day of the month and the weekday (`both`), or one of them where both are restricted (`either`). */
export type DayRule = 'both' | 'either';

export interface CronDays {
  matches(day: number, weekday: number, daysInMonth: number): boolean;
}

const LAST_DAY = /^l$/i;
const LAST_WEEKDAY = /^(\w+)l$/i;
const NTH_WEEKDAY = /^(\w+)#([1-5])$/;

export function parseCronDays(
  texts: { readonly day: string; readonly weekday: string },
  rule: DayRule,
): ParsedCron<CronDays> {
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
