import { describe, expect, it } from 'vitest';
import { nextMinors, openGates, unblocked } from './agreements.ts';

const gate = (id: string, versionPrefix: string, label = 'ocp', stsOnly = false) => ({
  ...{ id, versionPrefix, stsOnly },
  label: `api.openshift.com/gate-${label}`,
});
const GATES = [
  gate('now', '4.18'),
  gate('next', '4.19'),
  gate('sts', '4.19', 'sts'),
  gate('only-sts', '4.19', 'other', true),
  gate('far', '4.20'),
  gate('major', '5.0'),
];

describe('gates before a cluster on 4.18.5', () => {
  it.each([
    { given: 'the next minor', sts: false, minors: ['4.18', '4.19'], agreed: [], open: ['next'] },
    { given: 'a cluster with STS', sts: true, minors: ['4.19'], agreed: [], open: ['next', 'sts', 'only-sts'] },
    { given: 'an agreement', sts: false, minors: ['4.19', '4.20'], agreed: ['next'], open: ['far'] },
    { given: 'the next major', sts: false, minors: ['5.0'], agreed: [], open: ['major'] },
  ])('$given', ({ sts, minors, agreed, open }) => {
    const found = openGates({ version: '4.18.5', sts }, GATES, new Set(minors), new Set(agreed));
    expect(found.map(({ id }) => id)).toEqual(open);
  });
});

describe('where a cluster may go', () => {
  it('is the next minor, and those of its upgrades', () => {
    expect([...nextMinors('4.18.5', ['4.18.6', '4.20.1'])].sort()).toEqual(['4.18', '4.19', '4.20']);
  });

  it.each([
    { patterns: ['^4\\.18\\.6$'], left: ['4.18.7'] },
    { patterns: [], left: ['4.18.6', '4.18.7'] },
    { patterns: ['('], left: [] },
  ])('is nothing that $patterns block', ({ patterns, left }) => {
    expect(unblocked(['4.18.6', '4.18.7'], patterns)).toEqual(left);
  });
});
