import { describe, expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../../test/support/fleet.ts';
import { ref } from '../../../test/support/hand-made-snapshot.ts';
import { instantOf } from '../../gates/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { targetOf } from '../desired/group.ts';
import { selectWorkloads } from '../desired/select.ts';
import type { PodDetails } from './pod-details.ts';
import { type Scope, scopesOf } from './scope-facts.ts';

const [OLD, NEW] = ['repo:1', 'repo:2'];
const NAME = 'qontract-reconcile-mine';

/** One integration with a shard for each account; `acc-1` is pinned, `acc-2` is disabled. */
function groups(spec: object = {}) {
  const sharding = {
    strategy: 'per-aws-account',
    shardSpecOverrides: [
      { shard: ref('/aws/acc-1.yml'), imageRef: 'pinned' },
      { shard: ref('/aws/acc-2.yml'), disabled: true },
    ],
  };
  return selectWorkloads(fleetWith({ '/i.yml': managedOnce({ spec: spec as never, sharding }) }), {}).groups;
}

interface Made {
  readonly kind?: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly cpu?: string;
  readonly replicas?: number;
}

function workload(
  name: string,
  { kind = 'Deployment', image = OLD, args = [], cpu = '1', replicas = 1 }: Made = {},
): KubeObject {
  const template = { spec: { containers: [{ name: 'int', image, args, resources: { limits: { cpu } } }] } };
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { replicas, template };
  return { apiVersion: 'apps/v1', kind, metadata: { name, uid: name }, spec };
}

function pod(deployment: string, { image = OLD, ready = true, restarts = 0 } = {}): KubeObject {
  const owner = { kind: 'ReplicaSet', name: `${deployment}-5d4f`, uid: `${deployment}-5d4f-uid`, controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name: `${deployment}-5d4f-x`, uid: `${deployment}-x`, labels: { 'pod-template-hash': '5d4f' } },
      ownerReferences: [owner],
    },
    spec: { containers: [{ name: 'int', image }] },
    status: {
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [{ name: 'int', restartCount: restarts }],
    },
  };
}

interface Given {
  readonly spec?: object;
  readonly desired?: Made;
  readonly live?: readonly KubeObject[];
  readonly details?: PodDetails;
}

function scope({ spec = {}, desired = {}, live, details }: Given): Scope {
  const all = groups(spec);
  const place = all[0]!.namespace;
  const where = { cluster: place.cluster.name, namespace: place.name };
  const objects = ['acc-1', 'acc-2', 'acc-3', 'acc-4'].map((account) =>
    workload(`${NAME}-${account}`, { image: account === 'acc-1' ? 'repo:pinned' : NEW, ...desired }),
  );
  const [only] = scopesOf({
    groups: all,
    namespaces: [{ ...where, file: '', environment: place.environment.name, objects }],
    live:
      live === undefined
        ? []
        : [{ cluster: where.cluster, namespaces: [{ ...where, objects: live }], elsewhere: [], failures: [] }],
    upstreamOf: () => 'me',
    details: new Map(details === undefined ? [] : [[targetOf(place), details]]),
    isComplete: true,
  });
  if (only === undefined) throw new Error('there is no scope');
  return only;
}

const shardOf = (given: Given, name = 'acc-3') => scope(given).facts.shards.find(({ shard }) => shard === name);

describe('F1: the facts of an environment and upstream', () => {
  it('have the declared image, and pins beside it', () => {
    const { facts } = scope({ live: [] });
    expect(facts).toMatchObject({ upstream: 'me', target: NEW, isComplete: true });
    expect(facts.shards.map(({ id, pinned, disabled, seen }) => ({ id, pinned, disabled, seen }))).toEqual([
      { id: 'mine/acc-1', pinned: 'repo:pinned', disabled: false, seen: true },
      { id: 'mine/acc-2', pinned: undefined, disabled: true, seen: true },
      { id: 'mine/acc-3', pinned: undefined, disabled: false, seen: true },
      { id: 'mine/acc-4', pinned: undefined, disabled: false, seen: true },
    ]);
  });

  it('D3: know that a namespace was not seen', () => {
    expect(scope({}).facts.shards.map(({ seen }) => seen)).toEqual([false, false, false, false]);
  });
});

