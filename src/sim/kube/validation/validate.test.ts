import { describe, expect, it } from 'vitest';
import { setDefaults } from '../defaults.ts';
import { normalize } from '../normalize.ts';
import type { Fields, KubeObject } from '../objects.ts';
import { RESOURCES, type Resource } from '../resources.ts';
import { ApiError } from '../status.ts';
import { validateCreate, validateUpdate } from './validate.ts';

function resourceOf(kind: string): Resource {
  return RESOURCES.find((resource) => resource.kind === kind) as Resource;
}

function object(kind: string, value: Fields): KubeObject {
  const { apiVersion, type } = resourceOf(kind);
  const { metadata = {}, ...rest } = value;
  const made = {
    kind,
    apiVersion,
    ...(normalize({ metadata: { name: 'x', ...(metadata as Fields) }, ...rest }, type) as Fields),
  } as KubeObject;
  setDefaults(made);
  return made;
}

/** `field: what is wrong` of each error. */
function problems(work: () => void): string[] {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([error.code, error.status.reason]).toEqual([422, 'Invalid']);
    return (error.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  }
}

const CONTAINER = { name: 'c', image: 'i:1' };

function workload(pod: Fields = {}, spec: Fields = {}, labels: Fields = { a: '1' }): Fields {
  return {
    spec: {
      selector: { matchLabels: { a: '1' } },
      template: { metadata: { labels }, spec: { containers: [CONTAINER], ...pod } },
      ...spec,
    },
  };
}

const AT = 'spec.template.spec.containers[0]';

describe('a deployment cannot be created', () => {
  it.each([
    {
      with: 'no selector',
      value: workload({}, { selector: undefined }),
      says: [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: {"a":"1"}: `selector` does not match template `labels`',
      ],
    },
    {
      with: 'a selector of other pods',
      value: workload({}, {}, { a: '2' }),
      says: ['spec.template.metadata.labels: Invalid value: {"a":"2"}: `selector` does not match template `labels`'],
    },
    {
      with: 'an empty selector',
      value: workload({}, { selector: {} }),
      says: ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    },
    {
      with: 'no containers',
      value: workload({ containers: [] }),
      says: ['spec.template.spec.containers: Required value'],
    },
    {
      with: 'a container without a name',
      value: workload({ containers: [{ image: 'i' }] }),
      says: [`${AT}.name: Required value`],
    },
    {
      with: 'a container without an image',
      value: workload({ containers: [{ name: 'c' }] }),
      says: [`${AT}.image: Required value`],
    },
    {
      with: 'two containers of a name',
      value: workload({ containers: [CONTAINER, CONTAINER] }),
      says: ['spec.template.spec.containers[1].name: Duplicate value: "c"'],
    },
    {
      with: 'a restart policy of jobs',
      value: workload({ restartPolicy: 'Never' }),
      says: ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    },
    {
      with: 'a pull policy that is none',
      value: workload({ containers: [{ ...CONTAINER, imagePullPolicy: 'X' }] }),
      says: [`${AT}.imagePullPolicy: Unsupported value: "X": supported values: "Always", "IfNotPresent", "Never"`],
    },
    {
      with: 'a mount of no volume',
      value: workload({ containers: [{ ...CONTAINER, volumeMounts: [{ name: 'v', mountPath: '/x' }] }] }),
      says: [`${AT}.volumeMounts[0].name: Not found: "v"`],
    },
    {
      with: 'a volume of two kinds',
      value: workload({ volumes: [{ name: 'v', emptyDir: {}, configMap: { name: 'x' } }] }),
      says: ['spec.template.spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type'],
    },
    {
      with: 'a port that is none',
      value: workload({ containers: [{ ...CONTAINER, ports: [{ containerPort: 70_000 }] }] }),
      says: [`${AT}.ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`],
    },
    {
      with: 'requests above limits',
      value: workload({ containers: [{ ...CONTAINER, resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } }] }),
      says: [`${AT}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`],
    },
    {
      with: 'a value and a source of it',
      value: workload({
        containers: [{ ...CONTAINER, env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'y' } } }] }],
      }),
      says: [`${AT}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`],
    },
    {
      with: 'a probe of nothing',
      value: workload({ containers: [{ ...CONTAINER, livenessProbe: {} }] }),
      says: [`${AT}.livenessProbe: Required value: must specify a handler type`],
    },
    {
      with: 'fewer than no replicas',
      value: workload({}, { replicas: -1 }),
      says: ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    },
    {
      with: 'a rolling update that recreates',
      value: workload({}, { strategy: { type: 'Recreate', rollingUpdate: {} } }),
      says: ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    },
    {
      with: 'a rollout that cannot move',
      value: workload({}, { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      says: ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
    },
  ])('with $with', ({ value, says }) => {
    expect(problems(() => validateCreate(resourceOf('Deployment'), object('Deployment', value)))).toEqual(says);
  });
});

const NAME = /^metadata\.name: Invalid value: /;

