import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronFault } from './cron.ts';

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
