import { describe, expect, it } from 'vitest';
import { defined } from '../../../base/index.ts';
import { Deletes } from '../deletes.ts';
import { Ids } from '../ids.ts';
import { type Fields, fieldsAt, type KubeObject, listAt, valueAt } from '../objects.ts';
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  EVENTS,
  JOBS,
  NAMESPACES,
  PODS,
  REPLICA_SETS,
  type Resource,
  STATEFUL_SETS,
} from '../resources.ts';
import { Store } from '../store.ts';
import { Writes } from '../writes.ts';
import type { BadImage } from './bad-images.ts';
import { Controllers } from './controllers.ts';

class Cluster {
  readonly store = new Store();
  private now = Date.parse('2026-01-01T00:00:00Z');
  private readonly context = {
    store: this.store,
    ids: new Ids(1),
    clock: () => new Date(this.now),
    anyNamespace: true,
  };
  private readonly writes = new Writes(this.context);
  private readonly controllers: Controllers;
  private readonly deletes = new Deletes(this.store, this.context.clock);

  constructor(badImages: readonly BadImage[] = []) {
    this.controllers = new Controllers(this.context, badImages);
  }

  after(seconds: number): void {
    this.now += seconds * 1000;
    this.controllers.tick();
  }

  put(resource: Resource, value: Fields): KubeObject {
    const { metadata } = value as KubeObject;
    const options = { manager: 'test', dryRun: false };
    const existing = this.store.get(resource, 'ns', metadata.name);
    if (existing === undefined) this.writes.create(resource, 'ns', value, options);
    else {
      const next = { ...existing, ...value, metadata: { ...existing.metadata, ...metadata } };
      this.writes.overwrite(resource, 'ns', metadata.name, next, options);
    }
    this.controllers.run();
    return this.get(resource, metadata.name);
  }

  delete(resource: Resource, name: string, propagationPolicy?: string): void {
    this.deletes.delete(resource, resource.namespaced ? 'ns' : '', name, {
      dryRun: false,
      ...defined({ propagationPolicy }),
    });
    this.controllers.run();
  }

  get(resource: Resource, name: string): KubeObject {
    return this.store.get(resource, resource.namespaced ? 'ns' : '', name)!;
  }

  names(resource: Resource): string[] {
    return this.store.list(resource, 'ns').map(({ metadata }) => metadata.name);
  }

  images(): string[] {
    return this.store
      .list(PODS, 'ns')
      .map((pod) => String(fieldsAt(listAt(pod, 'spec', 'containers')[0])['image']))
      .sort();
  }
}

function workload(name: string, image: string, spec: Fields = {}): Fields {
  return {
    metadata: { name, namespace: 'ns' },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image }] } },
      ...spec,
    },
  };
}

const counts = (object: KubeObject): unknown[] =>
  ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas'].map(
    (name) => valueAt(object, 'status', name) ?? 0,
  );
const conditions = (object: KubeObject): string[] =>
  (listAt(object, 'status', 'conditions') as Fields[]).map(
    ({ type, status, reason }) => `${String(type)} ${String(status)} ${String(reason)}`,
  );

