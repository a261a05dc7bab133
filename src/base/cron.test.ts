import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { readSchedule } from '../../test/support/upgrade-simulation-cron.ts';
import { type CronFieldTexts, compileCron, cronFault, type DayRule, fiveFields, parseCronSchedule } from './cron.ts';

describe('a usable cron expression', () => {
  it.each([
    '* * * * *',
    '*/5 * * * *',
    '0 8 * * 1-5',
    '0 0 1 1 *',
    '0,30 8-18/2 * * *',
    '5/10 * * * *',
    '00 08 01-05 * *',
    '0 0 * JAN-MAR MON,FRI',
    '0 0 * jul wed',
    '0 0 31 * *',
    '0 0 29 2 *',
    '0 0 29 2 1',
    '0 0 * * 0',
    '0 0 * * 7',
    '0 0 ? * *',
    '  0   8 * *\t1 ',
  ])('is %j', (expression) => {
    expect(cronFault(expression)).toBeUndefined();
  });

  it('has five fields in their ranges', () => {
    const part = (min: number, max: number): fc.Arbitrary<string> => {
      const number = fc.integer({ min, max });
      const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
      const item = fc.oneof(
        number.map(String),
        range,
        fc.integer({ min: 1, max: max - min }).map((step) => `*/${step}`),
      );
      return fc.oneof(
        fc.constant('*'),
        fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join()),
      );
    };
    const expression = fc.tuple(part(0, 59), part(0, 23), part(1, 28), part(1, 12), part(0, 6));
    fc.assert(
      fc.property(expression, (fields) => {
        expect(cronFault(fields.join(' '))).toBeUndefined();
      }),
    );
  });
});

const FIVE = 'it must have five fields: minute hour day month weekday';
const NEVER = 'it never matches a date';
const EXTENSION = 'L, W, # and + are not supported';

describe('an expression that is refused', () => {
  it.each([
    { expression: '', says: FIVE },
    { expression: '   ', says: FIVE },
    { expression: '* * * *', says: FIVE },
    { expression: '* * * * * *', says: FIVE },
    { expression: '@daily', says: FIVE },
    { expression: 'CRON_TZ=UTC 0 0 * * *', says: FIVE },
    { expression: '0 0 * * *\n0 1 * * *', says: FIVE },
    { expression: '0 0 31 2 *', says: NEVER },
    { expression: '0 0 30 2 *', says: NEVER },
    { expression: '0 0 31 4,6,9,11 *', says: NEVER },
    { expression: '0 0 L * *', says: EXTENSION },
    { expression: '0 0 l * *', says: EXTENSION },
    { expression: '0 0 1,L * *', says: EXTENSION },
    { expression: '0 0 LW * *', says: EXTENSION },
    { expression: '0 0 15W * *', says: EXTENSION },
    { expression: '0 0 15w * *', says: EXTENSION },
    { expression: '0 0 * * 5L', says: EXTENSION },
    { expression: '0 0 * * FRIL', says: EXTENSION },
    { expression: '0 0 * * MON#1', says: EXTENSION },
    { expression: '0 0 1 * +MON', says: EXTENSION },
    { expression: '/5 * * * *', says: 'a step needs * or a range before it' },
    { expression: '1,/5 * * * *', says: 'a step needs * or a range before it' },
    { expression: '60 * * * *', says: 'invalid minute 60: use 0 to 59' },
    { expression: '0 24 * * *', says: 'invalid hour 24: use 0 to 23' },
    { expression: '0 0 0 * *', says: 'invalid day 0: use 1 to 31' },
    { expression: '0 0 32 * *', says: 'invalid day 32: use 1 to 31' },
    { expression: '0 0 * 0 *', says: 'invalid month 0: use 1 to 12' },
    { expression: '0 0 * 13 *', says: 'invalid month 13: use 1 to 12' },
    { expression: '0 0 * * 8', says: 'invalid weekday 8: use 0 to 7' },
  ])('$expression: $says', ({ expression, says }) => {
    expect(cronFault(expression)).toBe(says);
  });

  it.each([
    '*/0 * * * *',
    '*/61 * * * *',
    '5-1 * * * *',
    '0 0 * * FRI-MON',
    '1, * * * *',
    ',1 * * * *',
    '-1 * * * *',
    '1- * * * *',
    '1.5 * * * *',
    '0x1 * * * *',
    '1e1 * * * *',
    '٣ * * * *',
    'H * * * *',
    '1~5 * * * *',
    '*/2/3 * * * *',
    '*-5 * * * *',
    '0 0 * JANUARY *',
    '999999999999999999999 * * * *',
  ])('%j', (expression) => {
    expect(cronFault(expression)).toMatch(/./);
  });

  it('is told again, whatever was asked between', () => {
    const first = cronFault('60 * * * *');
    for (let minute = 0; minute < 1100; minute += 1)
      cronFault(`${minute % 60} ${minute % 24} ${1 + (minute % 28)} * *`);
    expect(cronFault('60 * * * *')).toBe(first);
    expect(cronFault('0 8 * * *')).toBeUndefined();
  });

  it('never throws', () => {
    const soup = fc.string({
      unit: fc.constantFrom(...'0123456789*/,-?LW#+ ', 'MON', 'JAN', '\n', 'é'),
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.oneof(soup, fc.string()), (expression) => {
        expect(['string', 'undefined']).toContain(typeof cronFault(expression));
      }),
    );
  });
});

const DAY = 86_400_000;
const START = Date.UTC(2023, 0, 1);
const END = Date.UTC(2031, 0, 1);

