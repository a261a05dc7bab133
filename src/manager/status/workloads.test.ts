import { describe, expect, it } from 'vitest';
import { defined } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { firstImage } from '../desired/identity.ts';
import { imageMatches, liveWorkloads } from './workloads.ts';

interface Meta {
  readonly uid?: string;
  readonly owner?: string;
  readonly [key: string]: unknown;
}

function object(
  kind: string,
  name: string,
  { uid = name, owner, ...more }: Meta = {},
  content: object = {},
): KubeObject {
  const ownerReferences = owner === undefined ? undefined : [{ uid: owner, controller: true }];
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'n', uid, ownerReferences, ...more }, ...content };
}

const pod = (name: string, owner: string, more: Meta = {}, content: object = {}): KubeObject =>
  object('Pod', name, { owner, ...more }, { spec: { containers: [{ name: 'int', image: 'repo:1' }] }, ...content });

const podsOf = (objects: readonly KubeObject[], key: string): number | undefined =>
  liveWorkloads(objects).get(key)?.pods.length;

describe('the pods of a workload', () => {
  it.each([
    {
      given: 'a Deployment, over its replica set',
      objects: [object('Deployment', 'd'), object('ReplicaSet', 'r', { owner: 'd' }), pod('p', 'r')],
      key: 'Deployment/d',
    },
    { given: 'a StatefulSet', objects: [object('StatefulSet', 's'), pod('p', 's')], key: 'StatefulSet/s' },
    {
      given: 'a CronJob, over its job',
      objects: [object('CronJob', 'c'), object('Job', 'j', { owner: 'c' }), pod('p', 'j')],
      key: 'CronJob/c',
    },
  ])('are found through owner references: $given', ({ objects, key }) => {
    expect(podsOf(objects, key)).toBe(1);
    expect(podsOf(objects.toReversed(), key)).toBe(1);
  });

  it.each([
    { given: 'of the same name but of nobody', more: pod('d-1', '') },
    { given: 'whose replica set is gone', more: pod('d-1', 'gone') },
    { given: 'that is being deleted', more: pod('d-1', 'r', { deletionTimestamp: 'now' }) },
    { given: 'that is done', more: pod('d-1', 'r', {}, { status: { phase: 'Succeeded' } }) },
    { given: 'that was evicted', more: pod('d-1', 'r', {}, { status: { phase: 'Failed' } }) },
    {
      given: 'that an owner has who does not control it',
      more: pod('d-1', '', { ownerReferences: [{ uid: 'r', controller: false }, { uid: 'd' }, null, 'x'] }),
    },
    { given: 'with owners that are none', more: pod('d-1', '', { ownerReferences: 'x' }) },
  ])('are none $given', ({ more }) => {
    const objects = [object('Deployment', 'd'), object('ReplicaSet', 'r', { owner: 'd' }), more];
    expect(podsOf(objects, 'Deployment/d')).toBe(0);
  });

  it('are not looked for in a circle without end', () => {
    const objects = [
      object('Deployment', 'd'),
      object('ReplicaSet', 'a', { owner: 'b' }),
      object('ReplicaSet', 'b', { owner: 'a' }),
      object('ReplicaSet', 'self', { owner: 'self' }),
      pod('p1', 'a'),
      pod('p2', 'self'),
    ];
    expect(podsOf(objects, 'Deployment/d')).toBe(0);
  });

  it('tell what they run, and what they wait for', () => {
    const statuses = [
      {
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [{ name: 'int', imageID: 'repo@sha256:1' }],
      },
      {
        conditions: [{ type: 'Ready', status: 'False' }],
        containerStatuses: [{ name: 'int', imageID: '', state: { waiting: { reason: 'ImagePullBackOff' } } }],
      },
      { phase: 'Running', containerStatuses: [{ name: 'other', state: { running: {} } }] },
      undefined,
    ];
    const pods = statuses.map((status, index) => pod(`p${index}`, 's', {}, { status }));
    expect(liveWorkloads([object('StatefulSet', 's'), ...pods]).get('StatefulSet/s')?.pods).toEqual([
      {
        name: 'p0',
        restarts: 0,
        ready: true,
        images: [{ image: 'repo:1', imageId: 'repo@sha256:1' }],
        waiting: 'Pending',
      },
      { name: 'p1', restarts: 0, ready: false, images: [{ image: 'repo:1' }], waiting: 'ImagePullBackOff' },
      { name: 'p2', restarts: 0, ready: false, images: [{ image: 'repo:1' }], waiting: 'Running' },
      { name: 'p3', restarts: 0, ready: false, images: [{ image: 'repo:1' }], waiting: 'Pending' },
    ]);
  });
});