describe('a deployment', () => {
  it('gets a replica set and pods that run', () => {
    const cluster = new Cluster();
    const deployment = cluster.put(DEPLOYMENTS, workload('d', 'img:1', { replicas: 3 }));
    const [replicaSet] = cluster.store.list(REPLICA_SETS, 'ns');
    const [pod] = cluster.store.list(PODS, 'ns');
    const hash = replicaSet?.metadata.labels?.['pod-template-hash'];
    expect(counts(deployment)).toEqual([3, 3, 3, 3, 0]);
    expect(conditions(deployment)).toEqual([
      'Available True MinimumReplicasAvailable',
      'Progressing True NewReplicaSetAvailable',
    ]);
    expect(deployment.metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
    expect(valueAt(deployment, 'status', 'observedGeneration')).toBe(deployment.metadata.generation);
    expect(replicaSet?.metadata).toMatchObject({
      name: `d-${hash}`,
      ownerReferences: [{ kind: 'Deployment', name: 'd', controller: true }],
    });
    expect(pod?.metadata).toMatchObject({
      labels: { app: 'd', 'pod-template-hash': hash },
      ownerReferences: [{ kind: 'ReplicaSet' }],
    });
    expect(listAt(pod, 'status', 'containerStatuses')[0]).toMatchObject({
      ready: true,
      image: 'img:1',
      imageID: expect.stringMatching(/^img@sha256:[0-9a-f]{64}$/),
    });
  });

  it('rolls to a new image, and back to the replica set that it had', () => {
    const cluster = new Cluster();
    cluster.put(DEPLOYMENTS, workload('d', 'img:1', { replicas: 4 }));
    const second = cluster.put(DEPLOYMENTS, workload('d', 'img:2', { replicas: 4 }));
    expect(cluster.images()).toEqual(Array(4).fill('img:2'));
    expect([counts(second), second.metadata.annotations?.['deployment.kubernetes.io/revision']]).toEqual([
      [4, 4, 4, 4, 0],
      '2',
    ]);
    const third = cluster.put(DEPLOYMENTS, workload('d', 'img:1', { replicas: 4 }));
    expect(third.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
    expect(cluster.names(REPLICA_SETS)).toHaveLength(2);
  });

  it('stops halfway at an image that cannot be pulled, and goes on when it can', () => {
    const cluster = new Cluster();
    cluster.put(DEPLOYMENTS, workload('d', 'img:1', { replicas: 4 }));
    const stuck = cluster.put(DEPLOYMENTS, workload('d', 'img:1-broken', { replicas: 4 }));
    expect(cluster.images()).toEqual(['img:1', 'img:1', 'img:1', 'img:1-broken', 'img:1-broken']);
    expect(counts(stuck)).toEqual([5, 2, 3, 3, 2]);
    expect(conditions(stuck)).toEqual([
      'Available True MinimumReplicasAvailable',
      'Progressing True ReplicaSetUpdated',
    ]);
    expect(cluster.store.list(EVENTS, 'ns').map((event) => event['reason'])).toEqual(['Failed', 'Failed']);
    expect(counts(cluster.put(DEPLOYMENTS, workload('d', 'img:2', { replicas: 4 })))).toEqual([4, 4, 4, 4, 0]);
    expect(cluster.images()).toEqual(Array(4).fill('img:2'));
  });

  it('that never ran an image that can be pulled is not available', () => {
    const stuck = new Cluster().put(DEPLOYMENTS, workload('d', 'quay.io/x/img:broken'));
    expect([counts(stuck), conditions(stuck)]).toEqual([
      [1, 1, 0, 0, 1],
      ['Available False MinimumReplicasUnavailable', 'Progressing True ReplicaSetUpdated'],
    ]);
  });

  it.each([0, 1, 5])('scales to %i', (replicas) => {
    const cluster = new Cluster();
    cluster.put(DEPLOYMENTS, workload('d', 'img:1', { replicas: 2 }));
    expect(counts(cluster.put(DEPLOYMENTS, workload('d', 'img:1', { replicas })))).toEqual([
      replicas,
      replicas,
      replicas,
      replicas,
      0,
    ]);
    expect(cluster.names(PODS)).toHaveLength(replicas);
  });

  it('that recreates has no two images at once', () => {
    const cluster = new Cluster();
    const spec = { replicas: 2, strategy: { type: 'Recreate' } };
    cluster.put(DEPLOYMENTS, workload('d', 'img:1', spec));
    const seen = new Set<string>();
    cluster.store.listen(() => seen.add([...new Set(cluster.images())].join()));
    cluster.put(DEPLOYMENTS, workload('d', 'img:2', spec));
    expect([...seen]).toEqual(['img:1', '', 'img:2']);
  });

  it('that is paused keeps its pods', () => {
    const cluster = new Cluster();
    cluster.put(DEPLOYMENTS, workload('d', 'img:1'));
    cluster.put(DEPLOYMENTS, workload('d', 'img:2', { paused: true }));
    expect(cluster.images()).toEqual(['img:1']);
  });

  it('gets a pod again that is deleted', () => {
    const cluster = new Cluster();
    cluster.put(DEPLOYMENTS, workload('d', 'img:1'));
    const [before = ''] = cluster.names(PODS);
    cluster.delete(PODS, before);
    expect(cluster.names(PODS)).toHaveLength(1);
    expect(cluster.names(PODS)).not.toContain(before);
  });

  it('keeps as many old replica sets as it says', () => {
    const cluster = new Cluster();
    for (let i = 1; i <= 5; i += 1) cluster.put(DEPLOYMENTS, workload('d', `img:${i}`, { revisionHistoryLimit: 2 }));
    expect(cluster.names(REPLICA_SETS)).toHaveLength(3);
  });

  it('makes no writes when nothing changes', () => {
    const cluster = new Cluster();
    cluster.put(DEPLOYMENTS, workload('d', 'img:1'));
    const { revision } = cluster.store;
    cluster.put(DEPLOYMENTS, workload('d', 'img:1'));
    expect(cluster.store.revision).toBe(revision);
  });
});

describe('what an object owns', () => {
  it.each([
    { policy: undefined, sets: 0, pods: 0 },
    { policy: 'Background', sets: 0, pods: 0 },
    { policy: 'Foreground', sets: 0, pods: 0 },
    { policy: 'Orphan', sets: 1, pods: 1 },
  ])('after a deletion by $policy: $sets replica sets, $pods pods', ({ policy, sets, pods }) => {
    const cluster = new Cluster();
    cluster.put(DEPLOYMENTS, workload('d', 'img:1'));
    cluster.delete(DEPLOYMENTS, 'd', policy);
    expect([cluster.names(DEPLOYMENTS), cluster.names(REPLICA_SETS).length, cluster.names(PODS).length]).toEqual([
      [],
      sets,
      pods,
    ]);
    for (const { metadata } of cluster.store.list(REPLICA_SETS, 'ns')) expect(metadata.ownerReferences).toBeUndefined();
  });

  it('goes when its last owner does, and loses owners that are gone', () => {
    const cluster = new Cluster();
    const owners = ['a', 'b'].map((name) => cluster.put(CONFIG_MAPS, { metadata: { name } }));
    const ownerReferences = owners.map(({ metadata }) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: metadata.name,
      uid: metadata.uid,
    }));
    cluster.put(CONFIG_MAPS, { metadata: { name: 'c', ownerReferences } });
    cluster.delete(CONFIG_MAPS, 'a');
    expect(cluster.get(CONFIG_MAPS, 'c').metadata.ownerReferences).toEqual([ownerReferences[1]]);
    cluster.delete(CONFIG_MAPS, 'b');
    expect(cluster.names(CONFIG_MAPS)).toEqual([]);
  });

  it('stays when its owner is of a kind that is not served', () => {
    const cluster = new Cluster();
    const ownerReferences = [{ apiVersion: 'x.io/v1', kind: 'Thing', name: 't', uid: 'u' }];
    cluster.put(CONFIG_MAPS, { metadata: { name: 'c', ownerReferences } });
    expect(cluster.names(CONFIG_MAPS)).toEqual(['c']);
  });
});