describe('the facts of a shard', () => {
  const live = [workload(`${NAME}-acc-3`)];

  it('have no live part without an object', () => {
    expect(shardOf({ live: [] })).not.toHaveProperty('live');
  });

  it.each([
    { given: 'no pod', pods: [], ready: false, converged: true, restarts: 0 },
    { given: 'a ready pod', pods: [pod(`${NAME}-acc-3`, { restarts: 2 })], ready: true, converged: true, restarts: 2 },
    {
      given: 'one that is not',
      pods: [pod(`${NAME}-acc-3`, { ready: false })],
      ready: false,
      converged: true,
      restarts: 0,
    },
    {
      given: 'a pod of another image',
      pods: [pod(`${NAME}-acc-3`, { image: NEW, restarts: 5 })],
      ready: false,
      converged: false,
      restarts: 0,
    },
    { given: 'a pod of another workload', pods: [pod(`${NAME}-acc`)], ready: false, converged: true, restarts: 0 },
  ])('with $given', ({ given: _, pods, ...told }) => {
    expect(shardOf({ live, details: { pods, jobs: [] } })?.live).toEqual({ image: OLD, ...told });
  });

  it.each([
    { given: 'is ready', status: { readyReplicas: 1, updatedReplicas: 1, replicas: 1 }, ready: true, converged: true },
    { given: 'is not', status: { updatedReplicas: 1, replicas: 1 }, ready: false, converged: true },
    { given: 'has old pods', status: { readyReplicas: 1, replicas: 1 }, ready: true, converged: false },
    { given: 'has no status yet', status: undefined, ready: false, converged: true },
  ])('D8: after completion, when pods are not listed, are those of a workload that $given', ({ status, ...told }) => {
    const object = { ...workload(`${NAME}-acc-3`), ...(status && { status }) };
    expect(shardOf({ live: [object] })?.live).toMatchObject({ ready: told.ready, converged: told.converged });
  });

  const withSpec = (spec: object, kind = 'Deployment'): KubeObject => {
    const object = workload(`${NAME}-acc-3`, { kind }) as KubeObject & { spec: object };
    return { ...object, spec: { ...object.spec, ...spec } };
  };
  it.each([
    { kind: 'Deployment', set: { replicas: 0 }, stopped: 'scaled to 0' },
    { kind: 'StatefulSet', set: { replicas: 0 }, stopped: 'scaled to 0' },
    { kind: 'Deployment', set: { paused: true }, stopped: 'paused' },
    { kind: 'CronJob', set: { suspend: true }, stopped: 'suspended' },
    { kind: 'Deployment', set: { replicas: 2, paused: false }, stopped: undefined },
    { kind: 'Deployment', set: { replicas: undefined }, stopped: undefined },
    { kind: 'CronJob', set: { suspend: false }, stopped: undefined },
  ])('D2: tell that a $kind with $set is stopped: $stopped', ({ kind, set, stopped }) => {
    const spec = kind === 'CronJob' ? { cron: '0 * * * *' } : kind === 'StatefulSet' ? { cache: true } : {};
    for (const details of [undefined, { pods: [], jobs: [] }]) {
      const facts = shardOf({ spec, desired: { kind }, live: [withSpec(set, kind)], ...(details && { details }) });
      expect(facts?.live?.stopped).toBe(stopped);
      expect(facts).not.toHaveProperty('declaredStop');
    }
  });

  it.each([
    { given: 'is created', live: [] },
    { given: 'moves', live },
  ])('D2: tell that a shard which $given is declared without replicas', ({ live: found }) => {
    const declared = (replicas: number) => shardOf({ live: found, desired: { replicas } })?.declaredStop;
    expect([declared(0), declared(1)]).toEqual(['scaled to 0', undefined]);
  });

  it.each([
    { given: 'the image alone', desired: {}, alters: undefined },
    { given: 'resources', desired: { cpu: '2' }, alters: undefined },
    { given: 'arguments', desired: { args: ['new'] }, alters: true },
  ])('A2: tell that a move changes more than $given', ({ desired, alters }) => {
    expect(shardOf({ live, desired })?.altersTemplate).toBe(alters);
  });

  it('D5: of a CronJob have its jobs, with how each ended', () => {
    const name = `${NAME}-acc-3`;
    const job = (type: string | undefined, image: string): KubeObject => ({
      ...workload('job', { image }),
      kind: 'Job',
      metadata: { name: 'job', ownerReferences: [{ kind: 'CronJob', name, uid: name, controller: true }] },
      status: {
        startTime: '2026-11-16T10:00:00Z',
        ...(type === undefined ? {} : { conditions: [{ type, status: 'True' }] }),
      },
    });
    const jobs = [job('Complete', NEW), job('Failed', OLD), job(undefined, NEW)];
    const facts = shardOf({
      ...{ spec: { cron: '0 * * * *' }, desired: { kind: 'CronJob' }, live: [workload(name, { kind: 'CronJob' })] },
      details: { pods: [], jobs },
    });
    const startedAt = instantOf(Date.parse('2026-11-16T10:00:00Z'));
    expect(facts).toMatchObject({ workload: 'CronJob', schedule: '0 * * * *' });
    expect(facts?.live?.jobs).toEqual([
      { image: NEW, startedAt, state: 'succeeded' },
      { image: OLD, startedAt, state: 'failed' },
      { image: NEW, startedAt, state: 'running' },
    ]);
  });
});

