import { describe, expect, it } from 'vitest';
import { clusterError } from '../../../test/support/memory-cluster.ts';
import { defined } from '../../base/index.ts';
import type { DesiredNamespace, KubeObject } from '../desired/desired-namespace.ts';
import { changesOf, type FleetPlan, type FleetPlanOptions, planFleet, summaryOf } from './fleet-plan.ts';
import type { LiveCluster } from './observe.ts';
import type { PlanItem } from './plan-item.ts';

const OPTIONS: FleetPlanOptions = { revision: 'r1', scope: {}, caller: 'me', instance: 'mine' };

function deployment(name: string, more: object = {}): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, ...more }, spec: { replicas: 1 } };
}

function desired(place: string, ...names: readonly string[]): DesiredNamespace {
  const [cluster = '', namespace = ''] = place.split('/');
  return { cluster, namespace, file: '', environment: 'prod', objects: names.map((name) => deployment(name)) };
}

interface OwnershipLabels {
  readonly environment?: string | null;
  readonly instance?: string | null;
  readonly caller?: string;
}

/** An object as this manager left it, or another one with other marks. */
function ours(
  name: string,
  { environment = 'prod', instance = 'mine', caller = 'me' }: OwnershipLabels = {},
): KubeObject {
  return deployment(name, {
    uid: `uid-${name}`,
    labels: {
      ...(environment === null ? {} : { 'echelon/environment': environment }),
      ...(instance === null ? {} : { 'echelon/instance': instance }),
    },
    annotations: {
      'qontract.integration': 'integrations-manager',
      'qontract.integration_version': '0.1.0',
      'qontract.sha256sum': 'x',
      'qontract.caller_name': caller,
    },
  });
}

type Places = Readonly<Record<string, readonly KubeObject[]>>;

function live(namespaces: Places, elsewhere: Places = {}, cluster = 'c'): LiveCluster {
  const read = (places: Places) =>
    Object.entries(places).map(([namespace, objects]) => ({ cluster, namespace, objects }));
  return { cluster, namespaces: read(namespaces), elsewhere: read(elsewhere), failures: [] };
}

const told = (items: readonly PlanItem[]): string[] =>
  items.map(({ action, cluster, namespace, name }) => `${action} ${cluster}/${namespace}/${name}`);

describe('the plan for a fleet', () => {
  it('is ordered by place, kind and name, and knows what it was made of', () => {
    const plan = planFleet(
      [desired('b/n', 'y', 'x'), desired('a/n2', 'x'), desired('a/n1', 'x')],
      [live({ n: [] }, {}, 'b'), live({ n2: [], n1: [] }, {}, 'a')],
      { ...OPTIONS, scope: { environment: 'prod' } },
    );
    expect(told(plan.items)).toEqual(['create a/n1/x', 'create a/n2/x', 'create b/n/x', 'create b/n/y']);
    expect(plan).toMatchObject({
      revision: 'r1',
      scope: { environment: 'prod' },
      failures: [],
      breaches: [],
      blind: [],
    });
  });

  it('has no items where nothing was seen, and says why', () => {
    const error = clusterError('KUBE_UNREACHABLE');
    const down: LiveCluster = { cluster: 'a', namespaces: [], elsewhere: [], failures: [{ cluster: 'a', error }] };
    const plan = planFleet([desired('a/n', 'x'), desired('b/n', 'x')], [down, live({ n: [] }, {}, 'b')], OPTIONS);
    expect(told(plan.items)).toEqual(['create b/n/x']);
    expect(plan.failures).toEqual([{ cluster: 'a', error }]);
  });

  it('names the clusters where only a part could be seen', () => {
    const plan = planFleet([], [{ ...live({}), blind: true }, live({}, {}, 'd')], OPTIONS);
    expect(plan.blind).toEqual(['c']);
  });

  it('tells clusters with the same namespace apart', () => {
    const plan = planFleet([desired('a/n', 'x')], [live({ n: [] }, {}, 'a'), live({ n: [] }, {}, 'b')], OPTIONS);
    expect(told(plan.items)).toEqual(['create a/n/x']);
  });
});

