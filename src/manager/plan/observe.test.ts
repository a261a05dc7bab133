import { describe, expect, it } from 'vitest';
import { clusterError, type MemoryCluster, memoryCluster } from '../../../test/support/memory-cluster.ts';
import type { EchelonError } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { isConnectionError, observe, type Target } from './observe.ts';

function object(kind: string, namespace: string, name: string, labels: object = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, namespace, labels } };
}

const MARKED = { 'echelon/instance': 'mine' };

function fleet(clusters: Readonly<Record<string, MemoryCluster | EchelonError>>) {
  const connects: string[] = [];
  return {
    connects,
    connect: async (cluster: string): Promise<MemoryCluster> => {
      connects.push(cluster);
      const found = clusters[cluster];
      if (found === undefined) throw new Error(`nobody asked for ${cluster}`);
      if (found instanceof Error) throw found;
      return found;
    },
  };
}

const look = (clusters: Readonly<Record<string, MemoryCluster | EchelonError>>, ...targets: readonly Target[]) =>
  observe(targets, fleet(clusters).connect);

const names = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe('a look at a cluster', () => {
  it('sees each kind that a manager operates, once in each namespace, and nothing else', async () => {
    const cluster = memoryCluster({
      objects: [
        object('Deployment', 'n1', 'd'),
        object('StatefulSet', 'n1', 's'),
        object('CronJob', 'n1', 'c'),
        object('Service', 'n1', 'v'),
        object('ConfigMap', 'n1', 'm'),
        object('Deployment', 'n2', 'd'),
        object('Deployment', 'other', 'd'),
      ],
    });
    const [seen] = await look({ c: cluster }, { cluster: 'c', namespaces: ['n1', 'n2'] });
    expect(seen?.namespaces.map(({ namespace, objects }) => [namespace, names(objects)])).toEqual([
      ['n1', ['CronJob c', 'Deployment d', 'Service v', 'StatefulSet s']],
      ['n2', ['Deployment d']],
    ]);
    expect(seen).toMatchObject({ cluster: 'c', elsewhere: [], failures: [] });
    expect(seen).not.toHaveProperty('blind');
    expect(cluster.calls).toHaveLength(8);
    expect(cluster.writes).toEqual([]);
  });

  it('finds what carries the marks in all other namespaces, and all that stands beside a Service', async () => {
    const cluster = memoryCluster({
      objects: [
        object('Deployment', 'n1', 'declared', MARKED),
        object('Deployment', 'old', 'b', MARKED),
        object('Service', 'old', 'a', MARKED),
        object('CronJob', 'older', 'c', MARKED),
        object('Deployment', 'old', 'theirs', { 'echelon/instance': 'theirs' }),
        object('Deployment', 'old', 'nobody'),
      ],
    });
    const [seen] = await look(
      { c: cluster },
      { cluster: 'c', namespaces: ['n1'], elsewhere: { caller: 'me', instance: 'mine' } },
    );
    expect(seen?.elsewhere.map(({ namespace, objects }) => [namespace, names(objects)])).toEqual([
      ['older', ['CronJob c']],
      ['old', ['Deployment b', 'Deployment theirs', 'Deployment nobody', 'Service a']],
    ]);
    const wide = cluster.calls.filter(({ where }) => where?.namespace === undefined);
    expect(wide).toHaveLength(4);
    expect(wide[0]?.where).toMatchObject({ labelSelector: 'echelon/instance=mine', notIn: ['n1'] });
    expect(cluster.calls.filter(({ where }) => where?.namespace === 'old')).toHaveLength(4);
  });

  it('asks for the marks of one environment only in a pass for one', async () => {
    const cluster = memoryCluster();
    const elsewhere = { caller: 'me', instance: 'mine', environment: 'prod' };
    await look({ c: cluster }, { cluster: 'c', namespaces: [], elsewhere });
    expect(cluster.calls[0]?.where?.labelSelector).toBe('echelon/environment=prod,echelon/instance=mine');
  });

  it('leaves out the declared namespaces also where the server did not', async () => {
    const cluster = memoryCluster({ objects: [object('Deployment', 'n1', 'a', MARKED)] });
    const careless = { ...cluster, list: (kind: string) => cluster.list(kind, {}) };
    const target = { cluster: 'c', namespaces: ['n1'], elsewhere: { caller: 'me', instance: 'mine' } };
    const [seen] = await observe([target], async () => careless);
    expect(seen?.elsewhere).toEqual([]);
  });

  it('of nothing connects all the same, and asks for nothing', async () => {
    const cluster = memoryCluster();
    expect(await look({ c: cluster }, { cluster: 'c', namespaces: [] })).toEqual([
      { cluster: 'c', namespaces: [], elsewhere: [], failures: [] },
    ]);
    expect(cluster.calls).toEqual([]);
  });
});

