import { describe, expect, it } from 'vitest';
import { changeText } from './words.ts';
import { compareWorkloads, type RenderedObject, type RenderedSide, workloadKey } from './workloads.ts';

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
