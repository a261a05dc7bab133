import { describe, expect, it } from 'vitest';
import { clusterError } from '../../../test/support/memory-cluster.ts';
import type { ClusterAccess } from '../../instance/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { FleetPlan } from './fleet-plan.ts';
import type { LiveCluster } from './observe.ts';
import type { PlanItem } from './plan-item.ts';
import { readSavedPlan, savedPlan, staleItems, targetsOf } from './saved-plan.ts';
import { seenOf } from './seen.ts';

function deployment(name: string, replicas = 1, metadata: object = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'n', uid: `u-${name}`, ...metadata },
    spec: { replicas },
  };
}

const PLACE = { cluster: 'c', namespace: 'n', kind: 'Deployment' };
const ITEMS: readonly PlanItem[] = [
  { ...PLACE, name: 'new', action: 'create', object: deployment('new') },
  {
    ...PLACE,
    name: 'changed',
    action: 'update',
    object: deployment('changed', 2),
    seen: seenOf(deployment('changed')),
    differences: [{ path: 'spec.replicas', live: 1, desired: 2 }],
    force: false,
  },
  { ...PLACE, cluster: 'd', name: 'gone', action: 'delete', seen: seenOf(deployment('gone')), reason: 'r' },
];
const PLAN: FleetPlan = {
  revision: 'abc',
  scope: { environment: 'prod' },
  items: ITEMS,
  failures: [{ cluster: 'x', error: clusterError('KUBE_TLS') }],
  breaches: [],
  removals: [],
  blind: [],
};
const cluster = (name: string): ClusterAccess => ({ name, serverUrl: `https://${name}.example.com` }) as ClusterAccess;
const saved = (items: readonly PlanItem[] = ITEMS) =>
  savedPlan(PLAN, items, [cluster('c'), cluster('d'), cluster('unused')], new Date('2026-11-15T10:00:00Z'));
const text = (plan: unknown): string => JSON.stringify(plan, undefined, 2);

