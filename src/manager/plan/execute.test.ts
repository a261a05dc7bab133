import { describe, expect, it } from 'vitest';
import { clusterError, type MemoryCluster, memoryCluster } from '../../../test/support/memory-cluster.ts';
import { defined } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { ClusterApi } from './cluster-api.ts';
import { type ExecuteOptions, executePlan, type ItemResult } from './execute.ts';
import type { PlanItem } from './plan-item.ts';

const PLACE = { cluster: 'c', namespace: 'n', kind: 'Deployment' };

function object(name: string, namespace = 'n'): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec: {} };
}

const create = (name: string, place: Partial<typeof PLACE> = {}): PlanItem => ({
  ...PLACE,
  ...place,
  name,
  action: 'create',
  object: object(name, place.namespace),
});
const remove = (name: string, place: Partial<typeof PLACE> = {}): PlanItem => ({
  ...PLACE,
  ...place,
  name,
  action: 'delete',
  seen: { fingerprint: '' },
  reason: 'r',
});

function run(
  items: readonly PlanItem[],
  clusters: Readonly<Record<string, ClusterApi>>,
  options: Partial<ExecuteOptions> = {},
): Promise<ItemResult[]> {
  return executePlan(
    { items },
    {
      connect: async (cluster) => clusters[cluster] ?? Promise.reject(clusterError('KUBE_NO_ACCESS')),
      sleep: async () => {},
      ...options,
    },
  );
}

const told = (results: readonly ItemResult[]): string[] =>
  results.map(({ item, outcome, error }) => `${item.name} ${outcome}${error === undefined ? '' : ` ${error.code}`}`);
const names = (cluster: MemoryCluster): string[] => cluster.objects().map(({ metadata }) => metadata.name);

describe('a plan is carried out', () => {
  it('item by item, what is deleted last', async () => {
    const cluster = memoryCluster({ objects: [object('old')] });
    const seen: string[] = [];
    const results = await run(
      [remove('old'), create('a'), create('b')],
      { c: cluster },
      {
        onResult: ({ item }) => seen.push(item.name),
      },
    );
    expect(told(results)).toEqual(['a done', 'b done', 'old done']);
    expect(seen).toEqual(['a', 'b', 'old']);
    expect(cluster.calls.map(({ verb, name }) => `${verb} ${name}`)).toEqual(['apply a', 'apply b', 'remove old']);
    expect(names(cluster)).toEqual(['a', 'b']);
  });

  it('without what is kept, withheld or in conflict, and without connecting for that', async () => {
    const items = ['keep', 'withhold', 'conflict'].map((action) => ({ ...PLACE, name: action, action })) as PlanItem[];
    let connects = 0;
    const connect = async () => {
      connects += 1;
      return memoryCluster();
    };
    expect(await run(items, {}, { connect })).toEqual([]);
    expect(connects).toBe(0);
  });

  it('with one connection for each cluster', async () => {
    const connects: string[] = [];
    const connect = async (cluster: string) => {
      connects.push(cluster);
      return memoryCluster();
    };
    await run([create('a'), create('b'), create('a', { cluster: 'd' })], {}, { connect });
    expect(connects.toSorted()).toEqual(['c', 'd']);
  });

  it.each([1, 3])('at most %i at a time', async (concurrency) => {
    let under = 0;
    let most = 0;
    const slow: ClusterApi = {
      ...memoryCluster(),
      apply: async () => {
        under += 1;
        most = Math.max(most, under);
        for (const _ of [1, 2, 3]) await Promise.resolve();
        under -= 1;
        return { created: true };
      },
    };
    await run(
      Array.from({ length: 9 }, (_, index) => create(`d${index}`)),
      { c: slow },
      { concurrency },
    );
    expect(most).toBe(concurrency);
  });
});

