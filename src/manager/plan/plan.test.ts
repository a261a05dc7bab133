import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { planNamespace } from './plan.ts';
import type { PlanItem } from './plan-item.ts';
import type { PlanOptions } from './plan-options.ts';

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

describe('an object that a plan found equal', () => {
  const desired = deployment('a');
  const [equal] = applied(desired) as [KubeObject];
  const changed = { ...equal, spec: deployment('a', { image: 'repo:2' })['spec'] };
  const withMetadata = (object: KubeObject, metadata: object): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, ...metadata },
  });

  it('is not compared again while it has the same version', () => {
    // An object of its own: what another test found equal would not be compared at all.
    const own = deployment('a');
    let compared = 0;
    const counted = {
      ...equal,
      get spec() {
        compared += 1;
        return equal['spec'];
      },
    };
    expect(actions(plan([own], [counted]))).toEqual(['keep a']);
    expect(compared).toBeGreaterThan(0);
    compared = 0;
    expect(actions(plan([own], [counted]))).toEqual(['keep a']);
    expect(compared).toBe(0);
  });

  it.each([
    { given: 'with another resource version', before: {}, now: { resourceVersion: '8' } },
    { given: 'with another uid', before: {}, now: { uid: 'uid-9' } },
    {
      given: 'without a resource version',
      before: { resourceVersion: undefined },
      now: { resourceVersion: undefined },
    },
    { given: 'without a uid', before: { uid: undefined }, now: { uid: undefined } },
  ])('is compared again $given', ({ before, now }) => {
    expect(actions(plan([desired], [withMetadata(equal, before)]))).toEqual(['keep a']);
    expect(actions(plan([desired], [withMetadata(changed, now)]))).toEqual(['update a']);
  });

  it('is compared again with another desired state', () => {
    expect(actions(plan([desired], [equal]))).toEqual(['keep a']);
    expect(actions(plan([deployment('a', { image: 'repo:3' })], [equal]))).toEqual(['update a']);
  });

  it('is compared again for another owner', () => {
    expect(actions(plan([desired], [equal]))).toEqual(['keep a']);
    expect(actions(plan([desired], [equal], { caller: 'https://example.com/another' }))).toEqual(['conflict a']);
  });
});

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
        reason: 'it exists and is not owned by a manager',
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
    const restarted = [{ ...live, spec: { ...spec, template } } as KubeObject];
    expect(plan([deployment('a')], restarted)).toMatchObject([{ action: 'keep' }]);
    expect(plan([deployment('a', { image: 'repo:2' })], restarted)).toMatchObject([
      { action: 'update', object: { spec: { template: { metadata: { annotations } } } } },
    ]);
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

type Manager = { readonly manager: string; readonly operation?: string; readonly fieldsV1?: object };

