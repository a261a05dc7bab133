import { describe, expect, it } from 'vitest';
import { parseClusterLabels } from '../policies/labels.ts';
import { normalizedPolicy, type PolicyJson, policiesShape, policyJson, policyLabels } from './policies.ts';

const POLICY: PolicyJson = {
  conditions: { blocked_versions: ['^4\\.13'], mutexes: ['m', 'n'], sector: 's', soak_days: 3 },
  name: 'c',
  schedule: '0 8 * * 1-5',
  workloads: ['a', 'b'],
};

describe('a policy and its labels', () => {
  it.each([
    { given: 'everything', policy: POLICY },
    { given: 'only what is needed', policy: { ...POLICY, conditions: { soak_days: 0 } } },
  ])('with $given say the same', ({ policy }) => {
    const { labels, faults } = policyLabels(policy);
    expect(faults).toEqual([]);
    const read = parseClusterLabels(labels, { strict: true }).policy!;
    expect(policyJson('c', read)).toEqual(policy);
  });

  it('presets are expanded, members trimmed and named once, empty lists left out', () => {
    const given = {
      ...POLICY,
      schedule: 'weekdays',
      workloads: [' a', 'a'],
      conditions: { soak_days: 0, mutexes: [] },
    };
    expect(normalizedPolicy(given)).toEqual({
      conditions: { soak_days: 0 },
      name: 'c',
      schedule: '* * * * 1-4',
      workloads: ['a'],
    });
  });

  it.each([
    { given: 'no workload', policy: { ...POLICY, workloads: [] }, says: 'the label is missing' },
    { given: 'a blank workload', policy: { ...POLICY, workloads: ['a', ' '] }, says: 'blank member' },
    { given: 'a comma', policy: { ...POLICY, workloads: ['a,b'] }, says: 'contains a comma' },
    { given: 'less than no soak', policy: { ...POLICY, conditions: { soak_days: -1 } }, says: 'less than 0' },
    { given: 'no such preset', policy: { ...POLICY, schedule: 'weekend' }, says: 'is not a valid schedule' },
    { given: 'the name of a property', policy: { ...POLICY, schedule: 'toString' }, says: 'is not a valid schedule' },
  ])('$given is told', ({ policy, says }) => {
    expect(
      policyLabels(policy)
        .faults.map(({ message }) => message)
        .join(),
    ).toContain(says);
    expect(normalizedPolicy(policy)).toBeUndefined();
  });
});

describe('the shape of a file', () => {
  it('asks for no soak unless it says so', () => {
    const [policy] = policiesShape.parse([{ name: 'c', schedule: 'anytime', workloads: ['a'] }]);
    expect(policy?.conditions).toEqual({ soak_days: 0 });
  });

  it.each([
    { given: 'an unknown key', item: { ...POLICY, sector: 's' } },
    { given: 'half a day', item: { ...POLICY, conditions: { soak_days: 0.5 } } },
    { given: 'no name', item: { ...POLICY, name: '' } },
  ])('$given does not fit', ({ item }) => {
    expect(policiesShape.safeParse([item]).success).toBe(false);
  });
});
