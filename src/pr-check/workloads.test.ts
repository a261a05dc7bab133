import { describe, expect, it } from 'vitest';
import {
  changeText,
  compareWorkloads,
  type GuardedObject,
  groupedChanges,
  type RenderedObject,
  type RenderedSide,
  shardNames,
  type WorkloadChange,
  workloadKey,
  workloadReport,
} from './workloads.ts';

interface Shape {
  readonly image?: string;
  readonly memory?: string;
  readonly replicas?: number;
  readonly kind?: string;
  readonly label?: string;
}

function workload(
  name: string,
  { image = 'r/x:1', memory = '1Gi', replicas = 1, kind = 'Deployment', label = '' }: Shape,
) {
  const template = {
    spec: { containers: [{ name: 'int', image, resources: { limits: { memory } } }, { image: 'side' }] },
  };
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { replicas, template };
  return { kind, metadata: { name, labels: { label } }, spec } as RenderedObject;
}

const SERVICE = { kind: 'Service', metadata: { name: 's' } };

function side(objects: readonly RenderedObject[], environment = 'stage', failed: readonly string[] = []): RenderedSide {
  return {
    namespaces: [{ cluster: 'c', namespace: 'n', environment, objects }],
    owners: new Map([[workloadKey('c', 'n', 'Deployment', 'a'), { integration: 'integ', shard: 'one' }]]),
    failed: new Set(failed),
    wrong: new Set(),
  };
}

const told = (before: readonly RenderedObject[], after: readonly RenderedObject[]): string[] =>
  compareWorkloads(side(before), side(after)).changes.map((change) => `${change.name}: ${changeText(change)}`);

describe('the difference of workloads', () => {
  it.each([
    { given: 'nothing', to: {}, change: [] },
    { given: 'another tag', to: { image: 'r/x:2' }, change: ['a: image 1 → 2'] },
    { given: 'another repository', to: { image: 'r/y:1' }, change: ['a: image r/x:1 → r/y:1'] },
    { given: 'a port and no tag', to: { image: 'r:5000/x' }, change: ['a: image r/x:1 → r:5000/x'] },
    {
      given: 'a digest',
      to: { image: `r/x:1@sha256:${'ab'.repeat(32)}` },
      change: ['a: image 1 → 1@sha256:abababababab…'],
    },
    { given: 'other resources', to: { memory: '2Gi' }, change: ['a: resources'] },
    { given: 'no replicas', to: { replicas: 0 }, change: ['a: replicas 1 → 0'] },
    { given: 'a label', to: { label: 'x' }, change: ['a: other fields'] },
    {
      given: 'all of that',
      to: { image: 'r/x:2', memory: '2Gi', replicas: 0, label: 'x' },
      change: ['a: image 1 → 2, resources, replicas 1 → 0, other fields'],
    },
  ])('of $given', ({ to, change }) => {
    expect(told([workload('a', {})], [workload('a', to)])).toEqual(change);
  });

  it('sees the image of a CronJob', () => {
    const cron = (image: string) => workload('a', { kind: 'CronJob', image });
    expect(told([cron('r/x:1')], [cron('r/x:2')])).toEqual(['a: image 1 → 2']);
  });

  it('knows what came, what went and whose it is', () => {
    const { changes, summary, before, after } = compareWorkloads(
      side([workload('a', {}), workload('b', {}), SERVICE]),
      side([workload('a', { image: 'r/x:2' }), workload('c', {}), SERVICE]),
    );
    expect(changes.map(({ name, change, integration, shard }) => [name, change, integration, shard])).toEqual([
      ['b', 'removed', undefined, undefined],
      ['c', 'added', undefined, undefined],
      ['a', 'changed', 'integ', 'one'],
    ]);
    expect({ summary, before, after }).toEqual({
      summary: '1 of 2 workloads changes in 1 environment; 1 is added; 1 is removed',
      before: 2,
      after: 2,
    });
  });

  it('says nothing of a namespace that one side could not render', () => {
    const gone = compareWorkloads(side([workload('a', {})]), side([], 'stage', ['c/n']));
    expect(gone.changes).toEqual([]);
  });

  it('does not mind the order of keys', () => {
    const turned = JSON.parse(JSON.stringify(workload('a', {})), (_, value) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toReversed())
        : value,
    ) as RenderedObject;
    expect(told([workload('a', {})], [turned])).toEqual([]);
  });
});

