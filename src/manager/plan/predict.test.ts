import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { predicted, shown } from './predict.ts';

const base = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } };

function specAfter(live: object, desired: object): unknown {
  return predicted({ ...base, spec: live }, { ...base, spec: desired }, false)['spec'];
}

describe('what people compare', () => {
  it('is without what the server keeps for itself', () => {
    const labels = { app: 'a' };
    const annotations = { b: 'c' };
    const object: KubeObject = {
      ...base,
      metadata: {
        name: 'a',
        namespace: 'ns',
        labels,
        annotations,
        managedFields: [],
        resourceVersion: '7',
        generation: 3,
        creationTimestamp: 'now',
        uid: 'u',
        selfLink: '/x',
      },
      spec: { replicas: 1 },
      status: { replicas: 1 },
    };
    expect(shown(object)).toEqual({
      ...base,
      metadata: { name: 'a', namespace: 'ns', labels, annotations },
      spec: { replicas: 1 },
    });
    expect(object['status']).toEqual({ replicas: 1 });
  });
});

describe('an object after the write', () => {
  it.each([
    { given: 'what changes', live: { replicas: 1 }, desired: { replicas: 2 }, after: { replicas: 2 } },
    { given: 'what is new', live: {}, desired: { a: { b: 1 } }, after: { a: { b: 1 } } },
    {
      given: 'what others or the server added',
      live: { a: 1, b: { c: 1, d: 2 } },
      desired: { b: { c: 2 } },
      after: { a: 1, b: { c: 2, d: 2 } },
    },
    {
      given: 'items that others added',
      live: {
        env: [
          { name: 'PROXY', value: 'x' },
          { name: 'A', value: '1' },
        ],
      },
      desired: { env: [{ name: 'A', value: '2' }] },
      after: {
        env: [
          { name: 'PROXY', value: 'x' },
          { name: 'A', value: '2' },
        ],
      },
    },
    {
      given: 'items that are new',
      live: { env: [{ name: 'A', value: '1' }] },
      desired: {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
      after: {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
    },
    {
      given: 'items that others added to what is to be empty',
      live: { env: [{ name: 'PROXY', value: 'x' }] },
      desired: { env: [] },
      after: { env: [{ name: 'PROXY', value: 'x' }] },
    },
    {
      given: 'a volume that is mounted twice',
      live: {
        volumeMounts: [
          { name: 'v', mountPath: '/a', readOnly: true },
          { name: 'v', mountPath: '/b' },
        ],
      },
      desired: {
        volumeMounts: [
          { name: 'v', mountPath: '/a' },
          { name: 'v', mountPath: '/b', subPath: 's' },
        ],
      },
      after: {
        volumeMounts: [
          { name: 'v', mountPath: '/a', readOnly: true },
          { name: 'v', mountPath: '/b', subPath: 's' },
        ],
      },
    },
    { given: 'a list that is one value', live: { args: ['a', 'b'] }, desired: { args: ['b'] }, after: { args: ['b'] } },
    {
      given: 'an item that is one value, not mixed with what it replaces',
      live: { envFrom: [{ configMapRef: { name: 'a' } }] },
      desired: { envFrom: [{ secretRef: { name: 'a' } }] },
      after: { envFrom: [{ secretRef: { name: 'a' } }] },
    },
    {
      given: 'an item that is one value and says the same, as the server filled it in',
      live: { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }] },
      desired: { tolerations: [{ key: 'a', operator: 'Exists' }] },
      after: { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }] },
    },
    {
      given: 'a quantity that says the same, as the server wrote it',
      live: { resources: { limits: { cpu: '1' } } },
      desired: { resources: { limits: { cpu: '1000m' } } },
      after: { resources: { limits: { cpu: '1' } } },
    },
    { given: 'nothing said by null', live: { a: 30 }, desired: { a: null, b: null }, after: { a: 30 } },
    { given: 'another kind of thing', live: { a: [1] }, desired: { a: { b: 1 } }, after: { a: { b: 1 } } },
  ])('has $given', ({ live, desired, after }) => {
    expect(specAfter(live, desired)).toEqual(after);
  });

  const managed = (content: object, manager: string, operation: string, fieldsV1: object): KubeObject => ({
    ...base,
    metadata: { name: 'a', managedFields: [{ manager, operation, apiVersion: 'apps/v1', fieldsV1 }] },
    ...content,
  });
  const LABELS = { 'f:metadata': { 'f:labels': { 'f:old.example/x': {}, 'f:app': {} } } };
  const FIELDS = {
    'f:spec': {
      'f:paused': {},
      'f:env': {
        'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} },
        'k:{"name":"B"}': { '.': {}, 'f:name': {}, 'f:value': {} },
      },
    },
  };

  it('is without what Echelon applied and does not want any more', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
      { name: 'C', value: '3' },
    ];
    const live = managed({ spec: { paused: true, env } }, 'echelon', 'Apply', FIELDS);
    const desired = { ...base, spec: { env: [{ name: 'A' }] } };
    expect(predicted(live, desired, false)['spec']).toEqual({ env: [{ name: 'A' }, { name: 'C', value: '3' }] });
    expect(live['spec']).toEqual({ paused: true, env });
  });

  it('is without labels that Echelon applied and does not want any more', () => {
    const live = managed({}, 'echelon', 'Apply', LABELS);
    const labelled = {
      ...live,
      metadata: { ...live.metadata, labels: { 'old.example/x': '1', app: 'a', theirs: '2' } },
    };
    const desired = { ...base, metadata: { name: 'a', labels: { app: 'a' } } };
    expect(predicted(labelled, desired, false).metadata['labels']).toEqual({ app: 'a', theirs: '2' });
  });

  it('is without what former managers applied, only when they are taken over', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ];
    const live = managed({ spec: { paused: true, env } }, 'oc', 'Update', FIELDS);
    const desired = { ...base, spec: { env: [{ name: 'A', value: '1' }] } };
    expect(predicted(live, desired, true)['spec']).toEqual({ env: [{ name: 'A', value: '1' }] });
    expect(predicted(live, desired, false)['spec']).toEqual({ paused: true, env });
  });
});
