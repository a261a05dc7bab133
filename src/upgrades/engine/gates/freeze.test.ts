import { describe, expect, it } from 'vitest';
import { at, cluster, organization, policyOn } from '../../../../test/support/upgrade-facts.ts';
import type { UpgradePolicy } from '../../policies/org-spec.ts';
import { contextOf } from '../context.ts';
import { decide } from '../decide.ts';
import { EMPTY_LEDGER } from '../ledger.ts';
import { DEFAULT_RULES, QONTRACT_RULES, type Rules } from '../rules.ts';
import { freezeGate } from './freeze.ts';

const NOW = at('2026-12-21T10:00:00Z');
const AROUND = '2026-12-20T00:00:00Z/2027-01-03T00:00:00Z=quarter end';

interface Asked {
  readonly ofOrganization?: readonly string[];
  readonly ofCluster?: readonly string[];
  readonly schedule?: string;
  readonly rules?: Rules;
}

function ask({ ofOrganization = [], ofCluster = [], schedule = '* * * * *', rules = DEFAULT_RULES }: Asked) {
  const context = contextOf(organization({ freezes: ofOrganization }), EMPTY_LEDGER, NOW, rules);
  return freezeGate({ freezes: ofCluster, schedule }, context);
}

describe('the gate of freezes', () => {
  it.each<{ given: string; asked: Asked; reason: string; until?: string }>([
    { given: 'none', asked: {}, reason: 'no freeze' },
    {
      given: 'one of the organization',
      asked: { ofOrganization: [AROUND] },
      reason: 'a freeze: quarter end, until 2027-01-03T00:00:00Z',
      until: '2027-01-03T00:00:00Z',
    },
    {
      given: 'one of the cluster that joins it',
      asked: { ofOrganization: [AROUND], ofCluster: ['2027-01-02T00:00:00Z/2027-01-04T00:00:00Z'] },
      reason: 'a freeze: quarter end, until 2027-01-04T00:00:00Z',
      until: '2027-01-04T00:00:00Z',
    },
    {
      given: 'one that ends now',
      asked: { ofCluster: ['2026-12-20T00:00:00Z/2026-12-21T10:00:00Z'] },
      reason: 'no freeze',
    },
    {
      given: 'one that begins before the next slot',
      asked: { ofCluster: ['2026-12-21T10:30:00Z/2026-12-21T13:00:00Z'], schedule: '0 11 * * *' },
      reason: 'a freeze begins before it would start: until 2026-12-21T13:00:00Z',
      until: '2026-12-21T13:00:00Z',
    },
    {
      given: 'one that begins at the next slot',
      asked: { ofCluster: ['2026-12-21T11:00:00Z/2026-12-21T13:00:00Z'], schedule: '0 11 * * *' },
      reason: 'a freeze begins before it would start: until 2026-12-21T13:00:00Z',
      until: '2026-12-21T13:00:00Z',
    },
    {
      given: 'one that begins after the next slot',
      asked: { ofCluster: ['2026-12-21T11:00:01Z/2026-12-21T13:00:00Z'], schedule: '0 11 * * *' },
      reason: 'no freeze',
    },
    {
      given: 'one before a slot that is not due yet',
      asked: { ofCluster: ['2026-12-21T13:00:00Z/2026-12-21T14:00:00Z'], schedule: '0 15 * * *' },
      reason: 'no freeze',
    },
    {
      given: 'one, by the existing rules',
      asked: { ofOrganization: [AROUND], rules: QONTRACT_RULES },
      reason: 'freezes are ignored',
    },
  ])('with $given', ({ asked, reason, until }) => {
    expect(ask(asked)).toEqual({
      gate: 'freeze',
      ok: until === undefined,
      reason,
      ...(until === undefined ? {} : { until: at(until) }),
    });
  });

  it.each([
    { asked: { ofOrganization: ['x'] }, fault: 'organization' },
    { asked: { ofCluster: ['x'] }, fault: 'cluster' },
  ])('cannot be read, by the $fault', ({ asked, fault }) => {
    expect(ask(asked)).toMatchObject({ ok: false, fault, reason: '"x" is not a freeze: it is not FROM/UNTIL' });
  });
});

describe('an upgrade in a freeze', () => {
  const policy = (given: Partial<UpgradePolicy> = {}) => ({
    soakDays: 0,
    schedule: '* * * * *',
    workloads: ['w'],
    ...given,
  });
  const free = (freezes: readonly string[], rules = DEFAULT_RULES) =>
    decide(organization({ freezes, clusters: [cluster('a', { policy: policy() })] }), NOW, rules);

  it('is not planned, and explained', () => {
    expect(free([]).plan).toHaveLength(1);
    expect(free([AROUND], QONTRACT_RULES).plan).toHaveLength(1);
    const { plan, verdicts } = free([AROUND]);
    expect([plan, verdicts.map(({ waitsFor }) => waitsFor)]).toEqual([[], ['freeze']]);
  });

  it.each([
    { given: 'ours', scheduled: { ours: true }, cancelled: 1 },
    { given: 'of somebody else', scheduled: { ours: false }, cancelled: 0 },
    { given: 'started', scheduled: { ours: true, state: 'started' }, cancelled: 0 },
    { given: 'to start after it', scheduled: { ours: true, nextRun: at('2027-01-03T00:00:00Z') }, cancelled: 0 },
  ])('that was scheduled before, $given: $cancelled cancelled', ({ scheduled, cancelled }) => {
    const upgrade = policyOn('a', { state: 'scheduled', nextRun: at('2026-12-21T11:00:00Z'), ...scheduled });
    const clusters = [cluster('a', { policy: policy({ freezes: [AROUND] }) })];
    const { plan } = decide(organization({ clusters, policies: [upgrade] }), NOW, DEFAULT_RULES);
    expect(plan.filter(({ action }) => action === 'cancel')).toHaveLength(cancelled);
  });
});
