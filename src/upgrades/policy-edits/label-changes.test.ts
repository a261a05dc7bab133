import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { clusterKey, type Labels, PREFIX } from '../policies/label-keys.ts';
import { editFaults, isPolicyKey, labelDiff, labelsAfter } from './label-changes.ts';

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

const BLOCKS = 'blocked-versions';
const prefixed = (given: Labels): Labels =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [PREFIX + key, value]));
const names = (length: number, prefix = 'n'): string => Array.from({ length }, (_, at) => `${prefix}${at}`).join(',');

function messages(current: Labels, desired: Labels): string[] {
  const [from, to] = [prefixed(current), prefixed(desired)];
  return editFaults(
    from,
    labelDiff(from, to, () => true),
  ).flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));
}

describe('what an edit makes worse', () => {
  const two = { 'sector-deps.a': 'b', 'sector-deps.b': 'a', 'sector-deps.c': 'd', 'sector-deps.d': 'c' };
  const three = { 'sector-deps.a': 'b', 'sector-deps.b': 'c', 'sector-deps.c': 'a' };
  it.each([
    { edit: 'a block beside a bad one', from: { [BLOCKS]: '(' }, to: { [BLOCKS]: '(,^4$' }, says: [] },
    { edit: 'one of two bad blocks removed', from: { [BLOCKS]: '(,[' }, to: { [BLOCKS]: '[' }, says: [] },
    { edit: 'a bad block in place of another', from: { [BLOCKS]: '(' }, to: { [BLOCKS]: '[' }, says: ['"["'] },
    { edit: 'a list too long made shorter', from: { [BLOCKS]: names(203) }, to: { [BLOCKS]: names(202) }, says: [] },
    {
      edit: 'a list made too long',
      from: { [BLOCKS]: names(200) },
      to: { [BLOCKS]: names(201) },
      says: ['201 members'],
    },
    { edit: 'a new list that is too long', from: {}, to: { [BLOCKS]: names(201) }, says: ['201 members'] },
    { edit: 'the first of two cycles removed', from: two, to: { ...two, 'sector-deps.b': '' }, says: [] },
    { edit: 'the second of two cycles removed', from: two, to: { ...two, 'sector-deps.d': '' }, says: [] },
    { edit: 'a dependency into a cycle', from: two, to: { ...two, 'sector-deps.x': 'a' }, says: [] },
    { edit: 'a dependency out of a cycle', from: two, to: { ...two, 'sector-deps.a': 'b,x' }, says: [] },
    {
      edit: 'two cycles joined',
      from: two,
      to: { ...two, 'sector-deps.a': 'b,c', 'sector-deps.d': 'c,b' },
      says: ['a → c → d → b → a'],
    },
    { edit: 'a shorter cycle within one', from: three, to: { ...three, 'sector-deps.b': 'c,a' }, says: ['b → a → b'] },
    { edit: 'a sector that needs itself', from: two, to: { ...two, 'sector-deps.x': 'x' }, says: ['x → x'] },
    {
      edit: 'a cycle moved',
      from: two,
      to: { ...two, 'sector-deps.b': 'x', 'sector-deps.x': 'a' },
      says: ['b → x → a → b'],
    },
    {
      edit: 'too many sectors made fewer',
      from: { 'sector-deps.a': names(150), 'sector-deps.b': names(150, 'm') },
      to: { 'sector-deps.a': names(149), 'sector-deps.b': names(150, 'm') },
      says: [],
    },
    {
      edit: 'sectors made too many',
      from: { 'sector-deps.a': names(150) },
      to: { 'sector-deps.a': names(150), 'sector-deps.b': names(150, 'm') },
      says: ['302 sectors'],
    },
    {
      edit: 'one bad limit for another',
      from: { 'sector-max-parallel-upgrades.a': 'x' },
      to: { 'sector-max-parallel-upgrades.a': 'y' },
      says: ['"y"'],
    },
  ])('$edit: $says', ({ from, to, says }) => {
    expect(messages(from as Labels, to as Labels)).toEqual(says.map((each) => expect.stringContaining(each)));
  });
});
