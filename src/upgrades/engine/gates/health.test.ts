import { describe, expect, it } from 'vitest';
import { at, cluster, organization } from '../../../../test/support/upgrade-facts.ts';
import { contextOf } from '../context.ts';
import { EMPTY_LEDGER } from '../ledger.ts';
import { DEFAULT_RULES, QONTRACT_RULES } from '../rules.ts';
import { healthGate } from './health.ts';

describe('the gate of health', () => {
  it.each([
    { given: 'a healthy cluster', fault: {}, rules: DEFAULT_RULES, ok: true },
    { given: 'a sick one', fault: { healthFault: 'an alert is firing' }, rules: DEFAULT_RULES, ok: false },
    { given: 'a sick one of the existing scheduler', fault: { healthFault: 'x' }, rules: QONTRACT_RULES, ok: true },
  ])('for $given is open: $ok', ({ fault, rules, ok }) => {
    const context = contextOf(organization(), EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), rules);
    const verdict = healthGate(cluster('a', fault), context);
    expect(verdict.ok).toBe(ok);
    if (!ok) expect(verdict.reason).toBe('an alert is firing');
  });
});