/** The object as the server has it, with who wrote which fields. */
function managed(object: KubeObject | undefined, ...managers: readonly Manager[]): KubeObject {
  if (object === undefined) throw new Error('there is no object');
  const managedFields = managers.map((entry) => ({ operation: 'Update', apiVersion: object.apiVersion, ...entry }));
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

function withSpec(object: KubeObject | undefined, spec: object): KubeObject {
  if (object === undefined) throw new Error('there is no object');
  return { ...object, spec: { ...(object['spec'] as object), ...spec } };
}

const OWN = { manager: 'echelon', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {} } } };
const SCALED = { manager: 'kubectl-edit', fieldsV1: { 'f:spec': { 'f:replicas': {} } } };
const BYSTANDER = { manager: 'kubectl-label', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:theirs': {} } } } };

describe('fields that others hold', () => {
  const live = (...managers: readonly Manager[]): KubeObject[] => [
    managed(withSpec(applied(deployment('a'))[0], { replicas: 0 }), ...managers),
  ];

  it('are a conflict that names them and who holds them', () => {
    const other = { manager: 'hpa', fieldsV1: { 'f:spec': { 'f:replicas': {} } } };
    expect(plan([deployment('a')], live(OWN, SCALED, other))).toEqual([
      {
        action: 'conflict',
        cluster: 'c',
        namespace: 'ns',
        kind: 'Deployment',
        name: 'a',
        reason: 'fields to change are held by other field managers: spec.replicas (kubectl-edit, hpa)',
        hint: 'pass --force-conflicts to override them, or undo the change with the tool that made it',
      },
    ]);
  });

  it('include replicas scaled to 0 by hand, for which the server records no holder', () => {
    const released = { ...OWN, fieldsV1: { 'f:spec': { 'f:template': {} } } };
    expect(plan([deployment('a', { image: 'repo:2' })], live(released))).toMatchObject([
      { action: 'conflict', reason: expect.stringMatching(/: spec\.replicas \(scaled to 0 by hand\)$/) },
    ]);
    expect(plan([deployment('a')], live(released), { ...OPTIONS, forceConflicts: true })).toMatchObject([
      { action: 'update', force: true, differences: [{ path: 'spec.replicas', live: 0, desired: 1 }] },
    ]);
  });

  it('are taken with consent', () => {
    expect(plan([deployment('a')], live(OWN, SCALED), { ...OPTIONS, forceConflicts: true })).toMatchObject([
      { action: 'update', force: true, differences: [{ path: 'spec.replicas', live: 0, desired: 1 }] },
    ]);
  });

  it('matter only where something should change', () => {
    const [item] = plan([deployment('a')], live(OWN, BYSTANDER));
    expect(item).toMatchObject({ action: 'update', force: false });
    expect(item).not.toHaveProperty('takeOver');
  });

  it('are no conflict while they say what is desired', () => {
    const [first] = applied(deployment('a'));
    expect(actions(plan([deployment('a')], [managed(first, OWN, SCALED)]))).toEqual(['keep a']);
  });
});

describe('an object that Echelon never applied', () => {
  const FORMER = { manager: 'oc', fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } } };
  const CONTROLLER = { manager: 'kube-controller-manager', fieldsV1: { 'f:spec': { 'f:paused': {} } } };

  it('of the existing manager is taken over from whoever wrote it, once something changes', () => {
    const [before] = applied(deployment('a'));
    const live = managed(withSpec(before, { replicas: 0, paused: true }), FORMER);
    const [item] = plan([deployment('a')], [live]);
    expect(item).toMatchObject({
      action: 'update',
      takeOver: ['oc'],
      force: true,
      differences: [
        { path: 'spec.replicas', live: 0, desired: 1 },
        { path: 'spec.paused', live: true },
      ],
    });
  });

  it('is not written only to take it over', () => {
    const [before] = applied(deployment('a'));
    expect(actions(plan([deployment('a')], [managed(before, FORMER)]))).toEqual(['keep a']);
  });

  it('is adopted with the fields of its former managers, not with those of controllers', () => {
    const foreign = managed(withSpec(deployment('a'), { paused: true }), FORMER, CONTROLLER);
    expect(plan([deployment('a')], [foreign], { ...OPTIONS, adopt: true })).toMatchObject([
      { action: 'adopt', takeOver: ['oc'], force: true },
    ]);
    const [item] = plan([deployment('a')], [foreign], { ...OPTIONS, adopt: true });
    expect(item?.action === 'adopt' && item.differences.map(({ path }) => path)).not.toContain('spec.paused');
  });

  it('is adopted even where nothing differs but the marks', () => {
    const [item] = plan([deployment('a')], [deployment('a')], { ...OPTIONS, adopt: true });
    expect(item).toMatchObject({ action: 'adopt', force: true });
    expect(item).not.toHaveProperty('takeOver');
  });
});

describe('what is replaced because it cannot change in place', () => {
  const statefulSet = (storage: string, image = 'repo:1'): KubeObject => ({
    ...deployment('s', { image }),
    kind: 'StatefulSet',
    spec: {
      ...(deployment('s', { image })['spec'] as object),
      volumeClaimTemplates: [{ metadata: { name: 'cache' }, spec: { resources: { requests: { storage } } } }],
    },
  });
  const recreate = { ...OPTIONS, recreate: true };

  it('is recreated with consent, as the one that was seen', () => {
    expect(plan([statefulSet('2Gi')], applied(statefulSet('1Gi')), recreate)).toMatchObject([
      {
        action: 'recreate',
        reason: expect.stringContaining('volume claim template'),
        seen: { uid: 'uid-0' },
        object: statefulSet('2Gi'),
      },
    ]);
  });

  it.each([
    { given: 'the image', desired: () => statefulSet('1Gi', 'repo:2'), action: 'update' },
    { given: 'nothing', desired: () => statefulSet('1024Mi'), action: 'update' },
  ])('is not recreated where $given changes', ({ desired, action }) => {
    expect(plan([desired()], applied(statefulSet('1Gi')), recreate)).toMatchObject([{ action }]);
  });

  it.each([
    { given: 'a claim that comes', before: deploymentLike(), after: statefulSet('1Gi') },
    { given: 'a claim that goes', before: statefulSet('1Gi'), after: deploymentLike() },
  ])('is a conflict for $given', ({ before, after }) => {
    expect(plan([after], applied(before))).toMatchObject([{ action: 'conflict' }]);
  });

  function deploymentLike(): KubeObject {
    return { ...deployment('s'), kind: 'StatefulSet' };
  }

  it('is never recreated where it is not ours', () => {
    expect(plan([statefulSet('2Gi')], [statefulSet('1Gi')], recreate)).toMatchObject([
      { action: 'conflict', reason: 'it exists and is not owned by a manager' },
    ]);
  });

  it('is not recreated past others that hold its fields', () => {
    const fields = { 'f:spec': { 'f:volumeClaimTemplates': {} } };
    const live = managed(applied(statefulSet('1Gi'))[0], OWN, { manager: 'kubectl-edit', fieldsV1: fields });
    expect(plan([statefulSet('2Gi')], [live], recreate)).toMatchObject([
      { action: 'conflict', reason: expect.stringContaining('kubectl-edit') },
    ]);
  });
});