describe('one API server under two cluster names', () => {
  const SERVER = { server: 'https://api.example.com' };
  const twins = (object: KubeObject): LiveCluster[] => [
    { ...live({}, { n: [object] }, 'a'), ...SERVER },
    { ...live({ n: [object] }, {}, 'b'), ...SERVER },
  ];

  it.each([
    { given: 'an object that the other name declares', wanted: ['x'], items: ['update b/n/x'] },
    { given: 'an object that neither declares', wanted: [], items: ['delete b/n/x'] },
  ])('plans once $given', ({ wanted, items }) => {
    expect(told(planFleet([desired('b/n', ...wanted)], twins(ours('x')), OPTIONS).items)).toEqual(items);
  });

  it.each(['a/n', 'b/n'])('deletes nothing in a namespace that could not be rendered completely as %s', (place) => {
    const plan = planFleet([], twins(ours('x')), { ...OPTIONS, partial: new Set([place]) });
    expect(told(plan.items)).toEqual(['withhold a/n/x']);
  });

  it('is blind only if it is under every name', () => {
    const [a, b] = twins(ours('x')) as [LiveCluster, LiveCluster];
    expect(planFleet([], [{ ...a, blind: true }, b], OPTIONS).blind).toEqual([]);
    expect(
      planFleet(
        [],
        [
          { ...a, blind: true },
          { ...b, blind: true },
        ],
        OPTIONS,
      ).blind,
    ).toEqual(['a', 'b']);
  });
});

describe('S3: what was left behind where nothing is declared', () => {
  it.each([
    { given: 'ours', object: ours('x'), deleted: true },
    { given: 'of another data repository', object: ours('x', { instance: 'theirs' }), deleted: false },
    { given: 'of another upstream', object: ours('x', { caller: 'them' }), deleted: false },
    { given: 'without the marks of a data repository', object: ours('x', { instance: null }), deleted: false },
    {
      given: 'only marked, not ours',
      object: deployment('x', { labels: { 'echelon/instance': 'mine' } }),
      deleted: false,
    },
    { given: 'of another environment', object: ours('x', { environment: 'stage' }), deleted: true },
  ])('goes if it is ours: $given', ({ object, deleted }) => {
    for (const found of [live({ n: [object] }), live({}, { n: [object] })]) {
      expect(told(planFleet([], [found], OPTIONS).items)).toEqual(deleted ? ['delete c/n/x'] : []);
    }
  });

  it.each([
    { given: 'of this environment', environment: 'prod', deleted: true },
    { given: 'of another environment', environment: 'stage', deleted: false },
    { given: 'of no environment', environment: null, deleted: false },
  ])('goes in a pass for one environment only if it is $given', ({ environment, deleted }) => {
    const options = { ...OPTIONS, scope: { environment: 'prod' } };
    const plan = planFleet([], [live({}, { n: [ours('x', { environment })] })], options);
    expect(told(plan.items)).toEqual(deleted ? ['delete c/n/x'] : []);
  });

  it('stays where the data repository has no name to know it by', () => {
    const { instance: _, ...options } = OPTIONS;
    expect(planFleet([], [live({ n: [ours('x'), ours('y', { instance: null })] })], options).items).toEqual([]);
  });
});

