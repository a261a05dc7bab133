import { describe, expect, it } from 'vitest';
import { isLatest, setDefaults } from './defaults.ts';
import { normalize } from './normalize.ts';
import { type Fields, fieldsAt, type KubeObject, listAt, valueAt } from './objects.ts';
import { RESOURCES, type Resource } from './resources.ts';

function defaulted(kind: string, value: Fields): KubeObject {
  const resource = RESOURCES.find((each) => each.kind === kind) as Resource;
  const object = {
    kind,
    apiVersion: resource.apiVersion,
    ...(normalize(value, resource.type) as Fields),
  } as KubeObject;
  setDefaults(object);
  return object;
}

const POD = { containers: [{ name: 'c', image: 'img:1', ports: [{ containerPort: 80 }] }] };

const FILLED_POD = {
  containers: [
    {
      name: 'c',
      image: 'img:1',
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      ports: [{ containerPort: 80, protocol: 'TCP' }],
      resources: {},
    },
  ],
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
};

describe('a server fills in', () => {
  it('the spec of a deployment', () => {
    expect(fieldsAt(defaulted('Deployment', { spec: { template: { spec: POD } } }), 'spec')).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      template: { spec: FILLED_POD },
    });
  });

  it('no rolling update for a deployment that recreates', () => {
    const object = defaulted('Deployment', { spec: { strategy: { type: 'Recreate' } } });
    expect(valueAt(object, 'spec', 'strategy')).toEqual({ type: 'Recreate' });
  });

  it('the spec of a stateful set', () => {
    expect(fieldsAt(defaulted('StatefulSet', { spec: { template: { spec: POD } } }), 'spec')).toMatchObject({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      template: { spec: FILLED_POD },
    });
  });

  it('the spec of a cron job, and only the pod of its jobs', () => {
    const object = defaulted('CronJob', {
      spec: { schedule: '@daily', jobTemplate: { spec: { template: { spec: POD } } } },
    });
    expect(fieldsAt(object, 'spec')).toEqual({
      schedule: '@daily',
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: { metadata: {}, spec: { template: { metadata: {}, spec: FILLED_POD } } },
    });
  });

  it('the ports of a service', () => {
    const object = defaulted('Service', {
      spec: { ports: [{ port: 80 }, { port: 81, targetPort: 'http', protocol: 'UDP' }] },
    });
    expect(fieldsAt(object, 'spec')).toEqual({
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ports: [
        { port: 80, protocol: 'TCP', targetPort: 80 },
        { port: 81, protocol: 'UDP', targetPort: 'http' },
      ],
    });
  });

  it.each([
    { source: { secret: { secretName: 's' } }, filled: { secret: { secretName: 's', defaultMode: 0o644 } } },
    { source: { configMap: { name: 's' } }, filled: { configMap: { name: 's', defaultMode: 0o644 } } },
    { source: { hostPath: { path: '/' } }, filled: { hostPath: { path: '/', type: '' } } },
    { source: {}, filled: { emptyDir: {} } },
  ])('a volume of $source', ({ source, filled }) => {
    const object = defaulted('Pod', { spec: { ...POD, volumes: [{ name: 'v', ...source }] } });
    expect(listAt(object, 'spec', 'volumes')).toEqual([{ name: 'v', ...filled }]);
  });

  it('a probe', () => {
    const object = defaulted('Pod', {
      spec: { containers: [{ name: 'c', livenessProbe: { httpGet: { port: 80 } } }] },
    });
    expect(listAt(object, 'spec', 'containers')[0]).toMatchObject({
      livenessProbe: {
        httpGet: { port: 80, path: '/', scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
    });
  });

  it('requests of a pod from its limits, but not those of a template', () => {
    const limited = { containers: [{ name: 'c', resources: { limits: { cpu: '1' } } }] };
    const resources = (object: KubeObject, ...path: string[]): unknown =>
      valueAt(listAt(object, ...path)[0], 'resources', 'requests');
    expect(resources(defaulted('Pod', { spec: limited }), 'spec', 'containers')).toEqual({ cpu: '1' });
    const template = defaulted('Deployment', { spec: { template: { spec: limited } } });
    expect(resources(template, 'spec', 'template', 'spec', 'containers')).toBeUndefined();
  });

  it.each([
    { kind: 'Secret', given: {}, filled: { type: 'Opaque' } },
    {
      kind: 'Namespace',
      given: { metadata: { name: 'x' } },
      filled: { metadata: { name: 'x', labels: { 'kubernetes.io/metadata.name': 'x' } }, status: { phase: 'Active' } },
    },
    {
      kind: 'Job',
      given: { spec: { template: { spec: POD } } },
      filled: {
        spec: { completions: 1, parallelism: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false },
      },
    },
    { kind: 'ConfigMap', given: { data: {} }, filled: { metadata: {} } },
  ])('a $kind', ({ kind, given, filled }) => {
    expect(defaulted(kind, given)).toMatchObject(filled);
  });
});

describe('an image is the latest', () => {
  it.each([
    ['img', true],
    ['img:latest', true],
    ['quay.io:5000/a/img', true],
    ['img:1', false],
    ['img@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', false],
    [' img', false],
    ['', false],
  ])('"%s": %s', (image, latest) => {
    expect(isLatest(image)).toBe(latest);
  });
});