describe('the marks of an owner', () => {
  it('are labels of the environment and of the data repository', () => {
    const [item] = plan([deployment('a', { metadata: { labels: { app: 'a' } } })], [], {
      ...OPTIONS,
      instance: 'https://example.com/data',
    });
    expect(item?.action === 'create' && item.object.metadata['labels']).toEqual({
      app: 'a',
      'echelon/environment': 'env',
      'echelon/instance': expect.stringMatching(/^sha256-[0-9a-f]{40}$/),
    });
  });

  it('are those of each plan, also for objects that were planned before', () => {
    const object = deployment('a');
    const labels = (options: PlanOptions, environment: string): unknown => {
      const place = { cluster: 'c', namespace: 'ns' };
      const desired = { ...place, file: '', environment, objects: [object] };
      const [item] = planNamespace(desired, { ...place, objects: [] }, options);
      return item?.action === 'create' ? item.object.metadata['labels'] : undefined;
    };
    expect(labels(OPTIONS, 'one')).toEqual({ 'echelon/environment': 'one' });
    expect(labels({ ...OPTIONS, instance: 'i' }, 'one')).toEqual({
      'echelon/environment': 'one',
      'echelon/instance': 'i',
    });
    expect(labels(OPTIONS, 'two')).toEqual({ 'echelon/environment': 'two' });
    expect(object.metadata).toEqual({ name: 'a', namespace: 'ns' });
  });

  it('are an update where they are missing, not a reason to call the object foreign', () => {
    const [before] = applied(deployment('a'));
    const { labels: _, ...metadata } = before?.metadata ?? { name: 'a' };
    expect(plan([deployment('a')], [{ ...before, metadata } as KubeObject])).toMatchObject([{ action: 'update' }]);
  });
});

it.each(['ConfigMap', 'Secret', 'Job'])('a %s of the chart is a conflict: a manager does not operate them', (kind) => {
  const object = { apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'ns' } };
  const items = plan([object, deployment('b')], [], { ...OPTIONS, adopt: true, recreate: true, forceConflicts: true });
  expect(items).toHaveLength(2);
  expect(items.find(({ name }) => name === 'a')).toMatchObject({
    action: 'conflict',
    kind,
    reason: `the manager does not support kind ${kind}`,
  });
  expect(items.find(({ name }) => name === 'b')).toMatchObject({ action: 'create' });
});

describe('the Service that managers share', () => {
  const service: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'qontract-reconcile', namespace: 'ns' },
    spec: { ports: [{ name: 'http', port: 80 }] },
  };
  const ofAnother = plan([service], [], { caller: 'https://github.com/example/other' }).map((item) =>
    item.action === 'create' ? item.object : service,
  );

  it('is applied by each', () => {
    expect(plan([service], ofAnother)).toMatchObject([{ action: 'update', kind: 'Service' }]);
  });

  it('S3: is not deleted by one that does not want it, while it is of another', () => {
    expect(plan([], ofAnother)).toEqual([]);
    expect(plan([], applied(service))).toMatchObject([{ action: 'delete', kind: 'Service' }]);
  });
});

it('a Deployment and a StatefulSet of one name are two', () => {
  const live = applied(deployment('a'));
  expect(actions(plan([{ ...deployment('a'), kind: 'StatefulSet' }], live))).toEqual(['delete a', 'create a']);
});