describe('a namespace that is deleted', () => {
  it('goes with everything in it', () => {
    const cluster = new Cluster();
    cluster.put(DEPLOYMENTS, workload('d', 'img:1'));
    cluster.delete(NAMESPACES, 'ns');
    expect([cluster.names(DEPLOYMENTS), cluster.names(PODS), cluster.get(NAMESPACES, 'ns')]).toEqual([
      [],
      [],
      undefined,
    ]);
  });

  it('waits for finalizers', () => {
    const cluster = new Cluster();
    cluster.put(CONFIG_MAPS, { metadata: { name: 'c', finalizers: ['x.io/y'] } });
    cluster.delete(NAMESPACES, 'ns');
    expect(valueAt(cluster.get(NAMESPACES, 'ns'), 'status', 'phase')).toBe('Terminating');
  });
});

describe('a stateful set', () => {
  it('has pods by ordinals, and renews them from the last', () => {
    const cluster = new Cluster();
    cluster.put(STATEFUL_SETS, workload('s', 'img:1', { serviceName: 'x', replicas: 3 }));
    expect(cluster.names(PODS)).toEqual(['s-0', 's-1', 's-2']);
    const removed: string[] = [];
    cluster.store.listen(
      ({ type, resource, object }) => type === 'DELETED' && resource === PODS && removed.push(object.metadata.name),
    );
    const set = cluster.put(STATEFUL_SETS, workload('s', 'img:2', { serviceName: 'x', replicas: 3 }));
    expect([removed, cluster.images()]).toEqual([['s-2', 's-1', 's-0'], Array(3).fill('img:2')]);
    expect(counts(set)).toEqual([3, 3, 3, 3, 0]);
    expect(valueAt(set, 'status', 'currentRevision')).toBe(valueAt(set, 'status', 'updateRevision'));
  });

  it('is ready with a volume of a claim', () => {
    const cluster = new Cluster();
    const container = { name: 'c', image: 'img:1', volumeMounts: [{ name: 'cache', mountPath: '/cache' }] };
    const set = cluster.put(STATEFUL_SETS, {
      metadata: { name: 's' },
      spec: {
        serviceName: 'x',
        selector: { matchLabels: { app: 's' } },
        template: { metadata: { labels: { app: 's' } }, spec: { containers: [container] } },
        volumeClaimTemplates: [{ metadata: { name: 'cache' }, spec: { accessModes: ['ReadWriteOnce'] } }],
      },
    });
    expect(valueAt(set, 'status', 'readyReplicas')).toBe(1);
    expect(listAt(cluster.get(PODS, 's-0'), 'spec', 'volumes')).toEqual([
      { name: 'cache', persistentVolumeClaim: { claimName: 'cache-s-0' } },
    ]);
  });

  it('stops at the first pod that does not run, and shrinks from the last', () => {
    const cluster = new Cluster();
    cluster.put(STATEFUL_SETS, workload('s', 'img:broken', { serviceName: 'x', replicas: 3 }));
    expect(cluster.names(PODS)).toEqual(['s-0']);
    cluster.put(STATEFUL_SETS, workload('t', 'img:1', { serviceName: 'x', replicas: 3 }));
    cluster.put(STATEFUL_SETS, workload('t', 'img:1', { serviceName: 'x', replicas: 1 }));
    expect(cluster.names(PODS)).toEqual(['s-0', 't-0']);
  });

  it('keeps a pod that never was ready, also when its image is set back, until somebody deletes it', () => {
    const cluster = new Cluster();
    for (const tag of ['1', 'broken', '1'])
      cluster.put(STATEFUL_SETS, workload('s', `img:${tag}`, { serviceName: 'x', replicas: 2 }));
    expect(cluster.images()).toEqual(['img:1', 'img:broken']);
    cluster.delete(PODS, 's-1');
    expect(cluster.images()).toEqual(['img:1', 'img:1']);
  });

  it('renews only pods from its partition on', () => {
    const cluster = new Cluster();
    const spec = {
      serviceName: 'x',
      replicas: 3,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
    };
    cluster.put(STATEFUL_SETS, workload('s', 'img:1', spec));
    cluster.put(STATEFUL_SETS, workload('s', 'img:2', spec));
    expect(cluster.images()).toEqual(['img:1', 'img:1', 'img:2']);
  });
});

