import { describe, expect, it } from 'vitest';
import { at, organization } from '../../../../test/support/upgrade-facts.ts';
import { instantText } from '../../../gates/index.ts';
import { contextOf } from '../context.ts';
import { EMPTY_LEDGER } from '../ledger.ts';
import { DEFAULT_RULES, QONTRACT_RULES } from '../rules.ts';
import { scheduleGate } from './schedule.ts';

const ask = (schedule: string, rules = DEFAULT_RULES) =>
  scheduleGate(schedule, contextOf(organization(), EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), rules));

describe('the gate of the schedule', () => {
  it('is open with the start that OCM accepts', () => {
    const { verdict, slot } = ask('0 12 * * *');
    expect(verdict).toEqual({ gate: 'schedule', ok: true, reason: 'it can start at 2024-03-01T12:00:00Z' });
    expect(slot).toBe(at('2024-03-01T12:00:00Z'));
  });

  it('is closed until two hours before the next slot', () => {
    const { verdict } = ask('0 23 * * *');
    expect(verdict).toMatchObject({ ok: false, reason: 'the next slot is 2024-03-01T23:00:00Z' });
    expect(instantText(verdict.until!)).toBe('2024-03-01T21:00:00Z');
  });

  it.each(['0 0 30 2 *', 'whenever', '@daily'])('cannot be read for %s', (schedule) => {
    expect(ask(schedule)).toEqual({ verdict: expect.objectContaining({ ok: false, fault: 'cluster' }) });
  });

  it('reads more under the rules of the existing scheduler', () => {
    expect(ask('@hourly', QONTRACT_RULES).verdict.ok).toBe(true);
  });
});
