import { describe, expect, it } from 'vitest';
import { differences, listKey, pathText, reportedDifference, type Step } from './differences.ts';

describe('an object that is as desired', () => {
  it.each<{ given: string; live: object; desired: object }>([
    { given: 'equal', live: { a: 1, b: { c: ['x'] } }, desired: { a: 1, b: { c: ['x'] } } },
    { given: 'with fields that the server defaulted', live: { a: 1, dnsPolicy: 'ClusterFirst' }, desired: { a: 1 } },
    {
      given: 'with a container that somebody injected',
      live: { containers: [{ name: 'proxy' }, { name: 'int', image: 'a' }] },
      desired: { containers: [{ name: 'int', image: 'a' }] },
    },
    {
      given: 'with an environment variable that somebody added',
      live: {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
      desired: { env: [{ name: 'A', value: '1' }] },
    },
    {
      given: 'with a quantity written differently',
      live: { resources: { limits: { cpu: '2', memory: '1Gi' } } },
      desired: { resources: { limits: { cpu: '2000m', memory: '1024Mi' } } },
    },
    {
      given: 'where a server dropped an empty value',
      live: { env: [{ name: 'A' }] },
      desired: { env: [{ name: 'A', value: '' }] },
    },
    { given: 'where a server dropped an empty list', live: {}, desired: { args: [] } },
    { given: 'where a server dropped an empty mapping', live: {}, desired: { labels: {} } },
    {
      given: 'with ports in another order',
      live: { ports: [{ containerPort: 2 }, { containerPort: 1 }] },
      desired: { ports: [{ containerPort: 1 }, { containerPort: 2 }] },
    },
    { given: 'where nothing is said by null', live: { a: 30 }, desired: { a: null, b: null } },
    { given: 'where nothing is said by null of a mapping', live: { resources: {} }, desired: { resources: null } },
    {
      given: 'whose time of creation a tool wrote as null',
      live: { creationTimestamp: 'now' },
      desired: { creationTimestamp: null },
    },
    {
      given: 'where a server dropped a zero',
      live: { livenessProbe: {} },
      desired: { livenessProbe: { initialDelaySeconds: 0 }, hostNetwork: false, minReadySeconds: 0 },
    },
    {
      given: 'where a server filled in a default for nothing',
      live: { imagePullPolicy: 'Always', dnsPolicy: 'ClusterFirst', readinessProbe: { periodSeconds: 10 } },
      desired: { imagePullPolicy: '', dnsPolicy: '', readinessProbe: { periodSeconds: 0 } },
    },
    {
      given: 'with a volume that is mounted twice, and a third mount that somebody added',
      live: {
        volumeMounts: [
          { name: 'proxy', mountPath: '/proxy' },
          { name: 'v', mountPath: '/b' },
          { name: 'v', mountPath: '/a' },
        ],
      },
      desired: {
        volumeMounts: [
          { name: 'v', mountPath: '/a' },
          { name: 'v', mountPath: '/b' },
        ],
      },
    },
    {
      given: 'with one port for two protocols',
      live: {
        ports: [
          { containerPort: 53, protocol: 'TCP' },
          { containerPort: 53, protocol: 'UDP', name: '' },
        ],
        more: 1,
      },
      desired: {
        ports: [
          { containerPort: 53, protocol: 'TCP' },
          { containerPort: 53, protocol: 'UDP', hostPort: 0 },
        ],
      },
    },
    {
      given: 'with one port of a Service for two protocols, told apart by name',
      live: {
        ports: [
          { port: 53, protocol: 'UDP', name: 'udp', targetPort: 53 },
          { port: 53, protocol: 'TCP', name: 'tcp', targetPort: 53 },
        ],
      },
      desired: {
        ports: [
          { port: 53, protocol: 'TCP', name: 'tcp' },
          { port: 53, protocol: 'UDP', name: 'udp' },
        ],
      },
    },
    {
      given: 'where somebody added to a keyed list that is to be empty',
      live: { env: [{ name: 'HTTP_PROXY', value: 'x' }] },
      desired: { env: [] },
    },
    {
      given: 'with sizes of other fields written differently',
      live: { emptyDir: { sizeLimit: '1Gi' }, resourceFieldRef: { divisor: '1' } },
      desired: { emptyDir: { sizeLimit: '1024Mi' }, resourceFieldRef: { divisor: '1000m' } },
    },
    {
      given: 'with names that the language has of its own',
      live: { labels: { constructor: 'a', toString: 'b' } },
      desired: { labels: { constructor: 'a', toString: 'b' } },
    },
  ])('is one $given', ({ live, desired }) => {
    expect(differences(live, desired).map(reportedDifference)).toEqual([]);
  });
});

describe('an object that is not as desired', () => {
  it.each<{ given: string; live: object; desired: object; found: object[] }>([
    {
      given: 'another image',
      live: { spec: { containers: [{ name: 'int', image: 'a:1' }] } },
      desired: { spec: { containers: [{ name: 'int', image: 'a:2' }] } },
      found: [{ path: 'spec.containers[int].image', live: 'a:1', desired: 'a:2' }],
    },
    {
      given: 'a missing environment variable',
      live: { env: [] },
      desired: { env: [{ name: 'A', value: '1' }] },
      found: [{ path: 'env[A]', desired: { name: 'A', value: '1' } }],
    },
    {
      given: 'other arguments, which are one value',
      live: { args: ['a', 'b'] },
      desired: { args: ['a'] },
      found: [{ path: 'args', live: ['a', 'b'], desired: ['a'] }],
    },
    {
      given: 'another quantity',
      live: { resources: { requests: { cpu: '2' } } },
      desired: { resources: { requests: { cpu: '20m' } } },
      found: [{ path: 'resources.requests.cpu', live: '2', desired: '20m' }],
    },
    { given: 'a number for text', live: { a: 1 }, desired: { a: '1' }, found: [{ path: 'a', live: 1, desired: '1' }] },
    {
      given: 'a list where a mapping belongs',
      live: { a: [] },
      desired: { a: { b: 1 } },
      found: [{ path: 'a', live: [], desired: { b: 1 } }],
    },
    { given: 'a missing list', live: {}, desired: { a: ['x'] }, found: [{ path: 'a', desired: ['x'] }] },
    {
      given: 'a value where none is wanted',
      live: { env: [{ name: 'A', value: 'x' }] },
      desired: { env: [{ name: 'A', value: '' }] },
      found: [{ path: 'env[A].value', live: 'x', desired: '' }],
    },
    {
      given: 'something that was switched on by hand',
      live: { hostNetwork: true, initialDelaySeconds: 5 },
      desired: { hostNetwork: false, initialDelaySeconds: 0 },
      found: [
        { path: 'hostNetwork', live: true, desired: false },
        { path: 'initialDelaySeconds', live: 5, desired: 0 },
      ],
    },
    {
      given: 'a protection that somebody took away',
      live: { securityContext: {} },
      desired: { automountServiceAccountToken: false, securityContext: { runAsUser: 0 } },
      found: [
        { path: 'automountServiceAccountToken', desired: false },
        { path: 'securityContext.runAsUser', desired: 0 },
      ],
    },
    {
      given: 'arguments where none are wanted',
      live: { args: ['x'] },
      desired: { args: [] },
      found: [{ path: 'args', live: ['x'], desired: [] }],
    },
    {
      given: 'the second of two items that only their keys together tell apart',
      live: {
        ports: [
          { containerPort: 53, protocol: 'TCP' },
          { containerPort: 53, protocol: 'SCTP' },
        ],
      },
      desired: {
        ports: [
          { containerPort: 53, protocol: 'TCP' },
          { containerPort: 53, protocol: 'UDP' },
        ],
      },
      found: [{ path: 'ports[1].protocol', live: 'SCTP', desired: 'UDP' }],
    },
    {
      given: 'an item without the key of the others',
      live: { volumes: [{ name: 'a' }, { emptyDir: {} }] },
      desired: { volumes: [{ name: 'a' }, { emptyDir: { medium: 'Memory' } }] },
      found: [{ path: 'volumes[1].emptyDir.medium', desired: 'Memory' }],
    },
    {
      given: 'a name that the language has of its own',
      live: { labels: {} },
      desired: { labels: { constructor: 'x' } },
      found: [{ path: 'labels.constructor', desired: 'x' }],
    },
    {
      given: 'an annotation with dots and a stroke in its name',
      live: { annotations: { 'example.com/a.b': '1' } },
      desired: { annotations: { 'example.com/a.b': '2' } },
      found: [{ path: 'annotations.example.com/a.b', live: '1', desired: '2' }],
    },
    {
      given: 'another quantity of a number',
      live: { resources: { limits: { cpu: '1' } } },
      desired: { resources: { limits: { cpu: 2 } } },
      found: [{ path: 'resources.limits.cpu', live: '1', desired: 2 }],
    },
    {
      given: 'a text that reads like the same quantity elsewhere',
      live: { labels: { cpu: '1' } },
      desired: { labels: { cpu: '1000m' } },
      found: [{ path: 'labels.cpu', live: '1', desired: '1000m' }],
    },
    {
      given: 'null in the cluster where something belongs',
      live: { a: null, b: null },
      desired: { a: { c: 1 }, b: ['x'] },
      found: [
        { path: 'a', live: null, desired: { c: 1 } },
        { path: 'b', live: null, desired: ['x'] },
      ],
    },
  ])('tells $given', ({ live, desired, found }) => {
    expect(differences(live, desired).map(reportedDifference)).toEqual(found);
  });
});

describe('the way to a difference', () => {
  it('knows fields, keys and places apart', () => {
    const live = { spec: { containers: [{ name: 'int', args: ['a'] }], ports: [{ port: 80, targetPort: 1 }] } };
    const desired = {
      spec: { containers: [{ name: 'int', args: ['b'] }], ports: [{ port: 80, name: 'x', targetPort: 2 }] },
    };
    const [first, ...others] = differences(live, desired).map(({ steps }) => steps);
    expect(first).toEqual(['spec', 'containers', { key: 'name', value: 'int' }, 'args', { index: 0 }]);
    expect(others.at(-1)).toEqual(['spec', 'ports', { key: 'port', value: 80 }, 'targetPort']);
  });

  it.each<{ steps: readonly Step[]; text: string }>([
    { steps: [], text: '' },
    { steps: ['spec'], text: 'spec' },
    { steps: ['spec', 'replicas'], text: 'spec.replicas' },
    { steps: ['args', { index: 0 }], text: 'args[0]' },
    { steps: ['env', { key: 'name', value: 'A' }, 'value'], text: 'env[A].value' },
  ])('reads $text', ({ steps, text }) => {
    expect(pathText(steps)).toBe(text);
  });

  it('is not told to people', () => {
    expect(reportedDifference({ path: 'a', steps: ['a'], desired: 1 })).toEqual({ path: 'a', desired: 1 });
  });
});

describe('the key of a list', () => {
  it.each([
    { given: 'containers', items: [{ name: 'a', image: 'x' }], key: 'name' },
    { given: 'mounts, as Kubernetes has it', items: [{ name: 'v', mountPath: '/a' }], key: 'mountPath' },
    { given: 'ports of a container', items: [{ name: 'http', containerPort: 80 }], key: 'containerPort' },
    { given: 'ports of a Service', items: [{ name: 'http', port: 80 }], key: 'port' },
    { given: 'files of a volume', items: [{ key: 'a', path: 'b' }], key: 'path' },
    { given: 'items of which one has none', items: [{ name: 'a' }, {}], key: undefined },
    { given: 'items of one name', items: [{ name: 'a' }, { name: 'a' }], key: undefined },
    { given: 'no items', items: [], key: undefined },
    { given: 'texts', items: ['a', 'b'], key: undefined },
    { given: 'lists', items: [['a']], key: undefined },
  ])('of $given is $key', ({ items, key }) => {
    expect(listKey(items)).toBe(key);
  });
});

describe('keyed lists', () => {
  it('are compared in linear time: the key of each live item is read once', () => {
    let reads = 0;
    const env = (value: string) => Array.from({ length: 1_000 }, (_, at) => ({ name: `E${at}`, value }));
    const live = env('old').map(({ name, value }) => ({
      value,
      get name() {
        reads += 1;
        return name;
      },
    }));
    expect(differences({ env: live }, { env: env('new') })).toHaveLength(1_000);
    expect(reads).toBeLessThan(10_000);
  });
});
