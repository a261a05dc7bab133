import {
  CRON_FIELDS,
  type CronField,
  type CronFieldTexts,
  fiveFields,
  type ParsedCron,
  parseCronRange,
} from '../base/index.ts';

/**
 * Two dialects of cron. `five-fields` is minute, hour, day, month, weekday and nothing else. `croniter` is what the
 * existing scheduler also accepts: aliases, seconds as the sixth field, the year as the seventh, `L`, `#`, and ranges that
 * wrap around; there a range from a value to itself is the whole field. In both, a date must match the day of the month
 * *and* the weekday.
 */
export type CronDialect = 'five-fields' | 'croniter';

const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '@hourly': '0 * * * *',
    '@midnight': '0 0 * * *',
    '@daily': '0 0 * * *',
    '@weekly': '0 0 * * 0',
    '@monthly': '0 0 1 * *',
    '@yearly': '0 0 1 1 *',
    '@annually': '0 0 1 1 *',
  }),
);

export function translateCron(text: string, dialect: CronDialect): ParsedCron<CronFieldTexts> {
  return dialect === 'five-fields' ? fiveFields(text) : croniter(text);
}

const ORDER = ['minute', 'hour', 'day', 'month', 'weekday', 'second', 'year'] as const;

function croniter(text: string): ParsedCron<CronFieldTexts> {
  const lower = text.trim().toLowerCase();
  const texts = (ALIASES.get(lower) ?? lower).split(/\s+/);
  if (texts.length < 5 || texts.length > ORDER.length) return { fault: 'it must have five, six or seven fields' };
  const fields: Partial<Record<(typeof ORDER)[number], string>> = {};
  for (const [index, name] of ORDER.entries()) {
    const field = texts[index];
    if (field === undefined) continue;
    const items = field.split(',').map((item) => translateItem(item, CRON_FIELDS[name]));
    const faulty = items.find((item) => typeof item !== 'string');
    if (faulty !== undefined) return faulty;
    fields[name] = items.join();
  }
  const weekday = withoutWholeWeek(fields.weekday ?? '');
  if (weekday === undefined) return { fault: 'weekdays and nth weekdays such as 5#1 cannot be mixed' };
  return { ...(fields as CronFieldTexts), weekday };
}

/** Beside `5#1` or `L5` the whole week, or Friday itself, says nothing; other weekdays cannot stand there. */
function withoutWholeWeek(weekdays: string): string | undefined {
  const items = weekdays.split(',');
  const nth = items.filter((item) => /[#l]/.test(item));
  if (nth.length === 0) return weekdays;
  const plain = new Set(items.filter((item) => !nth.includes(item)).map((item) => Number(item) % 7));
  const days = new Set(nth.map((item) => Number.parseInt(item, 10) % 7));
  return plain.size === 7 || plain.isSubsetOf(days) ? nth.join() : undefined;
}

/** A member as the list of its values: `L5`, the last Friday, is `5l`. */
function translateItem(item: string, field: CronField): string | { readonly fault: string } {
  const weekday = field === CRON_FIELDS.weekday;
  if (weekday && /^(?:l\w+|\w+#\d)$/.test(item)) return item.replace(/^l(\w+)$/, '$1l');
  if (field === CRON_FIELDS.day && item === 'l') return item;
  const range = parseCronRange(item, field);
  if ('fault' in range) return range;
  const spans = /[-/]/.test(item) && !/^[*?]/.test(item);
  const sunday = (value: number): number => (weekday && value === 7 ? 0 : value);
  const [first, last] = spans ? [sunday(range.first), sunday(range.last)] : [range.first, range.last];
  const { min, end = field.max } = field;
  const { step } = range;
  if (spans && first === last) return steps(min, end, step).join();
  if (first <= last) return steps(first, last, step).join();
  return wrapped(steps(first, end, step), { min, end, last, step }).join();
}

/** After the end of the field the existing scheduler goes on one value later than the step asks, where the step jumps over it. */
function wrapped(
  head: readonly number[],
  { min, end, last, step }: Readonly<Record<'min' | 'end' | 'last' | 'step', number>>,
) {
  const left = end - (head.at(-1) ?? end);
  const skip = left + 1 < step ? step - left : 0;
  return [...head, ...steps(min + skip, last, step)];
}

function steps(first: number, last: number, step: number): number[] {
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}