describe('a workload', () => {
  it.each([
    { kind: 'Deployment', spec: { replicas: 3 }, wanted: 3 },
    { kind: 'Deployment', spec: { replicas: 0 }, wanted: 0 },
    { kind: 'StatefulSet', spec: {}, wanted: 1 },
    { kind: 'CronJob', spec: { replicas: 3 }, wanted: 0 },
  ])('$kind of $spec wants $wanted', ({ kind, spec, wanted }) => {
    expect(liveWorkloads([object(kind, 'x', {}, { spec })]).get(`${kind}/x`)).toMatchObject({ wanted, pods: [] });
  });

  it('is a Deployment, a StatefulSet or a CronJob, and nothing else', () => {
    const objects = ['Deployment', 'StatefulSet', 'CronJob', 'Service', 'ReplicaSet', 'Job', 'Pod'].map((kind) =>
      object(kind, 'x', { uid: kind }),
    );
    expect([...liveWorkloads(objects).keys()]).toEqual(['Deployment/x', 'StatefulSet/x', 'CronJob/x']);
  });
});

describe('the image of an object', () => {
  const template = {
    spec: {
      containers: [
        { name: 'int', image: 'repo:1' },
        { name: 'logs', image: 'logs:1' },
      ],
    },
  };
  it.each([
    { given: 'a Deployment', content: { spec: { template } }, image: 'repo:1' },
    { given: 'a CronJob', content: { spec: { jobTemplate: { spec: { template } } } }, image: 'repo:1' },
    { given: 'nothing', content: {}, image: undefined },
    { given: 'no containers', content: { spec: { template: { spec: { containers: [] } } } }, image: undefined },
    {
      given: 'an image that is none',
      content: { spec: { template: { spec: { containers: [{ image: 7 }] } } } },
      image: undefined,
    },
  ])('of $given is $image', ({ given, content, image }) => {
    expect(firstImage(object(given === 'a CronJob' ? given.slice(2) : 'Deployment', 'd', {}, content))).toBe(image);
  });
});

describe('an image is the expected one', () => {
  const [A, B] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];
  it.each([
    { given: 'the same tag', expected: 'repo:1', image: 'repo:1', is: true },
    { given: 'another tag', expected: 'repo:1', image: 'repo:2', is: false },
    { given: 'the same tag of another repository', expected: 'repo:1', image: 'other/repo:1', is: false },
    { given: 'the same digest', expected: `repo@${A}`, image: `repo@${A}`, is: true },
    { given: 'the same digest, with a tag', expected: `repo:1@${A}`, image: `repo:2@${A}`, is: true },
    { given: 'another digest of the same tag', expected: `repo:1@${A}`, image: `repo:1@${B}`, is: false },
    {
      given: 'a tag that the node found the digest for',
      expected: `repo:1@${A}`,
      image: 'repo:1',
      imageId: `repo@${A}`,
      is: true,
    },
    {
      given: 'a tag that the node found another digest for',
      expected: `repo:1@${A}`,
      image: 'repo:1',
      imageId: `repo@${B}`,
      is: false,
    },
    { given: 'a tag that no node has found yet', expected: `repo:1@${A}`, image: 'repo:1', is: false },
    { given: 'any, where none is expected', expected: undefined, image: 'x', is: true },
  ])('$given: $is', ({ expected, image, imageId, is }) => {
    expect(imageMatches(expected, { image, ...defined({ imageId }) })).toBe(is);
  });
});