describe('what fails leaves the others alone:', () => {
  const good = () => memoryCluster({ objects: [object('Deployment', 'n1', 'a'), object('Deployment', 'n2', 'b')] });
  const target = (cluster: string): Target => ({ cluster, namespaces: ['n1', 'n2', 'n3'] });

  it.each(['KUBE_NO_ACCESS', 'KUBE_LOGIN', 'SECRET_MISSING'])('a cluster without a way in (%s)', async (code) => {
    const error = clusterError(code);
    const alone = await look({ b: good() }, target('b'));
    const [a, b] = await look({ a: error, b: good() }, target('a'), target('b'));
    expect(a).toEqual({ cluster: 'a', namespaces: [], elsewhere: [], failures: [{ cluster: 'a', error }] });
    expect(b).toEqual(alone[0]);
  });

  it.each(['KUBE_UNREACHABLE', 'KUBE_TIMEOUT', 'KUBE_TLS', 'KUBE_UNAUTHORIZED', 'KUBE_THROTTLED'])(
    'a cluster that does not answer is asked for its first namespace only (%s)',
    async (code) => {
      const cluster = good();
      const error = clusterError(code);
      cluster.fail({ when: () => true, error });
      const [seen] = await look({ c: cluster }, target('c'));
      expect(seen).toEqual({ cluster: 'c', namespaces: [], elsewhere: [], failures: [{ cluster: 'c', error }] });
      expect(new Set(cluster.calls.map(({ where }) => where?.namespace))).toEqual(new Set(['n1']));
    },
  );

  it.each(['KUBE_FORBIDDEN', 'KUBE_NOT_FOUND', 'KUBE_INVALID', 'KUBE_EXPIRED'])(
    'one namespace that cannot be looked at (%s)',
    async (code) => {
      const cluster = good();
      const error = clusterError(code);
      cluster.fail({ when: ({ kind, where }) => kind === 'CronJob' && where?.namespace === 'n1', error });
      const [seen] = await look({ c: cluster }, target('c'));
      expect(seen?.failures).toEqual([{ cluster: 'c', namespace: 'n1', error }]);
      expect(seen?.namespaces.map(({ namespace, objects }) => [namespace, names(objects)])).toEqual([
        ['n2', ['Deployment b']],
        ['n3', []],
      ]);
    },
  );

  it('a cluster that breaks down half-way is not seen by halves', async () => {
    const cluster = good();
    const error = clusterError('KUBE_UNREACHABLE');
    cluster.fail({ when: ({ where }) => where?.namespace === 'n3', error });
    const [seen] = await look({ c: cluster }, target('c'));
    expect(seen).toEqual({ cluster: 'c', namespaces: [], elsewhere: [], failures: [{ cluster: 'c', error }] });
  });

  it('an account that may see only its own namespaces is blind elsewhere', async () => {
    const cluster = good();
    cluster.fail({ when: ({ where }) => where?.namespace === undefined, error: clusterError('KUBE_FORBIDDEN') });
    const [seen] = await look({ c: cluster }, { ...target('c'), elsewhere: { caller: 'me', instance: 'mine' } });
    expect(seen).toMatchObject({ blind: true, elsewhere: [], failures: [] });
    expect(seen?.namespaces).toHaveLength(3);
  });

  it('a fault of Echelon is not taken for one of a cluster', async () => {
    const connect = () => Promise.reject(new TypeError('a bug'));
    await expect(observe([target('c')], connect)).rejects.toThrow('a bug');
  });
});

describe('somebody who gives up waiting', () => {
  it('ends the look with their reason, not with a failure of a cluster', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const cluster = memoryCluster();
    const connect = async () => {
      stop.abort(reason);
      return cluster;
    };
    await expect(observe([{ cluster: 'c', namespaces: ['n1'] }], connect, stop.signal)).rejects.toBe(reason);
  });

  it('is known to every list', async () => {
    const cluster = memoryCluster();
    const { signal } = new AbortController();
    const target = { cluster: 'c', namespaces: ['n1', 'n2'], elsewhere: { caller: 'me', instance: 'i' } };
    await observe([target], async () => cluster, signal);
    expect(cluster.calls).toHaveLength(12);
    expect(cluster.calls.every(({ where }) => where?.signal === signal)).toBe(true);
  });
});

it('a cluster without a way is told from a request that failed', () => {
  expect(['KUBE_UNREACHABLE', 'KUBE_LOGIN'].map((code) => isConnectionError(clusterError(code)))).toEqual([true, true]);
  expect(
    ['KUBE_FORBIDDEN', 'KUBE_CONFLICT', 'KUBE_NO_NAMESPACE'].map((code) => isConnectionError(clusterError(code))),
  ).toEqual([false, false, false]);
});