describe('S3: what is not declared any more where something is', () => {
  it.each([
    { given: 'ours', object: ours('x'), deleted: true },
    {
      given: 'of the existing manager, without marks',
      object: ours('x', { instance: null, environment: null }),
      deleted: true,
    },
    { given: 'of another data repository', object: ours('x', { instance: 'theirs' }), deleted: false },
    { given: 'of another upstream', object: ours('x', { caller: 'them' }), deleted: false },
    { given: 'of nobody', object: deployment('x'), deleted: false },
  ])('goes unless it is somebody else: $given', ({ object, deleted }) => {
    const plan = planFleet([desired('c/n', 'a')], [live({ n: [object] })], OPTIONS);
    expect(told(plan.items)).toEqual(['create c/n/a', ...(deleted ? ['delete c/n/x'] : [])]);
  });

  it.each([
    { given: 'another environment, in a pass for one', scope: { environment: 'prod' }, deleted: false },
    { given: 'another environment, in a pass for all', scope: {}, deleted: true },
  ])('of $given: deleted $deleted', ({ scope, deleted }) => {
    const found = live({ n: [ours('x', { environment: 'stage' })] });
    const plan = planFleet([desired('c/n', 'a')], [found], { ...OPTIONS, scope });
    expect(told(plan.items)).toEqual(['create c/n/a', ...(deleted ? ['delete c/n/x'] : [])]);
  });

  it('of another data repository stays where this one has no name', () => {
    const { instance: _, ...options } = OPTIONS;
    const plan = planFleet([desired('c/n', 'a')], [live({ n: [ours('x', { instance: 'theirs' })] })], options);
    expect(told(plan.items)).toEqual(['create c/n/a']);
  });

  it('an object of the name that is wanted, marked by another data repository, is a conflict', () => {
    const plan = planFleet([desired('c/n', 'a')], [live({ n: [ours('a', { instance: 'theirs' })] })], OPTIONS);
    expect(told(plan.items)).toEqual(['conflict c/n/a']);
  });
});

describe('deletions are withheld where the view is incomplete:', () => {
  const found = live({ n1: [ours('x')], n2: [ours('x')] }, { n3: [ours('x')] });
  const wanted = [desired('c/n1', 'a'), desired('c/n2', 'a')];

  it('everywhere while the instance has errors', () => {
    const plan = planFleet(wanted, [found], { ...OPTIONS, incomplete: 'the instance has 2 errors' });
    expect(told(plan.items)).toEqual([
      'create c/n1/a',
      'withhold c/n1/x',
      'create c/n2/a',
      'withhold c/n2/x',
      'withhold c/n3/x',
    ]);
    expect(plan.items[1]).toMatchObject({
      reason: 'the instance has 2 errors',
      hint: expect.stringContaining('may still be declared'),
    });
    expect(plan.items[1]).not.toHaveProperty('seen');
  });

  it('in a namespace that could not be rendered as a whole, and only there', () => {
    const plan = planFleet(wanted, [found], { ...OPTIONS, partial: new Set(['c/n2']) });
    expect(told(plan.items)).toEqual([
      'create c/n1/a',
      'delete c/n1/x',
      'create c/n2/a',
      'withhold c/n2/x',
      'delete c/n3/x',
    ]);
    expect(plan.items[3]).toMatchObject({ reason: 'its namespace could not be rendered completely' });
  });

  it('a namespace of the same name in another cluster is another', () => {
    const plan = planFleet(wanted, [found], { ...OPTIONS, partial: new Set(['d/n1']) });
    expect(summaryOf(plan)).toMatchObject({ delete: 3, withhold: 0 });
  });
});

