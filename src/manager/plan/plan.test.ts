import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../desired.ts';
import { guardBreaches } from './guard.ts';
import { type PlanItem, type PlanOptions, planNamespace } from './plan.ts';

const OURS = 'https://github.com/app-sre/qontract-reconcile';
const OPTIONS: PlanOptions = { caller: OURS };

function deployment(
  name: string,
  more: { image?: string; labels?: object; selector?: object; metadata?: object } = {},
): KubeObject {
  const { image = 'repo:1', labels = { app: name, shard: '0' }, selector = labels, metadata = {} } = more;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'ns', ...metadata },
    spec: {
      replicas: 1,
      selector: { matchLabels: selector },
      template: { metadata: { labels }, spec: { containers: [{ name: 'int', image }] } },
    },
  };
}

function plan(desired: readonly KubeObject[], live: readonly KubeObject[], options: PlanOptions = OPTIONS): PlanItem[] {
  const place = { cluster: 'c', namespace: 'ns' };
  return planNamespace(
    { ...place, file: '/ns.yml', environment: 'env', objects: desired },
    { ...place, objects: live },
    options,
  );
}

/** What a cluster has after the plan for these objects was carried out. */
function applied(...objects: readonly KubeObject[]): KubeObject[] {
  return plan(objects, []).map((item, index) => {
    if (item.action !== 'create') throw new Error('nothing is there yet');
    const { metadata } = item.object;
    return {
      ...item.object,
      metadata: {
        ...metadata,
        uid: `uid-${index}`,
        resourceVersion: '7',
        annotations: { ...(metadata['annotations'] as object), 'qontract.update': 'now' },
      },
    };
  });
}

const actions = (items: readonly PlanItem[]): string[] => items.map(({ action, name }) => `${action} ${name}`);

describe('the plan for a namespace', () => {
  it('creates what is missing, with the marks of its owner', () => {
    const [item] = plan([deployment('a')], []);
    expect(item).toMatchObject({
      action: 'create',
      cluster: 'c',
      namespace: 'ns',
      kind: 'Deployment',
      name: 'a',
      object: {
        metadata: {
          annotations: {
            'qontract.integration': 'integrations-manager',
            'qontract.integration_version': '0.1.0',
            'qontract.caller_name': OURS,
            'qontract.sha256sum': expect.stringMatching(/^[0-9a-f]{64}$/),
          },
        },
      },
    });
  });

  it('keeps what is as desired', () => {
    expect(actions(plan([deployment('a'), deployment('b')], applied(deployment('a'), deployment('b'))))).toEqual([
      'keep a',
      'keep b',
    ]);
  });

  it('updates what differs, and tells where', () => {
    const [item] = plan([deployment('a', { image: 'repo:2' })], applied(deployment('a')));
    expect(item).toMatchObject({ action: 'update', seen: { uid: 'uid-0', resourceVersion: '7' } });
    expect(item).toHaveProperty(
      'differences',
      expect.arrayContaining([{ path: 'spec.template.spec.containers[int].image', live: 'repo:1', desired: 'repo:2' }]),
    );
  });

  it('updates what no longer has a field that it had: the hash tells', () => {
    const before = deployment('a', { metadata: { labels: { app: 'a', extra: 'x' } } });
    const after = deployment('a', { metadata: { labels: { app: 'a' } } });
    expect(actions(plan([after], applied(before)))).toEqual(['update a']);
  });

  it('updates what somebody changed by hand', () => {
    const [live] = applied(deployment('a'));
    const drifted = { ...live, spec: { ...(live?.['spec'] as object), replicas: 0 } } as KubeObject;
    expect(plan([deployment('a')], [drifted])).toMatchObject([
      { action: 'update', differences: [{ path: 'spec.replicas' }] },
    ]);
  });

  it('deletes what is ours and no longer declared, if it is still the same', () => {
    expect(plan([deployment('a')], applied(deployment('a'), deployment('b')))).toMatchObject([
      { action: 'keep', name: 'a' },
      { action: 'delete', name: 'b', seen: { uid: 'uid-1', resourceVersion: '7' } },
    ]);
  });

  it('is ordered by kind and name, whatever the order of its input', () => {
    const objects = ['c', 'a', 'b'].map((name) => deployment(name));
    expect(actions(plan(objects, []))).toEqual(['create a', 'create b', 'create c']);
    expect(plan(objects.toReversed(), [])).toEqual(plan(objects, []));
  });
});

