import { describe, expect, it } from 'vitest';
import { at, cluster, organization, policyOn, soaked } from '../../../test/support/upgrade-facts.ts';
import { contextOf } from './context.ts';
import type { OrgFacts } from './facts.ts';
import { remainingSoak, roundTo2 } from './remaining-soak.ts';
import { DEFAULT_RULES } from './rules.ts';

function remaining(given: Partial<OrgFacts>, days: Readonly<Record<string, number>> = {}): Record<string, number> {
  const ledger = soaked(Object.fromEntries(Object.entries(days).map(([version, wl]) => [version, { wl }])));
  const context = contextOf(organization(given), ledger, at('2024-03-01T10:00:00Z'), DEFAULT_RULES);
  return Object.fromEntries(remainingSoak(context).get(cluster('a').uuid) ?? []);
}

const asking = (soakDays: number, ...availableUpgrades: string[]) => [
  cluster('a', { availableUpgrades, policy: { soakDays } }),
];

describe('days that a version still has to soak', () => {
  it.each([
    { given: 'some are over', soakDays: 3, days: { '4.14.2': 1.5 }, told: { '4.14.2': 1.5, '4.14.3': 3 } },
    { given: 'a later one is ready', soakDays: 3, days: { '4.14.3': 9 }, told: { '4.14.3': 0 } },
    { given: 'only the earlier one is ready', soakDays: 3, days: { '4.14.2': 9 }, told: { '4.14.2': 0, '4.14.3': 3 } },
    { given: 'none is asked for', soakDays: 0, days: {}, told: { '4.14.3': 0 } },
    { given: 'two decimals say so', soakDays: 1, days: { '4.14.3': 0.996 }, told: { '4.14.3': 0 } },
  ])('when $given are $told', ({ soakDays, days, told }) => {
    expect(remaining({ clusters: asking(soakDays, '4.14.2', '4.14.3') }, days as Record<string, number>)).toEqual(told);
  });

  it.each([
    { policy: { state: 'scheduled' }, told: { '4.14.2': -1, '4.14.3': 3 } },
    { policy: { state: 'started' }, told: { '4.14.2': -2, '4.14.3': 3 } },
    { policy: { state: 'delayed', nextRun: at('2024-03-01T04:00:00Z') }, told: { '4.14.2': -3, '4.14.3': 3 } },
    { policy: { state: 'started', nextRun: at('2024-03-01T04:00:01Z') }, told: { '4.14.2': -2, '4.14.3': 3 } },
    { policy: { state: 'pending' }, told: { '4.14.2': 3, '4.14.3': 3 } },
    { policy: { state: 'scheduled', version: '4.14.3' }, told: { '4.14.3': -1 } },
  ])('are a state with a policy $policy', ({ policy, told }) => {
    expect(remaining({ clusters: asking(3, '4.14.2', '4.14.3'), policies: [policyOn('a', policy)] })).toEqual(told);
  });

  it('are a state for a blocked version, unless it is on its way', () => {
    const given = { clusters: asking(3, '4.14.2', '4.14.3'), blockedVersions: ['.'] };
    expect(remaining(given)).toEqual({ '4.14.2': -4, '4.14.3': -4 });
    expect(remaining({ ...given, policies: [policyOn('a')] })).toEqual({ '4.14.2': -1, '4.14.3': -4 });
  });

  it('are told for the version of the control plane while a node pool is behind', () => {
    const hosted = { version: '4.14.1', availableUpgrades: ['4.14.2'], policy: { soakDays: 1 } };
    expect(remaining({ clusters: [cluster('a', { ...hosted, nodePools: ['4.14.0'] })] })).toEqual({
      '4.14.1': 1,
      '4.14.2': 1,
    });
    expect(remaining({ clusters: [cluster('a', { ...hosted, nodePools: ['4.14.1'] })] })).toEqual({ '4.14.2': 1 });
  });
});

describe('two decimals', () => {
  it.each([
    [0.125, 0.12],
    [0.375, 0.38],
    [2.675, 2.67],
    [7.255, 7.25],
    [7.2976666, 7.3],
    [1.005, 1],
    [3, 3],
    [-0.125, -0.12],
  ])('of %d are %d', (value, rounded) => {
    expect(roundTo2(value)).toBe(rounded);
  });
});
