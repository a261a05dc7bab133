import { type CronText, fiveFields } from '../instance/index.ts';

/**
 * Two dialects of cron. `five-fields` is minute, hour, day, month, weekday and nothing else. `croniter` is what the
 * existing scheduler also accepts: aliases, seconds as the sixth field, the year as the seventh, `L`, `#` and ranges that
 * wrap around. In both, a date must match the day of the month *and* the weekday.
 */
export type CronDialect = 'five-fields' | 'croniter';

const NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const ALIAS = /^@(?:hourly|midnight|daily|weekly|monthly|yearly|annually)$/;

interface Field {
  readonly min: number;
  readonly max: number;
  /** The first is the value `min`. */
  readonly names: readonly string[];
}

const FIELDS: readonly Field[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: NAMES },
  { min: 0, max: 6, names: DAYS },
  { min: 0, max: 59, names: [] },
];

export function translateCron(text: string, dialect: CronDialect): CronText {
  return dialect === 'five-fields' ? fiveFields(text) : croniter(text);
}

function croniter(text: string): CronText {
  const lower = text.trim().toLowerCase();
  if (ALIAS.test(lower)) return { expression: lower };
  const fields = lower.split(/\s+/);
  if (fields.length < 5 || fields.length > 7) return { fault: 'it must have five, six or seven fields' };
  const [minute, hour, day, month, weekday, second = '0', year = '*'] = fields.map(translateField);
  return { expression: [second, minute, hour, day, month, weekday, year].join(' ') };
}

function translateField(text: string, index: number): string {
  const field = FIELDS[index];
  return field === undefined
    ? text
    : text
        .split(',')
        .map((item) => translateItem(item, field))
        .join();
}

const RANGE = /^([a-z]+|\d+)-([a-z]+|\d+)(?:\/(\d+))?$/;

/** `L5`, the last Friday, is `5L` to the library; a range that wraps around becomes the list of its values. */
function translateItem(item: string, field: Field): string {
  const last = field.names === DAYS ? /^l(\w+)$/.exec(item) : null;
  if (last !== null) return `${last[1]}L`;
  const [, from, to, step = '1'] = RANGE.exec(item) ?? [];
  if (from === undefined || to === undefined) return item.toUpperCase();
  const [low, high] = [numberOf(from, field), numberOf(to, field)];
  if (low === undefined || high === undefined || low <= high) return item.toUpperCase();
  return wrapped(low, high, Number(step), field)?.join() ?? item;
}

function numberOf(text: string, { min, max, names }: Field): number | undefined {
  const named = names.indexOf(text);
  const value = named === -1 ? Number(text) : named + min;
  return value >= min && value <= max ? value : undefined;
}

function wrapped(low: number, high: number, step: number, { min, max }: Field): number[] | undefined {
  if (step < 1) return undefined;
  const size = max - min + 1;
  const values: number[] = [];
  for (let value = low; value <= high + size; value += step) values.push(((value - min) % size) + min);
  return values;
}
