import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { removals } from './removals.ts';

type Manager = { readonly manager: string; readonly operation?: string; readonly fieldsV1: object };

function live(content: object, ...managers: readonly Manager[]): KubeObject {
  const managedFields = managers.map((entry) => ({ operation: 'Apply', apiVersion: 'apps/v1', ...entry }));
  const { metadata = {}, ...rest } = content as { metadata?: object };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', ...metadata, managedFields }, ...rest };
}

function desired(content: object): KubeObject {
  const { metadata = {}, ...rest } = content as { metadata?: object };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', ...metadata }, ...rest };
}

const own = (fieldsV1: object): Manager => ({ manager: 'echelon', fieldsV1 });
const told = (found: ReturnType<typeof removals>) => found.map(({ path, live: value }) => [path, value]);

const ENV = [
  { name: 'A', value: '1' },
  { name: 'B', value: '2' },
];
const ENV_FIELDS = {
  'f:spec': {
    'f:env': {
      '.': {},
      'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} },
      'k:{"name":"B"}': { '.': {}, 'f:name': {}, 'f:value': {} },
    },
  },
};

describe('what goes with the next apply', () => {
  it.each([
    {
      given: 'a field',
      object: live({ spec: { paused: true, replicas: 1 } }, own({ 'f:spec': { 'f:paused': {}, 'f:replicas': {} } })),
      wanted: { spec: { replicas: 2 } },
      gone: [['spec.paused', true]],
    },
    {
      given: 'an item of a list',
      object: live({ spec: { env: ENV } }, own(ENV_FIELDS)),
      wanted: { spec: { env: [{ name: 'A', value: '9' }] } },
      gone: [['spec.env[B]', { name: 'B', value: '2' }]],
    },
    {
      given: 'a field of an item',
      object: live({ spec: { env: ENV } }, own(ENV_FIELDS)),
      wanted: { spec: { env: [{ name: 'A' }, { name: 'B', value: '2' }] } },
      gone: [['spec.env[A].value', '1']],
    },
    {
      given: 'a whole list',
      object: live({ spec: { env: ENV } }, own(ENV_FIELDS)),
      wanted: { spec: {} },
      gone: [['spec.env', ENV]],
    },
    {
      given: 'a label with dots in its name',
      object: live(
        { metadata: { labels: { 'a.b/c': '1' } } },
        own({ 'f:metadata': { 'f:labels': { 'f:a.b/c': {} } } }),
      ),
      wanted: { metadata: { labels: {} } },
      gone: [['metadata.labels.a.b/c', '1']],
    },
    {
      given: 'a port, whose protocol may be left out',
      object: live(
        {
          spec: {
            ports: [
              { containerPort: 80, protocol: 'TCP' },
              { containerPort: 81, protocol: 'TCP' },
            ],
          },
        },
        own({
          'f:spec': {
            'f:ports': {
              'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
              'k:{"containerPort":81,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
            },
          },
        }),
      ),
      wanted: { spec: { ports: [{ containerPort: 80 }] } },
      gone: [['spec.ports[81]', { containerPort: 81, protocol: 'TCP' }]],
    },
  ])('is $given that Echelon applied and does not want any more', ({ object, wanted, gone }) => {
    expect(told(removals(object, desired(wanted), false))).toEqual(gone);
  });

  it.each([
    { given: 'still wanted', object: live({ spec: { env: ENV } }, own(ENV_FIELDS)), wanted: { spec: { env: ENV } } },
    { given: 'not there any more', object: live({ spec: {} }, own(ENV_FIELDS)), wanted: { spec: {} } },
    {
      given: 'of the server',
      object: live({ spec: { a: 1 }, status: { b: 1 } }, own({ 'f:spec': {} })),
      wanted: { spec: {} },
    },
    {
      given: 'of others',
      object: live({ spec: { a: 1 } }, { manager: 'kubectl', fieldsV1: { 'f:spec': { 'f:a': {} } } }),
      wanted: { spec: {} },
    },
    {
      given: 'held by others too',
      object: live({ spec: { a: 1 } }, own({ 'f:spec': { 'f:a': {} } }), {
        manager: 'kubectl',
        operation: 'Update',
        fieldsV1: { 'f:spec': { 'f:a': {} } },
      }),
      wanted: { spec: {} },
    },
    { given: 'of nobody', object: { ...live({ spec: { a: 1 } }), metadata: { name: 'a' } }, wanted: { spec: {} } },
    {
      given: 'held in a way that nobody understands',
      object: live(
        { spec: { l: [{ name: 'x' }] } },
        own({ 'f:spec': { 'f:l': { 'k:{broken': {}, 'i:0': {}, 'v:1': {} } } }),
      ),
      wanted: { spec: { l: [] } },
    },
    {
      given: 'another kind of thing than it was',
      object: live({ spec: 'x' }, own({ 'f:spec': { 'f:a': {}, 'f:l': { 'k:{"name":"a"}': {} } } })),
      wanted: { spec: { a: 1 } },
    },
  ])('is nothing that is $given', ({ object, wanted }) => {
    expect(told(removals(object, desired(wanted), false))).toEqual([]);
  });

  it('is also what former managers wrote, once their fields are taken over', () => {
    const object = live(
      { spec: { env: ENV, replicas: 3 } },
      { manager: 'oc', operation: 'Update', fieldsV1: ENV_FIELDS },
      { manager: 'kube-controller-manager', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    );
    const wanted = desired({ spec: { env: [{ name: 'A', value: '1' }] } });
    expect(told(removals(object, wanted, true))).toEqual([['spec.env[B]', { name: 'B', value: '2' }]]);
    expect(removals(object, wanted, false)).toEqual([]);
  });
});