/** Every match between two times, found one after the other. */
function matches(next: (after: number) => number | undefined, start: number, end: number): number[] {
  const found: number[] = [];
  for (let at = next(start - 1); at !== undefined && at < end; at = next(at)) found.push(at);
  return found;
}

function compiled(text: string, rule?: DayRule) {
  const cron = compileCron(fiveFields(text), rule);
  if ('fault' in cron) throw new Error(`${text}: ${cron.fault}`);
  return cron;
}

const dates = (text: string, from: string, count: number): string[] => {
  const { next } = compiled(text);
  const found: string[] = [];
  for (let at = next(Date.parse(from)); at !== undefined && found.length < count; at = next(at))
    found.push(new Date(at).toISOString().slice(0, 16));
  return found;
};

describe('the next match', () => {
  it.each([
    { text: '0 0 */15 * *', first: '2026-03-01T00:00' },
    { text: '0 0 */10 * *', first: '2026-02-21T00:00' },
    { text: '0 0 1,30 * *', first: '2026-03-01T00:00' },
    { text: '0 0 2,31 * *', first: '2026-03-02T00:00' },
    { text: '0 0 1,29 * *', first: '2026-03-01T00:00' },
    { text: '59 23 31 12 *', first: '2026-12-31T23:59' },
    { text: '0 0 29 2 *', first: '2028-02-29T00:00' },
    { text: '0 0 29 2 1', first: '2044-02-29T00:00' },
    { text: '5-5 8 * * 7-7', first: '2026-02-22T08:05' },
  ])('of $text is on $first', ({ text, first }) => {
    expect(dates(text, '2026-02-20T00:00:00Z', 1)).toEqual([first]);
  });

  it('is strictly after the time given, of which parts of a second do not count', () => {
    const { next } = compiled('0 12 * * *');
    const noon = Date.UTC(2026, 0, 1, 12);
    expect([noon - 1_000, noon - 1, noon, noon + 1].map((after) => next(after))).toEqual([
      noon,
      noon,
      noon + DAY,
      noon + DAY,
    ]);
  });

  it('crosses a century without 29 February', () => {
    expect(dates('0 0 29 2 1', '2072-03-01T00:00:00Z', 1)).toEqual(['2112-02-29T00:00']);
  });
});

describe('every match of eight years', () => {
  const number = (min: number, max: number) => fc.integer({ min, max });
  const field = (min: number, max: number): fc.Arbitrary<string> => {
    const ends = fc.tuple(number(min, max), number(min, max)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
    const step = number(1, Math.min(max, 15));
    const item = fc.oneof(
      number(min, max).map(String),
      number(min, max).map((value) => `${value}-${value}`),
      ends.map(([a, b]) => `${a}-${b}`),
      fc.tuple(ends, step).map(([[a, b], by]) => `${a}-${b}/${by}`),
      step.map((by) => `*/${by}`),
    );
    return fc.oneof(
      { weight: 2, arbitrary: fc.constant('*') },
      { weight: 5, arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join()) },
    );
  };
  const expression = fc
    .tuple(number(0, 59), number(0, 23), field(1, 31), field(1, 12), field(0, 7))
    .map((fields) => fields.join(' '));

  it('is found, and nothing else, as a second reading of the expression says day by day', () => {
    holds(
      fc.property(expression, (text) => {
        const independent = readSchedule(text)!;
        const expected: number[] = [];
        for (let day = START; day < END; day += DAY)
          for (const minute of independent.slotsOn(new Date(day))) expected.push(day + minute * 60_000);
        expect(matches(compiled(text).next, START, END)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('is found at every minute of a day', () => {
    const times = fc.tuple(field(0, 59), field(0, 23)).map((fields) => `${fields.join(' ')} * * *`);
    holds(
      fc.property(times, (text) => {
        const independent = readSchedule(text)!;
        const expected = new Set(independent.slotsOn(new Date(START)).map((minute) => START + minute * 60_000));
        expect(matches(compiled(text).next, START, START + DAY)).toEqual([...expected].sort((a, b) => a - b));
      }),
      { numRuns: 60 },
    );
  });
});

describe('days', () => {
  const first = (texts: Partial<CronFieldTexts>, rule?: DayRule): string[] => {
    const schedule = parseCronSchedule(
      { minute: '0', hour: '0', day: '*', month: '*', weekday: '*', ...texts },
      rule ?? 'both',
    );
    if ('fault' in schedule) throw new Error(schedule.fault);
    return matches(schedule.next, Date.UTC(2026, 1, 1), Date.UTC(2026, 2, 15)).map((at) =>
      new Date(at).toISOString().slice(5, 10),
    );
  };

  it.each([
    { texts: { day: 'L' }, found: ['02-28'] },
    { texts: { day: '15,L' }, found: ['02-15', '02-28'] },
    { texts: { weekday: '5L' }, found: ['02-27'] },
    { texts: { weekday: '5#2' }, found: ['02-13', '03-13'] },
    { texts: { weekday: '7#1' }, found: ['02-01', '03-01'] },
    { texts: { day: '13', weekday: '5' }, found: ['02-13', '03-13'] },
    { texts: { day: '14', weekday: '5' }, found: [] },
    {
      texts: { day: '14', weekday: '5' },
      rule: 'either' as const,
      found: ['02-06', '02-13', '02-14', '02-20', '02-27', '03-06', '03-13', '03-14'],
    },
    { texts: { day: '14', weekday: '*' }, rule: 'either' as const, found: ['02-14', '03-14'] },
  ])('$texts $rule are $found', ({ texts, rule, found }) => {
    expect(first(texts, rule)).toEqual(found);
  });
});
