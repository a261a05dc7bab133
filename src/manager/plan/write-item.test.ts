import { describe, expect, it } from 'vitest';
import {
  clusterError,
  type MemoryCall,
  type MemoryCluster,
  memoryCluster,
} from '../../../test/support/memory-cluster.ts';
import type { EchelonError } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { planNamespace } from './plan.ts';
import type { PlanItem } from './plan-item.ts';
import type { PlanOptions } from './plan-options.ts';
import { seenOf } from './seen.ts';
import { writeItem } from './write-item.ts';

const PLACE = { cluster: 'c', namespace: 'ns' };

function deployment(name: string, replicas = 1, metadata: object = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'ns', ...metadata },
    spec: { replicas },
  };
}

/** The item for the first object that is desired, or else for the first one that is there. */
function planned(cluster: MemoryCluster, desired: readonly KubeObject[], options: Partial<PlanOptions> = {}): PlanItem {
  const [item] = planNamespace(
    { ...PLACE, file: '', environment: 'e', objects: desired },
    { ...PLACE, objects: cluster.objects() },
    { caller: 'me', ...options },
  );
  if (item === undefined) throw new Error('nothing is planned');
  return item;
}

/** A cluster that has what is desired, applied by us. */
async function withOurs(object: KubeObject): Promise<MemoryCluster> {
  const cluster = memoryCluster();
  await write(cluster, planned(cluster, [object]));
  return cluster;
}

async function write(cluster: MemoryCluster, item: PlanItem, sleep = async () => {}): Promise<void> {
  await writeItem(cluster, item, sleep);
}

async function codeOf(act: Promise<unknown>): Promise<string> {
  return act.then(
    () => 'done',
    ({ code }: EchelonError) => code,
  );
}

const verbs = (calls: readonly MemoryCall[]): string[] => calls.map(({ verb }) => verb);

describe('create', () => {
  it('is one apply that only works where nothing is', async () => {
    const cluster = memoryCluster();
    const item = planned(cluster, [deployment('a')]);
    await write(cluster, item);
    expect(cluster.calls).toMatchObject([
      { verb: 'apply', force: false, object: { metadata: { name: 'a', resourceVersion: '1' } } },
    ]);
    expect(cluster.objects()).toMatchObject([{ metadata: { annotations: { 'qontract.caller_name': 'me' } } }]);
  });

  it('leaves an object alone that somebody else created meanwhile', async () => {
    const cluster = memoryCluster();
    const item = planned(cluster, [deployment('a')]);
    cluster.put(deployment('a', 7));
    const before = cluster.objects();
    const act = write(cluster, item);
    expect(await codeOf(act)).toBe('KUBE_CONFLICT');
    await expect(act).rejects.toThrow('Deployment ns/a was created by someone else since the plan was computed');
    expect(cluster.objects()).toEqual(before);
  });

  it('is done where the object is there already and says the same as ours', async () => {
    const cluster = memoryCluster();
    const item = planned(cluster, [deployment('a')]);
    await write(cluster, item);
    const before = cluster.objects();
    await write(cluster, item);
    expect(cluster.objects()).toEqual(before);
  });

  it('fails where the object came and went again', async () => {
    const cluster = memoryCluster();
    const item = planned(cluster, [deployment('a')]);
    cluster.fail({ when: ({ verb }) => verb === 'apply', error: clusterError('KUBE_CONFLICT') });
    expect(await codeOf(write(cluster, item))).toBe('KUBE_CONFLICT');
  });

  it.each(['KUBE_FORBIDDEN', 'KUBE_INVALID', 'KUBE_UNREACHABLE'])('tells what else goes wrong: %s', async (code) => {
    const cluster = memoryCluster();
    const item = planned(cluster, [deployment('a')]);
    cluster.fail({ when: () => true, error: clusterError(code) });
    expect(await codeOf(write(cluster, item))).toBe(code);
    expect(cluster.calls).toHaveLength(1);
  });
});

