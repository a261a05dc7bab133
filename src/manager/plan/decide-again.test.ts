import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { decideAgain } from './decide-again.ts';
import type { PlanItem } from './plan-item.ts';
import { seenOf } from './seen.ts';

const ID = { cluster: 'c', namespace: 'n', kind: 'Deployment', name: 'a' };

function object(replicas: number, metadata: object = {}, more: object = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7', ...metadata },
    spec: { replicas },
    ...more,
  };
}

const desired: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', namespace: 'n' },
  spec: { replicas: 2 },
};
const seen = seenOf(object(1));
const write = { object: desired, seen, differences: [], force: false };
const ITEMS = {
  update: { ...ID, action: 'update', ...write },
  adopt: { ...ID, action: 'adopt', reason: '', ...write },
  recreate: { ...ID, action: 'recreate', reason: '', ...write },
  delete: { ...ID, action: 'delete', seen, reason: '' },
} as const satisfies Record<string, PlanItem>;

describe('an item whose object changed since it was observed', () => {
  const status = object(1, { resourceVersion: '8' }, { status: { replicas: 1 } });
  const theirs = object(1, { resourceVersion: '8', annotations: { 'qontract.integration': 'theirs' } });
  it.each([
    { given: 'only another status', live: status, update: 'same', adopt: 'same', recreate: 'same', delete: 'same' },
    {
      ...{ given: 'a new revision noted by its controller', update: 'same', adopt: 'same' },
      live: object(1, { resourceVersion: '8', annotations: { 'deployment.kubernetes.io/revision': '2' } }),
      ...{ recreate: 'same', delete: 'same' },
    },
    {
      ...{ given: 'what was planned', live: object(2, { resourceVersion: '8' }) },
      ...{ update: 'done', adopt: 'done', recreate: 'changed', delete: 'changed' },
    },
    {
      ...{ given: 'another spec', live: object(3, { resourceVersion: '8' }) },
      ...{ update: 'changed', adopt: 'changed', recreate: 'changed', delete: 'changed' },
    },
    {
      ...{ given: 'another owner', live: theirs },
      ...{ update: 'changed', adopt: 'changed', recreate: 'changed', delete: 'changed' },
    },
    {
      ...{ given: 'another uid and what was planned', live: object(2, { uid: 'v' }) },
      ...{ update: 'changed', adopt: 'changed', recreate: 'changed', delete: 'changed' },
    },
    {
      ...{ given: 'gone', live: undefined },
      ...{ update: 'changed', adopt: 'changed', recreate: 'changed', delete: 'done' },
    },
  ])('and now is or has $given', ({ live, ...expected }) => {
    for (const [action, item] of Object.entries(ITEMS)) {
      expect([action, decideAgain(item, live).kind]).toEqual([action, expected[action as keyof typeof ITEMS]]);
    }
  });

  it('is written with the version that it has now', () => {
    expect(decideAgain(ITEMS.update, status)).toEqual({ kind: 'same', seen: { ...seen, resourceVersion: '8' } });
  });
});