describe('a saved plan', () => {
  it('is what is to be done and how to reach those clusters, nothing else', () => {
    const plan = saved();
    expect(plan).toMatchObject({
      apiVersion: 'echelon/v1',
      kind: 'Plan',
      revision: 'abc',
      created: '2026-11-15T10:00:00.000Z',
      scope: { environment: 'prod' },
      clusters: [{ name: 'c' }, { name: 'd' }],
      items: ITEMS,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(plan).not.toHaveProperty('failures');
  });

  it('is read as it was saved', () => {
    expect(readSavedPlan(text(saved()), 'plan.json')).toEqual(saved());
    expect(readSavedPlan(JSON.stringify(saved([])), 'plan.json')).toEqual(saved([]));
  });

  it.each([
    {
      given: 'names that the language has of its own',
      metadata: '{"name":"new","labels":{"constructor":"x","toString":"y"}}',
    },
    { given: 'a name that would change what an object is', metadata: '{"name":"new","__proto__":{"polluted":true}}' },
    { given: 'texts beyond ASCII and line ends', metadata: '{"name":"new","labels":{"a":"ü\\n\\u2028"}}' },
  ])('is read with $given', ({ metadata }) => {
    const object = { ...deployment('new'), metadata: JSON.parse(metadata) };
    const plan = saved([{ ...PLACE, name: 'new', action: 'create', object }]);
    const [read] = readSavedPlan(text(plan), 'plan.json').items;
    expect(JSON.stringify(read?.action === 'create' && read.object)).toBe(JSON.stringify(object));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('is read when it is large', () => {
    const items = Array.from(
      { length: 5_000 },
      (_, index): PlanItem => ({
        ...PLACE,
        name: `d${index}`,
        action: 'create',
        object: deployment(`d${index}`),
      }),
    );
    expect(readSavedPlan(text(saved(items)), 'plan.json').items).toHaveLength(5_000);
  });

  it.each<{ given: string; change: (plan: Record<string, unknown>) => unknown; why: string }>([
    { given: 'another revision', change: (plan) => ({ ...plan, revision: 'x' }), why: 'changed after it was saved' },
    { given: 'another scope', change: (plan) => ({ ...plan, scope: {} }), why: 'changed after it was saved' },
    { given: 'fewer items', change: (plan) => ({ ...plan, items: ITEMS.slice(1) }), why: 'changed after it was saved' },
    {
      given: 'another server',
      change: (plan) => ({ ...plan, clusters: [cluster('c'), { name: 'd', serverUrl: 'https://evil.example.com' }] }),
      why: 'changed after it was saved',
    },
    { given: 'something more', change: (plan) => ({ ...plan, more: 1 }), why: 'changed after it was saved' },
    {
      given: 'another digest',
      change: (plan) => ({ ...plan, sha256: '0'.repeat(64) }),
      why: 'changed after it was saved',
    },
    { given: 'no digest', change: ({ sha256: _, ...plan }) => plan, why: 'sha256: ' },
    {
      given: 'an unknown action',
      change: (plan) => ({ ...plan, items: [{ ...ITEMS[0], action: 'keep' }] }),
      why: 'items.0.action: ',
    },
    {
      given: 'an item without a name',
      change: (plan) => ({ ...plan, items: [{ ...ITEMS[0], name: 7 }] }),
      why: 'items.0.name: ',
    },
    { given: 'another version', change: (plan) => ({ ...plan, apiVersion: 'echelon/v2' }), why: 'apiVersion: ' },
    { given: 'another kind', change: (plan) => ({ ...plan, kind: 'RenderLedger' }), why: 'kind: ' },
    { given: 'only a text', change: () => 'x', why: 'is not a valid saved plan' },
    { given: 'null', change: () => null, why: 'is not a valid saved plan' },
  ])('is refused with $given', ({ change, why }) => {
    const changed = text(change({ ...saved() }));
    expect(() => readSavedPlan(changed, 'plan.json')).toThrow(
      expect.objectContaining({ code: 'PLAN_INVALID', message: expect.stringContaining(why) }),
    );
    expect(() => readSavedPlan(changed, 'plan.json')).toThrow(/^plan\.json is not a valid saved plan/);
  });

  it.each(['', '{', text(saved()).slice(0, -5)])('is refused when it was cut: %#', (cut) => {
    expect(() => readSavedPlan(cut, 'plan.json')).toThrow('plan.json is not a valid saved plan: it is not JSON');
  });
});

it('what is looked at before it is carried out are the places of its items, each once', () => {
  const more: PlanItem = {
    ...PLACE,
    namespace: 'm',
    name: 'x',
    action: 'delete',
    seen: { fingerprint: '' },
    reason: '',
  };
  expect(targetsOf({ items: [...ITEMS, more, ...ITEMS] })).toEqual([
    { cluster: 'c', namespaces: ['n', 'm'] },
    { cluster: 'd', namespaces: ['n'] },
  ]);
});

describe('an item is stale', () => {
  const live = (clusters: Readonly<Record<string, readonly KubeObject[]>>): LiveCluster[] =>
    Object.entries(clusters).map(([name, objects]) => ({
      cluster: name,
      namespaces: [{ cluster: name, namespace: 'n', objects }],
      elsewhere: [],
      failures: [],
    }));
  const stale = (clusters: Readonly<Record<string, readonly KubeObject[]>>): string[] =>
    staleItems({ items: ITEMS }, live(clusters)).map(({ name }) => name);
  const asSeen = { c: [deployment('changed')], d: [deployment('gone')] };

  it('never while everything is as it was seen', () => {
    expect(stale(asSeen)).toEqual([]);
    const annotations = { 'deployment.kubernetes.io/revision': '3' };
    const noted = { ...deployment('changed', 1, { resourceVersion: '9', annotations }), status: { replicas: 1 } };
    expect(stale({ ...asSeen, c: [noted] })).toEqual([]);
  });

  it.each([
    {
      given: 'what is to be created is there',
      clusters: { ...asSeen, c: [deployment('changed'), deployment('new')] },
      is: ['new'],
    },
    {
      given: 'what is to be changed says something else',
      clusters: { ...asSeen, c: [deployment('changed', 5)] },
      is: ['changed'],
    },
    {
      given: 'what is to be changed is another',
      clusters: { ...asSeen, c: [deployment('changed', 1, { uid: 'x' })] },
      is: ['changed'],
    },
    { given: 'what is to be changed is gone', clusters: { ...asSeen, c: [] }, is: ['changed'] },
    { given: 'what is to be deleted is gone', clusters: { ...asSeen, d: [] }, is: ['gone'] },
    {
      given: 'what is to be deleted is in another cluster',
      clusters: { c: [...asSeen.c, ...asSeen.d], d: [] },
      is: ['gone'],
    },
  ])('when $given', ({ clusters, is }) => {
    expect(stale(clusters)).toEqual(is);
  });
});
