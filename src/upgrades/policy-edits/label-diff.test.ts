import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { clusterKey, type Labels, PREFIX } from '../policies/label-keys.ts';
import { isPolicyKey, labelDiff, labelsAfter } from './label-diff.ts';

const [SCHEDULE, WORKLOADS, SECTOR] = [clusterKey('schedule'), clusterKey('workloads'), clusterKey('sector')];

describe('labelDiff', () => {
  it.each<{ given: string; current: Labels; desired: Labels; changes: readonly string[] }>([
    { given: 'a label that is new', current: {}, desired: { [SECTOR]: 's' }, changes: ['add'] },
    { given: 'another value', current: { [SECTOR]: 's' }, desired: { [SECTOR]: 't' }, changes: ['change'] },
    { given: 'the same', current: { [SECTOR]: 's' }, desired: { [SECTOR]: 's' }, changes: [] },
    { given: 'one that is gone', current: { [SECTOR]: 's' }, desired: {}, changes: ['remove'] },
    {
      given: 'a list in another order',
      current: { [WORKLOADS]: 'a, b' },
      desired: { [WORKLOADS]: 'b,a' },
      changes: [],
    },
    {
      given: 'a list with a blank',
      current: { [WORKLOADS]: 'a,,b' },
      desired: { [WORKLOADS]: 'a,b' },
      changes: ['change'],
    },
    { given: 'a shorter list', current: { [WORKLOADS]: 'a,b' }, desired: { [WORKLOADS]: 'a' }, changes: ['change'] },
    { given: 'an emptied list', current: { [WORKLOADS]: 'a' }, desired: { [WORKLOADS]: '' }, changes: ['change'] },
    {
      given: 'a schedule, which is no list',
      current: { [SCHEDULE]: '0 1,2 * * *' },
      desired: { [SCHEDULE]: '2 * * *,0 1' },
      changes: ['change'],
    },
    {
      given: 'what is not managed',
      current: { [`${PREFIX}version-gate-approvals`]: 'g', [`${PREFIX}new`]: 'x', 'team/owner': 'us' },
      desired: {},
      changes: [],
    },
  ])('$given', ({ current, desired, changes }) => {
    expect(labelDiff(current, desired, isPolicyKey).map(({ action }) => action)).toEqual(changes);
  });

  it('never takes away what is foreign, whatever is managed', () => {
    expect(labelDiff({ 'team/owner': 'us', [SECTOR]: 's' }, {}, () => true)).toEqual([
      { action: 'remove', key: SECTOR, from: 's' },
    ]);
  });

  it('of any labels leads to them, takes no foreign one, and is done after once', () => {
    const key = fc.constantFrom(SCHEDULE, WORKLOADS, SECTOR, `${PREFIX}unknown`, 'team/owner');
    const value = fc.constantFrom('', 'a', 'a,b', 'b,a', 'a,,b', ' a');
    const desired = fc.dictionary(fc.constantFrom(SCHEDULE, WORKLOADS, SECTOR), value);
    holds(
      fc.property(fc.dictionary(key, value), desired, (current, wanted) => {
        const after = labelsAfter(current, labelDiff(current, wanted, isPolicyKey));
        expect(labelDiff(after, wanted, isPolicyKey)).toEqual([]);
        expect(Object.keys(after).filter(isPolicyKey).sort()).toEqual(Object.keys(wanted).sort());
        for (const kept of ['team/owner', `${PREFIX}unknown`]) expect(after[kept]).toBe(current[kept]);
      }),
    );
  });

  it('leads to the desired labels, after which there is nothing left to do', () => {
    const current = { [SECTOR]: 's', [WORKLOADS]: 'a', 'team/owner': 'us' };
    const desired = { [WORKLOADS]: 'b', [SCHEDULE]: '* * * * *' };
    const after = labelsAfter(current, labelDiff(current, desired, isPolicyKey));
    expect(after).toEqual({ ...desired, 'team/owner': 'us' });
    expect(labelDiff(after, desired, isPolicyKey)).toEqual([]);
  });
});