describe('update', () => {
  it('is one apply to the very version of the object that was observed', async () => {
    const cluster = await withOurs(deployment('a'));
    const { uid, resourceVersion } = cluster.objects()[0]!.metadata;
    const item = planned(cluster, [deployment('a', 2)]);
    expect(item.action).toBe('update');
    await write(cluster, item);
    expect(cluster.calls.slice(1)).toMatchObject([{ verb: 'apply', object: { metadata: { uid, resourceVersion } } }]);
    expect(cluster.objects()).toMatchObject([{ metadata: { uid }, spec: { replicas: 2 } }]);
  });

  it('is not held up by what a controller noted meanwhile', async () => {
    const cluster = await withOurs(deployment('a'));
    const item = planned(cluster, [deployment('a', 2)]);
    const [live] = cluster.objects();
    cluster.put({ ...live, status: { replicas: 1 } } as KubeObject);
    expect(await codeOf(write(cluster, item))).toBe('done');
    expect(verbs(cluster.calls.slice(1))).toEqual(['apply', 'list', 'apply']);
    expect(cluster.objects()).toMatchObject([{ spec: { replicas: 2 } }]);
  });

  it('is given up when a controller is faster each time', async () => {
    const cluster = await withOurs(deployment('a'));
    const item = planned(cluster, [deployment('a', 2)]);
    cluster.fail({ when: ({ verb }) => verb === 'apply', error: clusterError('KUBE_CONFLICT') });
    expect(await codeOf(write(cluster, item))).toBe('KUBE_CONFLICT');
    expect(cluster.writes.slice(1)).toHaveLength(5);
  });

  it('is done when its response was lost and the repeated request finds its own version', async () => {
    const cluster = await withOurs(deployment('a'));
    const item = planned(cluster, [deployment('a', 2)]);
    cluster.fail({ when: ({ verb }) => verb === 'apply', error: clusterError('KUBE_CONFLICT'), times: 1, after: true });
    expect(await codeOf(write(cluster, item))).toBe('done');
    expect(verbs(cluster.calls.slice(1))).toEqual(['apply', 'list']);
  });

  it('does not revert what a newer leader wrote meanwhile', async () => {
    const cluster = await withOurs(deployment('a'));
    const late = planned(cluster, [deployment('a', 2)]);
    await write(cluster, planned(cluster, [deployment('a', 3)]));
    expect(await codeOf(write(cluster, late))).toBe('KUBE_CONFLICT');
    expect(cluster.objects()).toMatchObject([{ spec: { replicas: 3 } }]);
  });

  it.each([
    {
      given: 'another of its name',
      meanwhile: (cluster: MemoryCluster) => cluster.put(deployment('a', 9, { uid: 'x' })),
    },
    { given: 'none', meanwhile: (cluster: MemoryCluster) => cluster.take({ ...PLACE, kind: 'Deployment', name: 'a' }) },
  ])('fails where there is $given by now', async ({ meanwhile }) => {
    const cluster = await withOurs(deployment('a'));
    const item = planned(cluster, [deployment('a', 2)]);
    meanwhile(cluster);
    const before = cluster.objects();
    expect(await codeOf(write(cluster, item))).toBe('KUBE_CONFLICT');
    expect(cluster.objects()).toEqual(before);
  });

  it('takes fields from others only with consent', async () => {
    const cluster = await withOurs(deployment('a'));
    await write(cluster, planned(cluster, [deployment('a', 2)], { forceConflicts: true }));
    expect(cluster.writes.at(-1)).toMatchObject({ verb: 'apply', force: true });
  });
});

