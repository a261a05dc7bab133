import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { readSchedule } from '../../../test/support/upgrade-simulation-cron.ts';
import {
  type CronDialect,
  everMatches,
  type Instant,
  instantText,
  later,
  MICROS,
  parseInstant,
  restrictsBothDays,
  scheduleFault,
  secondText,
} from '../../gates/index.ts';
import { ADDON_TIMING, CLUSTER_TIMING, dueAt } from './schedule.ts';

const at = (text: string): Instant => parseInstant(`2024-03-01T${text}Z`)!;

function slot(schedule: string, now: Instant, dialect: CronDialect = 'five-fields'): string {
  const due = dueAt(schedule, now, { dialect });
  if ('fault' in due) return 'fault';
  return due.due ? secondText(due.slot) : 'not due';
}

describe('a schedule at noon', () => {
  it.each([
    { now: '09:59:59.999999', told: 'not due' },
    { now: '10:00:00', told: '2024-03-01T12:00:00Z' },
    { now: '11:53:59.999999', told: '2024-03-01T12:00:00Z' },
    { now: '11:54:00', told: 'not due' },
    { now: '12:00:00', told: 'not due' },
  ])('at $now is $told', ({ now, told }) => {
    expect(slot('0 12 * * *', at(now))).toBe(told);
  });

  it('is due for an add-on ten minutes before, until one before', () => {
    const due = ['11:49:59', '11:50:00', '11:58:59', '11:59:00'].map(
      (now) => dueAt('0 12 * * *', at(now), { dialect: 'five-fields', timing: ADDON_TIMING }).due,
    );
    expect(due).toEqual([false, true, true, false]);
  });

  it('opens two hours before', () => {
    const due = dueAt('0 12 * * *', at('13:00:00'), { dialect: 'five-fields' });
    expect('opens' in due && instantText(due.opens)).toBe('2024-03-02T10:00:00Z');
  });
});

describe('days', () => {
  it.each([
    { schedule: '0 12 1 * 5', told: '2024-03-01T12:00:00Z' },
    { schedule: '0 12 1 * 1', told: 'not due' },
    { schedule: '0 12 2 * 5', told: 'not due' },
    { schedule: '0 12 * MAR FRI', told: '2024-03-01T12:00:00Z' },
  ])('$schedule: both the day of the month and the weekday must fit, $told', ({ schedule, told }) => {
    expect(slot(schedule, at('10:30:00'))).toBe(told);
  });

  it.each([
    { schedule: '0 12 1 * 5', both: true },
    { schedule: '0 12 1 * *', both: false },
    { schedule: '0 12 * * 5', both: false },
    { schedule: '0 12 ? * 5', both: false },
  ])('$schedule asks for both: $both', ({ schedule, both }) => {
    expect(restrictsBothDays(schedule)).toBe(both);
  });
});

describe('five fields', () => {
  it.each(['* * * * *', '0 8 * * 1-5', '0,30 8-18/2 * * *', '0 0 * JAN-MAR MON,FRI', '0 0 31 * *', ' 0  8 * *\t1 '])(
    'are %j',
    (text) => {
      expect(scheduleFault(text, 'five-fields')).toBeUndefined();
      expect(everMatches(text, 'five-fields')).toBe(true);
    },
  );

  it.each([
    { text: '', says: 'it must have five fields' },
    { text: '@daily', says: 'it must have five fields' },
    { text: '0 12 * * * 30', says: 'it must have five fields' },
    { text: '0 12 L * *', says: 'L, W, # and + are not supported' },
    { text: '0 12 * * 5#1', says: 'L, W, # and + are not supported' },
    { text: '/5 * * * *', says: 'a step needs' },
    { text: '60 * * * *', says: 'invalid minute 60' },
    { text: '0 0 0 * *', says: 'invalid day 0' },
    { text: '0 0 * 13 *', says: 'invalid month 13' },
    { text: '5-1 * * * *', says: '5-1' },
    { text: 'H H * * *', says: '"H" is not a valid minute' },
  ])('are not $text: $says', ({ text, says }) => {
    expect(scheduleFault(text, 'five-fields')).toContain(says);
  });

  it.each(['0 0 30 2 *', '0 0 31 4,6,9,11 *'])('%s are sound, but never come', (text) => {
    expect(scheduleFault(text, 'five-fields')).toBeUndefined();
    expect(everMatches(text, 'five-fields')).toBe(false);
    expect(dueAt(text, at('10:00:00'), { dialect: 'five-fields' })).toEqual({
      due: false,
      fault: `the schedule "${text}" has no future date`,
    });
  });
});

