import { describe, expect, it } from 'vitest';
import { at, cluster, organization, policyOn } from '../../../../test/support/upgrade-facts.ts';
import { contextOf } from '../context.ts';
import type { ScheduledUpgrade } from '../facts.ts';
import { EMPTY_LEDGER } from '../ledger.ts';
import { DEFAULT_RULES } from '../rules.ts';
import { busyGate } from './busy.ts';

const ask = (policies: readonly ScheduledUpgrade[]) =>
  busyGate(
    cluster('a'),
    contextOf(organization({ policies }), EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), DEFAULT_RULES),
  );

describe('the gate of busy clusters', () => {
  it('is open for a cluster without an upgrade policy', () => {
    expect(ask([policyOn('b')]).ok).toBe(true);
  });

  it('says what the cluster is busy with', () => {
    expect(ask([policyOn('a', { state: 'started' })])).toEqual({
      gate: 'busy',
      ok: false,
      reason: 'an upgrade to 4.14.2 is started',
      waitsOn: '4.14.2',
    });
  });

  it('cannot be read with more than one', () => {
    expect(ask([policyOn('a'), policyOn('a')])).toMatchObject({ ok: false, fault: 'cluster' });
  });
});