describe('S3: what is not ours', () => {
  const foreign = deployment('a', { image: 'theirs' });
  const ofAnotherManager = (): KubeObject[] =>
    plan([deployment('a')], [], { caller: 'https://github.com/example/fleet-tools' }).map((item) =>
      'object' in item ? item.object : foreign,
    );

  it('is a conflict when it has a name that we want', () => {
    expect(plan([deployment('a')], [foreign])).toMatchObject([
      {
        action: 'conflict',
        reason: 'it exists and belongs to nobody of ours',
        hint: expect.stringContaining('--adopt'),
      },
    ]);
  });

  it('is never deleted', () => {
    expect(plan([], [foreign, ...ofAnotherManager()])).toEqual([]);
  });

  it('is not taken from another manager, not even with consent to adopt', () => {
    expect(plan([deployment('a')], ofAnotherManager(), { ...OPTIONS, adopt: true })).toMatchObject([
      { action: 'conflict', reason: 'it belongs to the manager of https://github.com/example/fleet-tools' },
    ]);
  });

  it('is adopted only with consent, told as such', () => {
    const helm = deployment('a', { metadata: { labels: { 'app.kubernetes.io/managed-by': 'Helm' } } });
    expect(plan([deployment('a')], [helm], { ...OPTIONS, adopt: true })).toMatchObject([
      { action: 'adopt', reason: 'it exists and was deployed by Helm' },
    ]);
  });

  it.each([
    { given: 'another integration', annotations: { 'qontract.integration': 'openshift-resources' } },
    {
      given: 'no hash',
      annotations: { 'qontract.integration': 'integrations-manager', 'qontract.integration_version': '0.1.0' },
    },
    {
      given: 'an incompatible version',
      annotations: {
        'qontract.integration': 'integrations-manager',
        'qontract.integration_version': '1.0.0',
        'qontract.sha256sum': 'x',
      },
    },
  ])('has annotations of $given', ({ annotations }) => {
    const live = deployment('b', { metadata: { annotations } });
    expect(actions(plan([deployment('b')], [live]))).toEqual(['conflict b']);
    expect(plan([], [live])).toEqual([]);
  });

  it('an object of the manager of existing fleets is ours', () => {
    const annotations = {
      'qontract.integration': 'integrations-manager',
      'qontract.integration_version': '0.1.0',
      'qontract.sha256sum': '7bf8649e',
      'qontract.caller_name': OURS,
      'qontract.update': '2026-01-01T00:00:00Z',
    };
    expect(actions(plan([deployment('a')], [deployment('a', { metadata: { annotations } })]))).toEqual(['update a']);
  });
});

describe('what cannot change in place', () => {
  it('a selector stays as it is, and the pods keep the labels it asks for', () => {
    const old = { app: 'a', team: 'x' };
    const [item] = plan([deployment('a')], applied(deployment('a', { labels: old })));
    expect(item).toMatchObject({
      action: 'update',
      object: {
        spec: {
          selector: { matchLabels: old },
          template: { metadata: { labels: { app: 'a', shard: '0', team: 'x' } } },
        },
      },
    });
  });

  it('a restart that somebody asked for is not undone', () => {
    const [live] = applied(deployment('a'));
    const spec = live?.['spec'] as { template: { metadata: object } };
    const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' };
    const template = { ...spec.template, metadata: { ...spec.template.metadata, annotations } };
    const [item] = plan([deployment('a')], [{ ...live, spec: { ...spec, template } } as KubeObject]);
    expect(item?.action === 'update' && item.object).toMatchObject({
      spec: { template: { metadata: { annotations } } },
    });
  });

  const statefulSet = (storage: string): KubeObject => ({
    ...deployment('s'),
    kind: 'StatefulSet',
    spec: {
      ...(deployment('s')['spec'] as object),
      volumeClaimTemplates: [{ metadata: { name: 'cache' }, spec: { resources: { requests: { storage } } } }],
    },
  });

  it('a volume claim is a conflict with what to do', () => {
    expect(plan([statefulSet('2Gi')], applied(statefulSet('1Gi')))).toMatchObject([
      { action: 'conflict', hint: expect.stringContaining('--recreate') },
    ]);
  });

  it('a volume claim of the same size is none', () => {
    expect(
      actions(plan([statefulSet('1Gi')], applied(statefulSet('1024Mi')))).map((text) => text.split(' ')[0]),
    ).not.toContain('conflict');
  });
});

describe('S6: the guard', () => {
  const items = (deletions: number, kept: number): PlanItem[] => [
    ...plan([], applied(...Array.from({ length: deletions }, (_, index) => deployment(`d${index}`)))),
    ...Array.from({ length: kept }, (_, index) => ({
      action: 'keep' as const,
      cluster: 'c',
      namespace: 'ns',
      kind: 'Deployment',
      name: `k${index}`,
    })),
  ];

  it.each([
    { deletions: 3, kept: 0, breached: false },
    { deletions: 4, kept: 0, breached: true },
    { deletions: 30, kept: 70, breached: false },
    { deletions: 31, kept: 69, breached: true },
    { deletions: 0, kept: 5, breached: false },
  ])('$deletions deletions beside $kept others: breached $breached', ({ deletions, kept, breached }) => {
    expect(guardBreaches(items(deletions, kept)).length > 0).toBe(breached);
  });

  it('counts each cluster by itself', () => {
    const elsewhere = items(0, 100).map((item) => ({ ...item, cluster: 'big' }));
    expect(guardBreaches([...items(4, 0), ...elsewhere])).toEqual([
      { cluster: 'c', deletions: 4, objects: 4, allowed: 3 },
    ]);
  });
});
