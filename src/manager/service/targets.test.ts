import { describe, expect, it } from 'vitest';
import { EchelonError } from '../../base/index.ts';
import type { PlanItem } from '../plan/plan-item.ts';
import { targetsToKeep, withEarlierTargets } from './targets.ts';

const target = (cluster: string, ...namespaces: string[]) => ({ cluster, namespaces });

describe('what a pass observes', () => {
  it.each([
    { given: 'nothing before', before: [], observed: [target('a', 'x')] },
    { given: 'the same before', before: [target('a', 'x')], observed: [target('a', 'x')] },
    { given: 'another namespace before', before: [target('a', 'y')], observed: [target('a', 'x', 'y')] },
    { given: 'another cluster before', before: [target('b', 'x')], observed: [target('a', 'x'), target('b', 'x')] },
  ])('with $given', ({ before, observed }) => {
    expect(withEarlierTargets([target('a', 'x')], before)).toEqual(observed);
  });
});

it('keeps the server of a cluster that is no longer declared, so that another name of it is recognised', () => {
  const before = [{ ...target('b', 'x'), server: 's' }];
  expect(withEarlierTargets([{ ...target('a', 'x'), server: 's' }], before)).toEqual([
    { ...target('a', 'x'), server: 's' },
    { ...target('b', 'x'), server: 's' },
  ]);
});

describe('what the next pass observes too', () => {
  const declared = [target('a', 'x')];
  const targets = [target('a', 'x', 'y'), target('b', 'z')];
  const item = (cluster: string, namespace: string, action = 'delete') =>
    ({ cluster, namespace, kind: 'Deployment', name: 'n', action }) as PlanItem;
  const error = new EchelonError({ code: 'KUBE_UNREACHABLE', message: 'no', hint: 'wait' });
  const removed = item('b', 'z');

  it.each([
    { given: 'nothing left', items: [], failures: [], kept: [target('a', 'x')] },
    { given: 'an object that stays', items: [item('b', 'z', 'keep')], failures: [], kept: [target('a', 'x')] },
    { given: 'an object that was removed', items: [removed], failures: [], kept: [target('a', 'x')] },
    {
      given: 'an object that could not be removed',
      items: [item('a', 'y')],
      failures: [],
      kept: [target('a', 'x', 'y')],
    },
    {
      given: 'a deletion that was withheld',
      items: [item('b', 'z', 'withhold')],
      failures: [],
      kept: [target('a', 'x'), target('b', 'z')],
    },
    {
      given: 'a cluster that could not be observed',
      items: [],
      failures: [{ cluster: 'b', error }],
      kept: [target('a', 'x'), target('b', 'z')],
    },
    {
      given: 'a namespace that could not be observed',
      items: [],
      failures: [{ cluster: 'a', namespace: 'y', error }],
      kept: [target('a', 'x', 'y')],
    },
  ])('with $given', ({ items, failures, kept }) => {
    const results = [{ item: removed, outcome: 'done' as const }];
    expect(targetsToKeep({ targets, declared }, { items, failures }, results)).toEqual(kept);
  });
});