describe('S6: mass deletion', () => {
  const many = (count: number, cluster = 'c'): LiveCluster =>
    live({ n: Array.from({ length: count }, (_, index) => ours(`x${index}`)) }, {}, cluster);

  it('is withheld as a whole, with the numbers and the flag, in the cluster where it would be', () => {
    const stays = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const large = live({ n: stays.map((name) => ours(name)) }, {}, 'd');
    const plan = planFleet([desired('c/n', 'a'), desired('d/n', ...stays)], [many(4), large], OPTIONS);
    expect(summaryOf(plan)).toMatchObject({ withhold: 4, delete: 0, create: 1 });
    expect(plan.breaches).toEqual([
      { scope: 'cluster', cluster: 'c', deletions: 4, recent: 0, objects: 4, allowed: 3 },
    ]);
    expect(plan.items.find(({ action }) => action === 'withhold')).toMatchObject({
      withholds: 'delete',
      reason: 'cluster c: 4 of 4 objects would be deleted or stopped; at most 3 are allowed per hour',
      hint: expect.stringContaining('--allow-mass-deletion'),
    });
    expect(plan.removals).toEqual([]);
  });

  it('of a few objects in each of many clusters is withheld in all of them', () => {
    const clusters = Array.from({ length: 12 }, (_, at) => `c${at}`);
    const plan = planFleet(
      [],
      clusters.map((cluster) => many(3, cluster)),
      OPTIONS,
    );
    expect(summaryOf(plan)).toMatchObject({ withhold: 36, delete: 0 });
    expect(plan.breaches.map(({ scope }) => scope)).toEqual(['plan', 'environment']);
  });

  it('adds what went within the last hour and is still gone, and remembers what goes now', () => {
    const first = planFleet([], [many(2)], OPTIONS);
    expect(first.removals).toEqual([
      { cluster: 'c', environment: 'prod', key: expect.any(String) },
      { cluster: 'c', environment: 'prod', key: expect.any(String) },
    ]);
    const rest = live({ n: ['y0', 'y1'].map((name) => ours(name)) });
    expect(planFleet([], [rest], OPTIONS).breaches).toEqual([]);
    const second = planFleet([], [rest], { ...OPTIONS, recent: first.removals });
    expect(second.breaches[0]).toEqual({ scope: 'plan', deletions: 4, recent: 2, objects: 4, allowed: 3 });
    const back = live({ n: ['x0', 'x1', 'y0', 'y1'].map((name) => ours(name)) });
    expect(planFleet([desired('c/n', 'x0', 'x1')], [back], { ...OPTIONS, recent: first.removals }).breaches).toEqual(
      [],
    );
  });

  it('includes objects that are set to 0 replicas, also those that were within the last hour', () => {
    const stopped = (name: string, replicas = 0): KubeObject => ({ ...deployment(name), spec: { replicas } });
    const four = (replicas: number): KubeObject[] => ['a', 'b', 'c', 'd'].map((name) => stopped(name, replicas));
    const place = { cluster: 'c', namespace: 'n', file: '', environment: 'prod' };
    const running = live({ n: ['a', 'b', 'c', 'd'].map((name) => ours(name)) });
    const plan = planFleet([{ ...place, objects: four(0) }], [running], OPTIONS);
    expect(plan.items.map((item) => item.action === 'withhold' && item.withholds)).toEqual(Array(4).fill('update'));
    expect(plan.breaches[0]).toMatchObject({ scope: 'plan', deletions: 4, objects: 4 });
    const three = planFleet([{ ...place, objects: [...four(0).slice(0, 3), stopped('d', 1)] }], [running], OPTIONS);
    expect(summaryOf(three)).toMatchObject({ update: 4, withhold: 0 });
    expect(three.removals).toHaveLength(3);
    const after = live({
      n: ['a', 'b', 'c', 'd'].map((name) => ({ ...ours(name), spec: { replicas: name === 'd' ? 1 : 0 } })),
    });
    const next = planFleet([{ ...place, objects: four(0) }], [after], { ...OPTIONS, recent: three.removals });
    expect(next.breaches[0]).toEqual({ scope: 'plan', deletions: 4, recent: 3, objects: 4, allowed: 3 });
  });

  it('waits where the last hour is not known', () => {
    const recent = { unknown: 'cannot read the record', hint: 'try again' };
    const plan = planFleet([desired('c/n', 'a')], [many(1)], { ...OPTIONS, recent });
    expect(plan.items).toMatchObject([
      { action: 'create' },
      { action: 'withhold', withholds: 'delete', reason: 'cannot read the record', hint: 'try again' },
    ]);
    expect(plan.removals).toEqual([]);
    expect(summaryOf(planFleet([], [many(1)], { ...OPTIONS, recent, allowMassDeletion: true })).delete).toBe(1);
  });

  it('happens with consent', () => {
    const plan = planFleet([], [many(40)], { ...OPTIONS, allowMassDeletion: true });
    expect(summaryOf(plan)).toMatchObject({ withhold: 0, delete: 40 });
    expect(plan.breaches).toEqual([]);
  });

  it('is not counted where it is withheld already', () => {
    const plan = planFleet([], [many(40)], { ...OPTIONS, incomplete: 'the instance has 1 error' });
    expect(summaryOf(plan)).toMatchObject({ withhold: 40 });
    expect(plan.breaches).toEqual([]);
    expect(plan.items[0]).toMatchObject({ reason: 'the instance has 1 error' });
  });
});