describe('a name', () => {
  it.each([
    { kind: 'ConfigMap', name: 'a.b-c', valid: true },
    { kind: 'ConfigMap', name: 'A', valid: false },
    { kind: 'ConfigMap', name: 'x'.repeat(254), valid: false },
    { kind: 'Namespace', name: 'a.b', valid: false },
    { kind: 'Service', name: '9a', valid: false },
    { kind: 'Service', name: 'a9', valid: true },
    { kind: 'CronJob', name: 'x'.repeat(53), valid: false },
  ])('"$name" of a $kind: $valid', ({ kind, name, valid }) => {
    const value = { metadata: { name }, ...(kind === 'Service' ? { spec: { ports: [{ port: 1 }] } } : {}) };
    const found = problems(() => validateCreate(resourceOf(kind), object(kind, value)));
    expect(found.some((problem) => NAME.test(problem))).toBe(!valid);
  });

  it('that is missing is required', () => {
    const found = problems(() =>
      validateCreate(resourceOf('ConfigMap'), object('ConfigMap', { metadata: { name: '' } })),
    );
    expect(found).toEqual(['metadata.name: Required value: name or generateName is required']);
  });
});

describe('metadata', () => {
  it.each([
    { labels: { a: 'b', 'x.io/y': '' }, count: 0 },
    { labels: { 'a b': 'c' }, count: 1 },
    { labels: { a: 'b c' }, count: 1 },
    { labels: { 'a/b/c': 'd' }, count: 1 },
    { labels: { a: 'x'.repeat(64) }, count: 1 },
  ])('with labels $labels has $count problems', ({ labels, count }) => {
    expect(
      problems(() => validateCreate(resourceOf('ConfigMap'), object('ConfigMap', { metadata: { labels } }))),
    ).toHaveLength(count);
  });

  it('with a finalizer that names no domain is refused', () => {
    const found = problems(() =>
      validateCreate(resourceOf('ConfigMap'), object('ConfigMap', { metadata: { finalizers: ['x'] } })),
    );
    expect(found).toEqual([
      'metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });
});

describe('other kinds cannot be created', () => {
  const job = (restartPolicy: string): Fields => ({
    spec: { template: { spec: { containers: [CONTAINER], restartPolicy } } },
  });
  it.each([
    {
      kind: 'CronJob',
      with: 'no schedule',
      value: { spec: { jobTemplate: job('Never') } },
      says: ['spec.schedule: Required value'],
    },
    {
      kind: 'CronJob',
      with: 'pods that are restarted',
      value: { spec: { schedule: '@daily', jobTemplate: job('Always') } },
      says: ['spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    },
    {
      kind: 'CronJob',
      with: 'a time zone that is none',
      value: { spec: { schedule: '@daily', timeZone: 'No/Where', jobTemplate: job('Never') } },
      says: ['spec.timeZone: Invalid value: "No/Where": unknown time zone No/Where'],
    },
    {
      kind: 'CronJob',
      with: 'too few parts',
      value: { spec: { schedule: '* * *', jobTemplate: job('Never') } },
      says: ['spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]'],
    },
    {
      kind: 'ConfigMap',
      with: 'a key that is none',
      value: { data: { '..': 'x' } },
      says: ['data[..]: Invalid value: "..": must not be \'..\''],
    },
    {
      kind: 'Secret',
      with: 'a certificate without its key',
      value: { type: 'kubernetes.io/tls', data: { 'tls.crt': 'eA==' } },
      says: ['data[tls.key]: Required value'],
    },
    { kind: 'Service', with: 'no ports', value: { spec: {} }, says: ['spec.ports: Required value'] },
    {
      kind: 'Service',
      with: 'two ports without names',
      value: { spec: { ports: [{ port: 1 }, { port: 2 }] } },
      says: ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
    },
    {
      kind: 'Lease',
      with: 'no duration',
      value: { spec: { leaseDurationSeconds: 0 } },
      says: ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
    },
  ])('$kind with $with', ({ kind, value, says }) => {
    expect(problems(() => validateCreate(resourceOf(kind), object(kind, value)))).toEqual(says);
  });
});

describe('what cannot be changed', () => {
  const set = (more: Fields): KubeObject => object('StatefulSet', workload({}, { serviceName: 's', ...more }));
  it.each([
    {
      what: 'the selector of a deployment',
      before: object('Deployment', workload()),
      after: object('Deployment', workload({}, { selector: { matchLabels: { b: '1' } } }, { a: '1', b: '1' })),
      says: ['spec.selector: Invalid value: {"matchLabels":{"b":"1"}}: field is immutable'],
    },
    {
      what: 'the service of a stateful set',
      before: set({}),
      after: set({ serviceName: 't' }),
      says: [
        "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ],
    },
    {
      what: 'the type of a secret',
      before: object('Secret', {}),
      after: object('Secret', { type: 'x' }),
      says: ['type: Invalid value: "x": field is immutable'],
    },
    {
      what: 'a config map that is immutable',
      before: object('ConfigMap', { immutable: true, data: { a: '1' } }),
      after: object('ConfigMap', { immutable: true, data: { a: '2' } }),
      says: ['data: Forbidden: field is immutable when `immutable` is set'],
    },
    {
      what: 'the uid',
      before: object('ConfigMap', { metadata: { uid: 'a' } }),
      after: object('ConfigMap', { metadata: { uid: 'b' } }),
      says: ['metadata.uid: Invalid value: "b": field is immutable'],
    },
  ])('is $what', ({ before, after, says }) => {
    expect(problems(() => validateUpdate(resourceOf(before.kind), after, before, ''))).toEqual(says);
  });

  it('is little enough of a stateful set', () => {
    expect(
      problems(() => validateUpdate(resourceOf('StatefulSet'), set({ replicas: 5, minReadySeconds: 3 }), set({}), '')),
    ).toEqual([]);
  });
});
