import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { readSchedule } from '../../../test/support/upgrade-simulation-cron.ts';
import { compileCron, fiveFields } from './cron.ts';
import type { DayRule } from './cron-days.ts';
import { type CronFieldTexts, parseCronSchedule } from './cron-schedule.ts';

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