it('F1: shards of two upstreams in one environment have a target each', () => {
  const integration = (name: string, upstream: string) => ({ ...managedOnce({}), name, upstream });
  const all = selectWorkloads(
    fleetWith({ '/a.yml': integration('mine', 'one'), '/b.yml': integration('yours', 'two') }),
    {},
  ).groups;
  const place = all[0]!.namespace;
  const objects = [
    workload('qontract-reconcile-mine', { image: OLD }),
    workload('qontract-reconcile-yours', { image: NEW }),
  ];
  const desired = { cluster: place.cluster.name, namespace: place.name, file: '', environment: place.environment.name };
  const given = { groups: all, namespaces: [{ ...desired, objects }], live: [], details: new Map(), isComplete: true };
  const targets = (upstreamOf: (of: { upstream?: string }) => string) =>
    scopesOf({ ...given, upstreamOf }).map(({ facts }) => [facts.upstream, facts.target, facts.shards.length]);
  expect(targets(({ upstream = '' }) => upstream)).toEqual([
    ['one', OLD, 1],
    ['two', NEW, 1],
  ]);
  expect(targets(() => 'all')).toEqual([['all', OLD, 2]]);
});

describe('the facts of a second pass over the same instance', () => {
  const all = groups();
  const place = all[0]!.namespace;
  const where = { cluster: place.cluster.name, namespace: place.name };
  const objects = ['acc-1', 'acc-2', 'acc-3', 'acc-4'].map((account) =>
    workload(`${NAME}-${account}`, { image: account === 'acc-1' ? 'repo:pinned' : NEW }),
  );
  const namespaces = [{ ...where, file: '', environment: place.environment.name, objects }];
  const rolled = (): KubeObject[] =>
    structuredClone(objects).map((object) => ({ ...object, status: { observedGeneration: 1, readyReplicas: 1 } }));
  const seen = (live: readonly KubeObject[] | undefined, more: Partial<Parameters<typeof scopesOf>[0]> = {}) => {
    const found = live === undefined ? [] : [{ ...where, objects: live }];
    return scopesOf({
      ...{ groups: all, namespaces, upstreamOf: () => 'me', details: new Map(), isComplete: true },
      live: [{ cluster: where.cluster, namespaces: found, elsewhere: [], failures: [] }],
      ...more,
    })[0]!.facts;
  };
  /** Of `acc-3`, in the live objects. */
  const changed = (change: (object: KubeObject) => KubeObject): KubeObject[] =>
    rolled().map((object) => (object.metadata.name.endsWith('acc-3') ? change(object) : object));

  it('are the same ones while the cluster shows the same', () => {
    expect(seen(rolled())).toBe(seen(rolled()));
  });

  const byHand = (image: string, args: readonly string[]) =>
    changed(() => workload(`${NAME}-acc-3`, { image, args })) as readonly KubeObject[];
  it.each<{ given: string; before?: readonly KubeObject[]; now: () => ReturnType<typeof seen> }>([
    { given: 'another image', now: () => seen(byHand(OLD, [])) },
    { given: 'other arguments under a held image', before: byHand(OLD, []), now: () => seen(byHand(OLD, ['--new'])) },
    {
      given: 'a workload that was paused',
      now: () => seen(changed((one) => ({ ...one, spec: { ...(one['spec'] as object), paused: true } }))),
    },
    { given: 'a pod that is not ready', now: () => seen(changed((one) => ({ ...one, status: {} }))) },
    {
      given: 'a change that the controller has not seen',
      now: () => seen(changed((one) => ({ ...one, metadata: { ...one.metadata, generation: 2 } }))),
    },
    { given: 'a workload that is gone', now: () => seen(rolled().filter((one) => !one.metadata.name.endsWith('3'))) },
    { given: 'a namespace that was not seen', before: [], now: () => seen(undefined) },
    { given: 'pods', now: () => seen(rolled(), { details: new Map([[targetOf(place), { pods: [], jobs: [] }]]) }) },
    { given: 'an instance with errors', now: () => seen(rolled(), { isComplete: false }) },
    { given: 'another upstream', now: () => seen(rolled(), { upstreamOf: () => 'other' }) },
  ])('differ with $given, and are those of a first pass', ({ before = rolled(), now }) => {
    const known = seen(before);
    const facts = now();
    expect(facts).not.toEqual(known);
    const first = structuredClone(facts);
    seen([workload('other')]);
    expect(now()).toEqual(first);
  });
});