describe('a job', () => {
  it('runs its pods and is complete', () => {
    const cluster = new Cluster();
    const template = { spec: { containers: [{ name: 'c', image: 'img:1' }], restartPolicy: 'Never' } };
    const job = cluster.put(JOBS, { metadata: { name: 'j' }, spec: { completions: 2, template } });
    expect([valueAt(job, 'status', 'succeeded'), cluster.names(PODS).length]).toEqual([2, 2]);
    expect(conditions(job)).toEqual(['SuccessCriteriaMet True CompletionsReached', 'Complete True CompletionsReached']);
  });
});

describe('a bad image', () => {
  const BAD: readonly BadImage[] = [
    { tag: 'slow', kind: 'never-ready' },
    { tag: 'bad', kind: 'crash' },
    { tag: 'late', kind: 'crash-later' },
  ];
  const podOf = (cluster: Cluster, tag: string): unknown[] => {
    const pod = cluster.store.list(PODS, 'ns').find((one) => JSON.stringify(one['spec']).includes(`img:${tag}`));
    const [own] = listAt(pod, 'status', 'containerStatuses') as Fields[];
    const waiting = valueAt(own, 'state', 'waiting', 'reason') ?? Object.keys(fieldsAt(own, 'state'))[0];
    return [valueAt(pod, 'status', 'phase'), own?.['ready'], own?.['restartCount'], waiting];
  };

  it.each([
    { tag: 'slow', at: 0, pod: ['Running', false, 0, 'running'], ready: [2, 1, 1, 1, 1] },
    { tag: 'slow', at: 86_400, pod: ['Running', false, 0, 'running'], ready: [2, 1, 1, 1, 1] },
    { tag: 'bad', at: 0, pod: ['Running', false, 1, 'CrashLoopBackOff'], ready: [2, 1, 1, 1, 1] },
    { tag: 'bad', at: 60, pod: ['Running', false, 3, 'CrashLoopBackOff'], ready: [2, 1, 1, 1, 1] },
    { tag: 'late', at: 29, pod: ['Running', true, 0, 'running'], ready: [1, 1, 1, 1, 0] },
    { tag: 'late', at: 60, pod: ['Running', false, 1, 'CrashLoopBackOff'], ready: [1, 1, 0, 0, 1] },
    { tag: 'late', at: 70, pod: ['Running', true, 2, 'running'], ready: [1, 1, 1, 1, 0] },
  ])('$tag, $at s after it was set: the pod $pod, the deployment $ready', ({ tag, at, pod, ready }) => {
    const cluster = new Cluster(BAD);
    cluster.put(DEPLOYMENTS, workload('d', 'img:1'));
    cluster.put(DEPLOYMENTS, workload('d', `img:${tag}`));
    cluster.after(at);
    expect(podOf(cluster, tag)).toEqual(pod);
    expect(counts(cluster.get(DEPLOYMENTS, 'd'))).toEqual(ready);
  });

  it('is left behind when the image before is set again', () => {
    const cluster = new Cluster(BAD);
    for (const tag of ['1', 'bad', '1']) cluster.put(DEPLOYMENTS, workload('d', `img:${tag}`));
    cluster.after(60);
    expect([cluster.images(), counts(cluster.get(DEPLOYMENTS, 'd'))]).toEqual([['img:1'], [1, 1, 1, 1, 0]]);
  });

  it('changes its pods only when there is a restart, and the ready condition says since when', () => {
    const cluster = new Cluster(BAD);
    cluster.put(DEPLOYMENTS, workload('d', 'img:bad'));
    cluster.after(10);
    const { revision } = cluster.store;
    cluster.after(5);
    expect(cluster.store.revision).toBe(revision);
    cluster.after(15);
    expect(cluster.store.revision).toBeGreaterThan(revision);
    const [pod] = cluster.store.list(PODS, 'ns');
    const ready = (listAt(pod, 'status', 'conditions') as Fields[]).find(({ type }) => type === 'Ready');
    expect(ready?.['lastTransitionTime']).toBe('2026-01-01T00:00:00Z');
  });

  it('makes a job fail when its retries are used up', () => {
    const cluster = new Cluster(BAD);
    const template = { spec: { containers: [{ name: 'c', image: 'img:bad' }], restartPolicy: 'Never' } };
    const job = cluster.put(JOBS, { metadata: { name: 'j' }, spec: { backoffLimit: 2, template } });
    expect([valueAt(job, 'status', 'failed'), cluster.names(PODS).length]).toEqual([3, 3]);
    expect(conditions(job)).toEqual(['FailureTarget True BackoffLimitExceeded', 'Failed True BackoffLimitExceeded']);
  });
});