describe('what fails leaves the others alone:', () => {
  it('one object of many', async () => {
    const cluster = memoryCluster();
    cluster.fail({ when: ({ name }) => name === 'bad', error: clusterError('KUBE_INVALID') });
    const results = await run([create('a'), create('bad'), create('c')], { c: cluster });
    expect(told(results)).toEqual(['a done', 'bad failed KUBE_INVALID', 'c done']);
  });

  describe('what moves to another cluster', () => {
    const moves: PlanItem[] = [
      { ...(remove('old', { cluster: 'a' }) as PlanItem & { action: 'delete' }), after: [{ ...PLACE, name: 'new' }] },
      remove('other', { cluster: 'a' }),
      create('new'),
    ];
    const from = (): MemoryCluster => memoryCluster({ objects: [object('old'), object('other')] });

    it('is deleted last of all, when it was created there', async () => {
      const clusters = { a: from(), c: memoryCluster() };
      expect(told(await run(moves, clusters))).toEqual(['other done', 'new done', 'old done']);
    });

    it.each([
      { why: 'the namespace does not exist', to: memoryCluster({ namespaces: [] }), outcome: 'KUBE_NO_NAMESPACE' },
      { why: 'the cluster is not accessible', to: undefined, outcome: 'KUBE_NO_ACCESS' },
    ])('stays where $why', async ({ to, outcome }) => {
      const a = from();
      const results = await run(moves, { a, ...defined({ c: to }) });
      expect(told(results)).toEqual(['other done', `new failed ${outcome}`, 'old skipped SKIPPED']);
      expect(results[2]?.error?.message).toBe('not attempted: Deployment new was not created in c/n');
      expect(names(a)).toEqual(['old']);
    });

    it('stays where a saved plan has no such creation', async () => {
      const a = from();
      expect(told(await run(moves.slice(0, 1), { a }))).toEqual(['old skipped SKIPPED']);
    });
  });

  it('nothing is deleted in a namespace where something could not be written', async () => {
    const cluster = memoryCluster({ objects: [object('old'), object('old', 'm')] });
    cluster.fail({ when: ({ name }) => name === 'bad', error: clusterError('KUBE_FORBIDDEN') });
    const items = [create('bad'), create('good'), remove('old'), remove('old', { namespace: 'm' })];
    const results = await run(items, { c: cluster });
    expect(told(results)).toEqual(['bad failed KUBE_FORBIDDEN', 'good done', 'old skipped SKIPPED', 'old done']);
    expect(results[2]?.error).toMatchObject({
      message: 'not attempted: another object of c/n could not be written',
      cause: { code: 'KUBE_FORBIDDEN' },
    });
    expect(cluster.objects().map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      'n/good',
      'n/old',
    ]);
  });

  it('a namespace that does not exist is tried once', async () => {
    const cluster = memoryCluster({ namespaces: ['n'] });
    const lost = { namespace: 'lost' };
    const items = [create('a', lost), create('b', lost), create('c'), remove('x', lost)];
    const results = await run(items, { c: cluster }, { concurrency: 1 });
    expect(told(results)).toEqual(['a failed KUBE_NO_NAMESPACE', 'b skipped SKIPPED', 'c done', 'x skipped SKIPPED']);
    expect(results[1]?.error?.message).toBe('not attempted: the namespace c/lost does not exist');
  });

  it.each(['KUBE_UNREACHABLE', 'KUBE_TIMEOUT', 'KUBE_UNAUTHORIZED'])(
    'a cluster that does not answer any more (%s)',
    async (code) => {
      const cluster = memoryCluster();
      const other = memoryCluster();
      cluster.fail({ when: ({ name }) => name === 'b', error: clusterError(code) });
      const items = [
        create('a'),
        create('b'),
        create('c', { namespace: 'm' }),
        remove('d'),
        create('e', { cluster: 'd' }),
      ];
      const results = await run(items, { c: cluster, d: other }, { concurrency: 1 });
      expect(told(results)).toEqual(['a done', `b failed ${code}`, 'c skipped SKIPPED', 'd skipped SKIPPED', 'e done']);
      expect(cluster.calls).toHaveLength(2);
    },
  );

  it('a cluster without a way in', async () => {
    const other = memoryCluster();
    const results = await run([create('a'), remove('b'), create('c', { cluster: 'd' })], { d: other });
    expect(told(results)).toEqual(['a failed KUBE_NO_ACCESS', 'b skipped SKIPPED', 'c done']);
  });

  it('but a fault of Echelon is one', async () => {
    const broken: ClusterApi = { ...memoryCluster(), apply: () => Promise.reject(new TypeError('a bug')) };
    await expect(run([create('a')], { c: broken })).rejects.toThrow('a bug');
  });
});

