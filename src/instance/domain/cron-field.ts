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
export interface CronRange {
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
export function parseCronValues(text: string, field: CronField): ParsedCron<ReadonlySet<number>> {
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