describe('adopt', () => {
  const managedFields = [
    { manager: 'oc', operation: 'Update', apiVersion: 'apps/v1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    { manager: 'kube-controller-manager', operation: 'Update', apiVersion: 'apps/v1', fieldsV1: { 'f:metadata': {} } },
  ];
  const foreign = () => memoryCluster({ objects: [deployment('a', 3, { managedFields })] });
  const adopted = (cluster: MemoryCluster): PlanItem => planned(cluster, [deployment('a')], { adopt: true });

  it('gives the fields of former managers to Echelon first, and then applies', async () => {
    const cluster = foreign();
    const item = adopted(cluster);
    await write(cluster, item);
    expect(verbs(cluster.calls)).toEqual(['list', 'patch', 'apply']);
    expect(cluster.calls[2]).toMatchObject({ force: true });
    const [after] = cluster.objects();
    expect(after?.metadata['managedFields']).toMatchObject([
      { manager: 'kube-controller-manager' },
      { manager: 'echelon', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    ]);
  });

  it('is one apply where nobody wrote the object before', async () => {
    const cluster = memoryCluster({ objects: [deployment('a')] });
    await write(cluster, adopted(cluster));
    expect(verbs(cluster.calls)).toEqual(['apply']);
  });

  it('looks again when a controller wrote something in between', async () => {
    const cluster = foreign();
    const item = adopted(cluster);
    cluster.fail({ when: ({ verb }) => verb === 'patch', error: clusterError('KUBE_CONFLICT'), times: 2 });
    await write(cluster, item);
    expect(verbs(cluster.calls)).toEqual(['list', 'patch', 'list', 'patch', 'list', 'patch', 'apply']);
  });

  it('does not write over what came between the look and the write', async () => {
    const cluster = foreign();
    const item = adopted(cluster);
    let looks = 0;
    const racing = {
      ...cluster,
      list: async (kind: string, where: object) => {
        const found = await cluster.list(kind, where);
        looks += 1;
        if (looks === 1) cluster.put({ ...found[0], status: { replicas: 3 } } as KubeObject);
        return found;
      },
    };
    await writeItem(racing, item, async () => {});
    expect(verbs(cluster.calls)).toEqual(['list', 'patch', 'list', 'patch', 'apply']);
    expect(cluster.objects()[0]?.metadata['managedFields']).toMatchObject([{}, { manager: 'echelon' }]);
  });

  it('is given up when that does not end', async () => {
    const cluster = foreign();
    const item = adopted(cluster);
    cluster.fail({ when: ({ verb }) => verb === 'patch', error: clusterError('KUBE_CONFLICT') });
    expect(await codeOf(write(cluster, item))).toBe('KUBE_CONFLICT');
    expect(cluster.calls.filter(({ verb }) => verb === 'patch')).toHaveLength(5);
    expect(verbs(cluster.calls)).not.toContain('apply');
  });

  it.each([
    {
      given: 'says something else',
      meanwhile: (cluster: MemoryCluster) => cluster.put(deployment('a', 9, { uid: 'uid-1' })),
    },
    { given: 'is another', meanwhile: (cluster: MemoryCluster) => cluster.put(deployment('a', 3, { uid: 'x' })) },
    {
      given: 'is gone',
      meanwhile: (cluster: MemoryCluster) => cluster.take({ ...PLACE, kind: 'Deployment', name: 'a' }),
    },
  ])('touches nothing when the object $given by now', async ({ meanwhile }) => {
    const cluster = foreign();
    const item = adopted(cluster);
    meanwhile(cluster);
    const act = write(cluster, item);
    expect(await codeOf(act)).toBe('KUBE_CONFLICT');
    await expect(act).rejects.toThrow('Deployment ns/a changed since the plan was computed');
    expect(cluster.writes).toEqual([]);
  });
});

describe('recreate', () => {
  const stateful = (storage: string): KubeObject => ({
    ...deployment('s'),
    kind: 'StatefulSet',
    spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage } } } }] },
  });
  const recreated = (cluster: MemoryCluster): PlanItem => planned(cluster, [stateful('2Gi')], { recreate: true });

  it('deletes the one that was seen without its pods, waits until it is gone, and creates it', async () => {
    const cluster = await withOurs(stateful('1Gi'));
    const uid = cluster.objects()[0]?.metadata['uid'];
    cluster.linger(2);
    const waits: number[] = [];
    await writeItem(cluster, recreated(cluster), async (milliseconds) => void waits.push(milliseconds));
    expect(verbs(cluster.calls.slice(1))).toEqual(['remove', 'list', 'list', 'list', 'apply']);
    expect(cluster.writes[1]).toMatchObject({ verb: 'remove', uid, orphan: true });
    expect(waits).toEqual([500, 500]);
    expect(cluster.objects()).toHaveLength(1);
    expect(cluster.objects()[0]?.metadata['uid']).not.toBe(uid);
    expect(cluster.objects()[0]).toMatchObject(stateful('2Gi'));
  });

  it('gives up after a minute when it does not go', async () => {
    const cluster = await withOurs(stateful('1Gi'));
    cluster.linger(10_000);
    let waited = 0;
    const act = writeItem(cluster, recreated(cluster), async (milliseconds) => {
      waited += milliseconds;
    });
    expect(await codeOf(act)).toBe('KUBE_TIMEOUT');
    expect(waited).toBe(60_000);
    expect(verbs(cluster.writes)).toEqual(['apply', 'remove']);
  });

  it('leaves another of the name alone', async () => {
    const cluster = await withOurs(stateful('1Gi'));
    const item = recreated(cluster);
    cluster.put({ ...stateful('1Gi'), metadata: { name: 's', namespace: 'ns', uid: 'other' } });
    const before = cluster.objects();
    expect(await codeOf(write(cluster, item))).toBe('KUBE_CONFLICT');
    expect(cluster.objects()).toEqual(before);
  });
});