describe('nothing more is begun', () => {
  it('once another manager may be at work', async () => {
    const cluster = memoryCluster();
    /** Before each item and each of its requests. */
    let may = 4;
    const mayWrite = () => {
      may -= 1;
      return may >= 0;
    };
    const items = [create('a'), create('b'), create('c'), remove('d')];
    expect(told(await run(items, { c: cluster }, { mayWrite, concurrency: 1 }))).toEqual([
      'a done',
      'b done',
      'c skipped LEASE_LOST',
      'd skipped LEASE_LOST',
    ]);
    expect(names(cluster)).toEqual(['a', 'b']);
  });

  it.each([
    { given: 'between the two halves of a replacement', asked: 3, names: [] as string[] },
    { given: 'before its first', asked: 1, names: ['s'] },
  ])('$given', async ({ asked, names: left }) => {
    const cluster = memoryCluster({ objects: [object('s')] });
    let may = asked;
    const mayWrite = () => {
      may -= 1;
      return may >= 0;
    };
    const seen = { fingerprint: '' };
    const write = { object: object('s'), seen, differences: [], force: false };
    const items: PlanItem[] = [{ ...PLACE, name: 's', action: 'recreate', reason: '', ...write }];
    expect(told(await run(items, { c: cluster }, { mayWrite }))).toEqual(['s skipped LEASE_LOST']);
    expect(names(cluster)).toEqual(left);
  });

  it('and nothing is reported as failed, when the client finds out first', async () => {
    const cluster = memoryCluster();
    cluster.fail({ when: () => true, error: clusterError('LEASE_LOST') });
    expect(told(await run([create('a'), remove('b')], { c: cluster }))).toEqual([
      'a skipped LEASE_LOST',
      'b skipped LEASE_LOST',
    ]);
  });

  it('after an interruption, but what is being written is finished', async () => {
    const stop = new AbortController();
    const cluster = memoryCluster();
    const onResult = ({ item }: ItemResult): void => {
      if (item.name === 'a') stop.abort();
    };
    const slow: ClusterApi = {
      ...cluster,
      apply: async (given, how) => {
        if (given.metadata.name === 'b') while (!stop.signal.aborted) await Promise.resolve();
        return cluster.apply(given, how);
      },
    };
    const items = [create('a'), create('b'), create('c'), remove('d')];
    const results = await run(items, { c: slow }, { signal: stop.signal, onResult, concurrency: 2 });
    expect(told(results)).toEqual(['a done', 'b done', 'c skipped INTERRUPTED', 'd skipped INTERRUPTED']);
    expect(names(cluster)).toEqual(['a', 'b']);
  });

  /** Its writes are refused, and what it is asked then it answers only when nobody waits any more. */
  function silentAfterConflict(asked: () => void): ClusterApi {
    return {
      ...memoryCluster(),
      remove: () => Promise.reject(clusterError('KUBE_CONFLICT')),
      list: (_, { signal } = {}) => {
        const { promise, reject } = Promise.withResolvers<never>();
        signal?.addEventListener('abort', () => reject(signal.reason));
        asked();
        return promise;
      },
    };
  }

  it('and nothing is waited for in the middle of an item, when the lease is lost', async () => {
    const stop = new AbortController();
    let leads = true;
    const api = silentAfterConflict(() => {
      leads = false;
      stop.abort(new Error('the lease was not renewed in time'));
    });
    const results = await run([remove('a')], { c: api }, { mayWrite: () => leads, signal: stop.signal });
    expect(told(results)).toEqual(['a skipped LEASE_LOST']);
  });

  it('but an item is finished at a shutdown, also where it has to read first', async () => {
    const stop = new AbortController();
    const signals: (AbortSignal | undefined)[] = [];
    const api: ClusterApi = {
      ...memoryCluster(),
      remove: () => Promise.reject(clusterError('KUBE_CONFLICT')),
      list: async (_, { signal } = {}) => {
        stop.abort();
        signals.push(signal);
        return [];
      },
    };
    const results = await run([remove('a')], { c: api }, { mayWrite: () => true, signal: stop.signal });
    expect(told(results)).toEqual(['a done']);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
  });
});
