import { describe, expect, it } from 'vitest';
import type { Difference } from '../plan/differences.ts';
import type { PlanItem } from '../plan/plan-item.ts';
import { itemReason } from './item-reason.ts';

const NAME = { cluster: 'c', namespace: 'n', kind: 'Deployment', name: 'x' };
const OBJECT = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' } };
const WRITE = { object: OBJECT, seen: { fingerprint: 'f' }, force: false };
const IMAGE = 'spec.template.spec.containers[int].image';
const update = (...differences: readonly Difference[]): PlanItem => ({
  ...NAME,
  ...WRITE,
  action: 'update',
  differences,
});

describe('why an item is planned', () => {
  it.each<{ item: PlanItem; why: string }>([
    { item: { ...NAME, action: 'create', object: OBJECT }, why: 'does not exist' },
    { item: { ...NAME, action: 'keep' }, why: 'as declared' },
    { item: { ...NAME, action: 'conflict', reason: 'is not ours', hint: '' }, why: 'is not ours' },
    { item: { ...NAME, action: 'hold', target: 'i:2', reason: 'wave 2 waits', waits: [] }, why: 'wave 2 waits' },
    {
      item: {
        ...NAME,
        action: 'hold',
        target: 'i:2',
        reason: 'wave 2 waits',
        waits: [{ path: IMAGE, live: 'i:1', desired: 'i:2' }],
      },
      why: 'wave 2 waits; waits: image 1 → 2',
    },
    {
      item: { ...NAME, ...WRITE, action: 'update', differences: [], takeOver: ['oc', 'kubectl'] },
      why: 'takes over the fields of oc, kubectl',
    },
    {
      item: {
        ...NAME,
        ...WRITE,
        action: 'adopt',
        reason: 'no owner',
        differences: [{ path: 'spec.replicas', live: 1, desired: 2 }],
      },
      why: 'no owner; spec.replicas: 1 → 2',
    },
  ])('$item.action: $why', ({ item, why }) => {
    expect(itemReason(item)).toBe(why);
  });

  it.each<{ differences: Difference[]; why: string }>([
    { differences: [{ path: IMAGE, live: 'a/i:1', desired: 'b/i:2' }], why: 'image a/i:1 → b/i:2' },
    { differences: [{ path: 'spec.x', live: 1 }], why: 'spec.x removed' },
    { differences: [{ path: 'metadata.labels.app', desired: 'x' }], why: 'labels app: x' },
    { differences: [{ path: 'spec.x', desired: 'y'.repeat(61) }], why: `spec.x: ${'y'.repeat(59)}…` },
    {
      differences: ['a', 'b', 'c', 'd'].map((path) => ({ path, live: 1, desired: 2 })),
      why: 'a: 1 → 2, b: 1 → 2, c: 1 → 2 and 1 more field',
    },
    {
      differences: [
        { path: 'metadata.annotations.qontract.sha256sum', live: 'a', desired: 'b' },
        { path: 'spec.x', live: 1, desired: 2 },
      ],
      why: 'spec.x: 1 → 2',
    },
    {
      differences: [{ path: 'metadata.annotations.echelon/x', live: 'a', desired: 'b' }],
      why: 'annotations echelon/x: a → b',
    },
  ])('an update: $why', ({ differences, why }) => {
    expect(itemReason(update(...differences))).toBe(why);
  });
});