describe('delete', () => {
  it('removes the object that was seen, with its pods', async () => {
    const cluster = await withOurs(deployment('a'));
    const { uid, resourceVersion } = cluster.objects()[0]!.metadata;
    await write(cluster, planned(cluster, []));
    expect(cluster.calls.slice(1)).toEqual([
      { verb: 'remove', kind: 'Deployment', namespace: 'ns', name: 'a', uid, resourceVersion },
    ]);
    expect(cluster.objects()).toEqual([]);
  });

  it('leaves another of the name alone', async () => {
    const cluster = await withOurs(deployment('a'));
    const item = planned(cluster, []);
    cluster.put(deployment('a', 1, { uid: 'other' }));
    expect(await codeOf(write(cluster, item))).toBe('KUBE_CONFLICT');
    expect(cluster.objects()).toHaveLength(1);
  });

  it('leaves an object alone that another team took over since it was observed', async () => {
    const cluster = await withOurs(deployment('a'));
    const item = planned(cluster, []);
    const [live] = cluster.objects();
    const annotations = { 'qontract.integration': 'theirs' };
    cluster.put({ ...live, metadata: { ...live!.metadata, annotations } } as KubeObject);
    const act = write(cluster, item);
    expect(await codeOf(act)).toBe('KUBE_CONFLICT');
    await expect(act).rejects.toThrow('Deployment ns/a changed since the plan was computed; it was not touched');
    expect(cluster.objects()).toHaveLength(1);
  });

  it('is not held up by a status that a controller reported meanwhile', async () => {
    const cluster = await withOurs(deployment('a'));
    const item = planned(cluster, []);
    cluster.put({ ...cluster.objects()[0], status: { replicas: 1 } } as KubeObject);
    expect(await codeOf(write(cluster, item))).toBe('done');
    expect(cluster.objects()).toEqual([]);
  });

  it('is done where it is gone', async () => {
    const cluster = await withOurs(deployment('a'));
    const item = planned(cluster, []);
    cluster.take({ kind: 'Deployment', namespace: 'ns', name: 'a' });
    expect(await codeOf(write(cluster, item))).toBe('done');
  });
});

it.each(['keep', 'conflict', 'withhold'] as const)('%s does nothing', async (action) => {
  const cluster = memoryCluster({ objects: [deployment('a')] });
  const item = { ...PLACE, kind: 'Deployment', name: 'a', action, reason: '', hint: '' } as PlanItem;
  await write(cluster, item);
  expect(cluster.calls).toEqual([]);
});

it('what was seen is known again by what it says, not by what is reported about it', () => {
  const seen = seenOf(deployment('a', 1, { uid: 'u', resourceVersion: '7' }));
  expect(seen).toEqual({ uid: 'u', resourceVersion: '7', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const revised = { 'deployment.kubernetes.io/revision': '2' };
  const same = {
    ...deployment('a', 1, { uid: 'u', resourceVersion: '8', generation: 2, annotations: revised }),
    status: {},
  };
  expect(seenOf(same).fingerprint).toBe(seenOf(deployment('a', 1, { uid: 'u', annotations: {} })).fingerprint);
  for (const other of [
    deployment('a', 2, { uid: 'u' }),
    deployment('a', 1, { uid: 'v' }),
    deployment('a', 1, { uid: 'u', labels: {} }),
  ]) {
    expect(seenOf(other).fingerprint).not.toBe(seen.fingerprint);
  }
});
