import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { CLUSTER_LABELS, type ClusterLabel, clusterKey, type Labels, PREFIX } from './label-keys.ts';
import { parseClusterLabels } from './parse-cluster-labels.ts';

const STRICT = { strict: true };
const GOOD: Labels = {
  [clusterKey('soakDays')]: '3',
  [clusterKey('workloads')]: 'wl',
  [clusterKey('schedule')]: '0 8 * * 1-5',
};
const read = (change: Labels = {}) => parseClusterLabels({ ...GOOD, ...change }, STRICT);

describe('labels of a cluster', () => {
  it('make a policy, with every key', () => {
    const labels = {
      [clusterKey('workloads')]: ' a, b ,a',
      [clusterKey('mutexes')]: 'm2,m1',
      [clusterKey('sector')]: ' stage ',
      [clusterKey('blockedVersions')]: '^4\\.13\\..*$, rc',
      [clusterKey('versionGateApprovals')]: 'api.openshift.com/gate-ocp',
      'foreign.label': 'x',
    };
    expect(read(labels)).toMatchObject({
      policy: {
        soakDays: 3,
        workloads: ['a', 'b'],
        schedule: '0 8 * * 1-5',
        mutexes: ['m2', 'm1'],
        sector: 'stage',
        blockedVersions: ['^4\\.13\\..*$', 'rc'],
        versionGateApprovals: ['api.openshift.com/gate-ocp'],
      },
      faults: [],
    });
  });

  it('need no more than three', () => {
    expect(read().policy).toEqual({ soakDays: 3, workloads: ['wl'], schedule: '0 8 * * 1-5' });
    expect(parseClusterLabels({}, STRICT).faults.map(({ key, message }) => [key, message])).toEqual([
      [clusterKey('soakDays'), 'the label is missing'],
      [clusterKey('workloads'), 'the label is missing'],
      [clusterKey('schedule'), 'the label is missing'],
    ]);
  });

  it.each([
    { name: 'soakDays', value: '', says: 'not a whole number of days' },
    { name: 'soakDays', value: '-1', says: '-1 is less than 0' },
    { name: 'soakDays', value: '99999', says: '99999 is more than 36500' },
    { name: 'workloads', value: '', says: 'no workload' },
    { name: 'workloads', value: 'a,', says: 'the list has a blank member' },
    { name: 'schedule', value: '@daily', says: 'it must have five fields' },
    { name: 'schedule', value: '0 0 30 2 *', says: 'matches no date' },
    { name: 'mutexes', value: ',m', says: 'the list has a blank member' },
    {
      name: 'mutexes',
      value: Array.from({ length: 201 }, (_, index) => index).join(),
      says: 'the list has 201 members',
    },
    { name: 'blockedVersions', value: 'a,', says: 'the list has a blank member' },
    { name: 'blockedVersions', value: '4.1[', says: '"4.1[" is not a valid regular expression' },
    { name: 'blockedVersions', value: 'x{1,2}', says: 'a comma split it' },
  ] satisfies { name: ClusterLabel; value: string; says: string }[])(
    'with $name "$value" are no policy: $says',
    ({ name, value, says }) => {
      const { policy, faults } = read({ [clusterKey(name)]: value });
      expect(policy).toBeUndefined();
      expect(faults[0]).toMatchObject({
        severity: 'error',
        key: clusterKey(name),
        message: expect.stringContaining(says),
      });
      expect(faults.every(({ hint }) => hint !== '')).toBe(true);
    },
  );

  it.each([
    { key: clusterKey('schedule'), value: '0 8 1 * 1', says: 'a day must match both' },
    { key: clusterKey('versionGateApprovals'), value: 'gate-x', says: 'gate-x is not a known version gate' },
    {
      key: `${PREFIX}soak-day`,
      value: '1',
      says: 'unknown label',
      hint: `did you mean ${PREFIX}soak-days?`,
    },
    { key: `${PREFIX}qqqqqqqq`, value: '1', says: 'unknown label', hint: 'remove it' },
  ])('with $key = $value are a policy, with a warning: $says', ({ key, value, says, hint }) => {
    const { policy, faults } = read({ [key]: value });
    expect(policy).toBeDefined();
    expect(faults).toEqual([
      expect.objectContaining({ severity: 'warning', key, message: expect.stringContaining(says) }),
    ]);
    if (hint !== undefined) expect(faults[0]?.hint).toBe(hint);
  });

  it.each(['', '  '])('with the sector "%s" have none', (sector) => {
    expect(read({ [clusterKey('sector')]: sector }).policy).not.toHaveProperty('sector');
  });

  it('that are wrong still tell what can be read of them', () => {
    const labels = { [clusterKey('schedule')]: 'x', [clusterKey('mutexes')]: 'm,', [clusterKey('sector')]: 's' };
    expect(read(labels).known).toEqual({ soakDays: 3, workloads: ['wl'], mutexes: ['m'], sector: 's' });
  });

  it('never throw, and are a policy exactly when nothing is an error', () => {
    const keys = Object.values(CLUSTER_LABELS).map(({ suffix }) => PREFIX + suffix);
    const value = fc.oneof(fc.string(), fc.constantFrom('0', 'a', 'a,b', '* * * * *', '[', ','));
    holds(
      fc.property(fc.dictionary(fc.constantFrom(...keys), value), fc.boolean(), (labels, strict) => {
        const { policy, faults } = parseClusterLabels(labels, { strict });
        expect(policy !== undefined).toBe(faults.every(({ severity }) => severity === 'warning'));
      }),
      { numRuns: 500 },
    );
  });
});