describe('the dialect of the existing scheduler', () => {
  it.each([
    { text: '0 12 * * * 30', told: '2024-03-01T12:00:30Z' },
    { text: '0 12 * * * 30 2024', told: '2024-03-01T12:00:30Z' },
    { text: '0 12 * * * 30 2023', told: 'fault' },
    { text: '@hourly', told: '2024-03-01T11:00:00Z' },
    { text: '0 22-11 * * *', told: '2024-03-01T11:00:00Z' },
    { text: '50-10/20 * * * *', told: '2024-03-01T10:50:00Z' },
    { text: '0 12 * * 4-4', told: '2024-03-01T12:00:00Z' },
    { text: '0 12 * * 5#1,fri', told: '2024-03-01T12:00:00Z' },
    { text: '0 12 * * 5#1,thu', told: 'fault' },
    { text: '0 12 * * fri-mon', told: '2024-03-01T12:00:00Z' },
    { text: '0 12 * * 5#1', told: '2024-03-01T12:00:00Z' },
    { text: '0 12 * * L5', told: 'not due' },
    { text: '0 12 L * *', told: 'not due' },
    { text: '0 12 * *', told: 'fault' },
    { text: 'H 12 * * *', told: 'fault' },
    { text: '*/0 * * * *', told: 'fault' },
    { text: '5-1/0 * * * *', told: 'fault' },
    { text: '__proto__', told: 'fault' },
    { text: 'constructor', told: 'fault' },
  ])('$text is $told', ({ text, told }) => {
    expect(slot(text, at('10:30:00'), 'croniter')).toBe(told);
  });
});

describe('the next slot', () => {
  it('does not depend on what was asked before', () => {
    const text = '30 8,20 * * 1-5';
    const independent = readSchedule(text)!;
    const fresh = (now: Instant): Date => {
      const minute = Math.floor((now + CLUSTER_TIMING.lead) / MICROS.minute) * 60_000;
      let at = minute + 60_000;
      while (!independent.matches(new Date(at))) at += 60_000;
      return new Date(at);
    };
    const second = fc.integer({ min: 0, max: 14 * 86_400 });
    holds(
      fc.property(fc.array(second, { minLength: 2, maxLength: 12 }), (seconds) => {
        for (const after of seconds) {
          const now = later(at('00:00:00'), after * MICROS.second);
          const due = dueAt(text, now, { dialect: 'five-fields' });
          expect('slot' in due && secondText(due.slot)).toBe(`${fresh(now).toISOString().slice(0, 19)}Z`);
        }
      }),
    );
  });
});

describe('U5: what is due', () => {
  it('starts in a slot, at least six minutes and at most two hours ahead', () => {
    const minute = fc.integer({ min: 0, max: 59 });
    const hour = fc.integer({ min: 0, max: 23 });
    const moment = fc.integer({ min: 0, max: 366 * MICROS.day }).map((micros) => later(at('00:00:00'), micros));
    holds(
      fc.property(minute, hour, moment, (minutes, hours, now) => {
        const due = dueAt(`${minutes} ${hours} * * *`, now, { dialect: 'five-fields' });
        if ('fault' in due) throw new Error(due.fault);
        const clock = `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}:00Z`;
        expect(secondText(due.slot).slice(11)).toBe(clock);
        expect(due.slot - now).toBeGreaterThan(CLUSTER_TIMING.lead);
        expect(due.due).toBe(due.slot - now <= CLUSTER_TIMING.window);
        expect(due.slot - now).toBeLessThanOrEqual(MICROS.day + CLUSTER_TIMING.lead);
      }),
    );
  });
});
