import { describe, expect, it } from 'vitest';
import { at, cluster, held, organization, policyOn } from '../../../../test/support/upgrade-facts.ts';
import { contextOf } from '../context.ts';
import type { OrgFacts } from '../facts.ts';
import { EMPTY_LEDGER } from '../ledger.ts';
import { memberOf } from '../members.ts';
import { DEFAULT_RULES, QONTRACT_RULES } from '../rules.ts';
import { mutexGate } from './mutex.ts';

const ASKING = cluster('a', { policy: { mutexes: ['m'] } });

function ask(given: Partial<OrgFacts>, rules = DEFAULT_RULES) {
  const context = contextOf(organization(given), EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), rules);
  return mutexGate(memberOf(ASKING, ASKING.policy), context);
}

describe('the gate of mutexes', () => {
  it.each([
    { given: 'an idle cluster', busy: [], ok: true, reason: 'no other upgrade holds its mutexes' },
    { given: 'a busy one', busy: [policyOn('b')], ok: false, reason: 'mutex m is held by b' },
    {
      given: 'one in any state',
      busy: [policyOn('b', { state: 'completed' })],
      ok: false,
      reason: 'mutex m is held by b',
    },
  ])('with $given that shares its mutex: $reason', ({ busy, ok, reason }) => {
    const clusters = [ASKING, cluster('b', { policy: { mutexes: ['m'] } })];
    expect(ask({ clusters, policies: busy })).toMatchObject({ gate: 'mutex', ok, reason });
  });

  it('counts a held cluster that is being upgraded, which the existing scheduler forgets', () => {
    const given = { clusters: [ASKING], held: [held('b', { policy: { mutexes: ['m'] } })], policies: [policyOn('b')] };
    expect([ask(given).ok, ask(given, QONTRACT_RULES).ok]).toEqual([false, true]);
  });

  it('ignores upgrades of clusters that it does not know', () => {
    expect(ask({ clusters: [ASKING], policies: [policyOn('stranger')] }).ok).toBe(true);
  });
});