type Spec = Readonly<Record<string, unknown>>;
const NOTHING = { failed: new Set<string>(), wrong: new Set<string>(), failures: [], owners: new Map() };

function guardedSide(objects: Readonly<Record<string, Spec>>, more: Partial<typeof NOTHING> = {}) {
  const place = { cluster: 'c', namespace: 'n', environment: 'prod' };
  const rendered = Object.entries(objects).map(([name, spec]) => ({ kind: 'Deployment', metadata: { name }, spec }));
  return { ...NOTHING, ...more, namespaces: [{ ...place, objects: rendered }] };
}

/** The names that the guard counts. */
function going(base: Readonly<Record<string, Spec>>, head: Readonly<Record<string, Spec>>, more = {}): string[] {
  const seen: GuardedObject[] = [];
  workloadReport(guardedSide(base), guardedSide(head, more), (objects) => {
    seen.push(...objects);
    return [];
  });
  return seen.filter(({ goes }) => goes).map(({ name }) => name);
}

describe('what the guard counts of a change', () => {
  const ON = { replicas: 1 };
  const OFF = { replicas: 0 };
  it.each([
    { given: 'nothing', base: { a: ON }, head: { a: ON }, goes: [] },
    { given: 'an object removed', base: { a: ON, b: ON }, head: { a: ON }, goes: ['b'] },
    { given: 'an object stopped', base: { a: ON }, head: { a: OFF }, goes: ['a'] },
    { given: 'a schedule suspended', base: { a: {} }, head: { a: { suspend: true } }, goes: ['a'] },
    { given: 'an object started', base: { a: OFF }, head: { a: ON }, goes: [] },
    { given: 'an object that was stopped before', base: { a: OFF }, head: { a: OFF }, goes: [] },
  ])('$given: $goes', ({ base, head, goes }) => {
    expect(going(base as never, head as never)).toEqual(goes);
  });

  it('leaves out what could not be rendered', () => {
    expect(going({ a: ON }, {}, { failed: new Set(['c/n']) })).toEqual([]);
  });
});

const change = (integration: string, shard: string, more: Partial<WorkloadChange> = {}): WorkloadChange => ({
  ...{ environment: 'prod', cluster: 'c', namespace: 'n', kind: 'Deployment', name: `${integration}-${shard}` },
  ...{ integration, shard, change: 'changed', image: { from: 'quay.io/x:1', to: 'quay.io/x:2' } },
  ...more,
});

describe('changes of workloads', () => {
  it('are told together where the same happens to shards of one integration in one environment', () => {
    const changes = [
      change('terraform', 'a'),
      change('terraform', 'b', { change: 'removed' }),
      change('vault', 'a'),
      change('terraform', 'c'),
      change('terraform', 'd', { environment: 'stage' }),
    ];
    expect(groupedChanges(changes)).toEqual([
      { environment: 'prod', integration: 'terraform', change: 'image 1 → 2', shards: ['a', 'c'] },
      { environment: 'prod', integration: 'terraform', change: 'removed', shards: ['b'] },
      { environment: 'prod', integration: 'vault', change: 'image 1 → 2', shards: ['a'] },
      { environment: 'stage', integration: 'terraform', change: 'image 1 → 2', shards: ['d'] },
    ]);
  });

  it('of an object that no integration declares are told by its kind and name', () => {
    const { integration: _, shard: __, ...stray } = change('x', 'y');
    expect(groupedChanges([stray])).toMatchObject([{ integration: 'Deployment', shards: ['x-y'] }]);
  });

  it.each([
    [['a'], false, 'a'],
    [['a', 'b', 'c', 'd', 'e'], false, 'a, b, c, d, e'],
    [['a', 'b', 'c', 'd', 'e', 'f'], false, 'a, b, c, d and 2 more'],
    [['a', 'b', 'c', 'd', 'e', 'f'], true, 'a, b, c, d, e, f'],
  ])('%j, all: %j, is %s', (shards, all, text) => {
    expect(shardNames(shards, all)).toBe(text);
  });
});