describe('image changes', () => {
  const workload = (name: string, image: string, more: object = {}): KubeObject => ({
    ...deployment(name, more),
    spec: { replicas: 1, template: { spec: { containers: [{ name: 'int', image }] } } },
  });
  const place = { cluster: 'c', namespace: 'n', file: '', environment: 'prod' };
  const names = ['a', 'b', 'c'];
  const running = live({ n: names.map((name) => workload(name, 'repo:1', ours(name).metadata)) });
  const wanted = [{ ...place, objects: names.map((name) => workload(name, 'repo:2')) }];

  it.each([
    { maxImageChanges: undefined, update: 3, breaches: [] },
    { maxImageChanges: 3, update: 3, breaches: [] },
    { maxImageChanges: 2, update: 0, breaches: [{ scope: 'images', imageChanges: 3, allowed: 2 }] },
  ])('with at most $maxImageChanges: $update of 3', ({ maxImageChanges, update, breaches }) => {
    const plan = planFleet(wanted, [running], { ...OPTIONS, ...defined({ maxImageChanges }) });
    expect(summaryOf(plan)).toMatchObject({ update, withhold: 3 - update });
    expect(plan.breaches).toEqual(breaches);
  });

  it('leave other changes alone', () => {
    const objects = [workload('a', 'repo:2'), workload('b', 'repo:2'), workload('c', 'repo:1')];
    const plan = planFleet([{ ...place, objects }], [running], { ...OPTIONS, maxImageChanges: 1 });
    expect(told(plan.items)).toEqual(['withhold c/n/a', 'withhold c/n/b', 'update c/n/c']);
  });
});

describe('a shard that moves', () => {
  const identity = (shard: string): object => ({
    'echelon/integration': 'i',
    'echelon/shard': shard,
    'echelon/environment': 'prod',
  });
  const shard = (name: string, of: string): KubeObject => deployment(name, { annotations: identity(of) });
  const owned = (name: string, of: string): KubeObject => {
    const { metadata, ...rest } = ours(name);
    return {
      ...rest,
      metadata: { ...metadata, annotations: { ...(metadata['annotations'] as object), ...identity(of) } },
    };
  };
  const at = (place: string, ...objects: readonly KubeObject[]): DesiredNamespace => ({ ...desired(place), objects });
  const incomplete = 'the instance has 1 error';

  it('is not created while its old object stays, wherever and whatever it is called', () => {
    const wanted = [at('c/new', shard('other-name', '1'), shard('more', '2'))];
    const plan = planFleet(wanted, [live({ new: [], old: [owned('x', '1')] })], { ...OPTIONS, incomplete });
    expect(told(plan.items)).toEqual(['create c/new/more', 'withhold c/new/other-name', 'withhold c/old/x']);
    expect(plan.items[1]).toMatchObject({
      withholds: 'create',
      reason: 'it replaces Deployment x in c/old, whose deletion is withheld',
    });
  });

  it('is recognised by its name where its object has no identity', () => {
    const plan = planFleet([at('c/new', shard('x', '1'))], [live({ new: [], old: [ours('x')] })], {
      ...OPTIONS,
      incomplete,
    });
    expect(told(plan.items)).toEqual(['withhold c/new/x', 'withhold c/old/x']);
  });

  const reachable = live({ old: [owned('x', '1')] });
  const reasons = (plan: FleetPlan): string[] =>
    plan.items.flatMap((item) => ('reason' in item ? [`${item.action} ${item.name}: ${item.reason}`] : []));

  it('is deleted after it was created, by a plan that says so, with its Service', () => {
    const service = (namespace: string): KubeObject => ({ ...owned('s', '-'), kind: 'Service', apiVersion: namespace });
    const found = live({ old: [owned('x', '1'), service('v1')], new: [] }, {});
    const plan = planFleet([at('c/new', shard('y', '1'))], [found], OPTIONS);
    const after = [{ cluster: 'c', namespace: 'new', kind: 'Deployment', name: 'y' }];
    expect(plan.items.map((item) => [item.action, item.name, 'after' in item && item.after])).toEqual([
      ['create', 'y', false],
      ['delete', 'x', after],
      ['delete', 's', after],
    ]);
    expect(reasons(plan)[0]).toBe('delete x: it moves to c/new; deleted after it was created there');
  });

  it('stays while the cluster that it moves to cannot be observed', () => {
    const error = clusterError('KUBE_UNREACHABLE');
    const down: LiveCluster = { cluster: 'd', namespaces: [], elsewhere: [], failures: [{ cluster: 'd', error }] };
    const plan = planFleet([at('d/new', shard('x', '1'))], [reachable, down], OPTIONS);
    expect(reasons(plan)).toEqual([
      'withhold x: it moves to d/new, which could not be observed; it stays until it was created there',
    ]);
  });

  it('stays while it cannot be created: the name is taken', () => {
    const theirs = deployment('x', { uid: 'u' });
    const found = live({ old: [owned('x', '1')], new: [theirs] });
    const plan = planFleet([at('c/new', shard('x', '1'))], [found], OPTIONS);
    expect(told(plan.items)).toEqual(['conflict c/new/x', 'withhold c/old/x']);
    expect(reasons(plan)[1]).toContain('where Deployment x cannot be created');
  });

  it('stays while it cannot be rendered', () => {
    const lost = { cluster: 'c', namespace: 'new', integration: 'i', shard: '1', environment: 'prod' };
    const unrendered = () => [{ ...lost, error: clusterError('CHART_FAILED') }];
    const plan = planFleet([], [reachable], { ...OPTIONS, unrendered });
    expect(reasons(plan)[0]).toContain('it moves to c/new, which could not be rendered');
  });

  it('is deleted at once where it exists elsewhere already, whatever cannot be observed', () => {
    const found = live({ old: [owned('x', '1')], new: [owned('x', '1')] });
    const plan = planFleet([at('c/new', shard('x', '1')), at('d/n', shard('x', '1'))], [found], OPTIONS);
    expect(plan.items.find(({ namespace }) => namespace === 'old')).toMatchObject({
      action: 'delete',
      reason: 'no integration declares it any more',
    });
  });

  it('stays with another object that it replaces, whose deletion is withheld', () => {
    const many = Array.from({ length: 4 }, (_, index) => owned(`x${index}`, `${index}`));
    const large = Array.from({ length: 20 }, (_, index) => owned(`k${index}`, `k${index}`));
    const wanted = at('c/new', shard('y', '1'), ...large.map(({ metadata }) => shard(metadata.name, metadata.name)));
    const found = [live({ new: large, old: [owned('z', '1')] }), live({ old: many }, {}, 'd')];
    const plan = planFleet([wanted], found, OPTIONS);
    expect(told(plan.items.filter(({ name }) => /^[yz]/.test(name)))).toEqual(['withhold c/new/y', 'withhold c/old/z']);
    expect(reasons(plan).find((text) => text.startsWith('withhold z'))).toContain('where Deployment y is withheld');
  });

  it('of another environment is another', () => {
    const stage = deployment('x', { annotations: { ...identity('1'), 'echelon/environment': 'stage' } });
    const plan = planFleet([at('c/new', stage)], [live({ new: [], old: [owned('x', '1')] })], {
      ...OPTIONS,
      incomplete,
    });
    expect(told(plan.items)).toEqual(['create c/new/x', 'withhold c/old/x']);
  });
});

describe('a summary', () => {
  it('has every action, also those that do not occur', () => {
    const plan = planFleet([desired('c/n', 'a')], [live({ n: [ours('x')] })], OPTIONS);
    expect(summaryOf(plan)).toEqual({
      create: 1,
      update: 0,
      adopt: 0,
      recreate: 0,
      delete: 1,
      hold: 0,
      withhold: 0,
      conflict: 0,
      keep: 0,
    });
  });

  it('of changes leaves out what is kept, withheld or in conflict', () => {
    const place = { cluster: 'c', namespace: 'n', kind: 'Deployment' };
    const items = ['create', 'update', 'adopt', 'recreate', 'delete', 'withhold', 'conflict', 'keep'].map((action) => ({
      ...place,
      name: action,
      action,
    })) as unknown as PlanItem[];
    expect(changesOf({ items }).map(({ name }) => name)).toEqual(['create', 'update', 'adopt', 'recreate', 'delete']);
  });
});
