import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import type { Instant } from '../../gates/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { type JobRun, shadowJob } from './shadow-jobs.ts';
import { SHADOW_LABEL } from './shadow-labels.ts';

const RUN: JobRun = {
  ...{ run: 'abc123', owner: 'me', integration: 'terraform-resources', shard: 'payments', namespace: 'fleet' },
  ...{ deadlineSeconds: 900, at: 1_794_812_460_000_000 as Instant },
};
const LABELS = { app: 'qontract-reconcile-x', shard: 'payments', component: 'qontract-reconcile' };
const env = (values: Readonly<Record<string, string>>): object[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

function workload(container: object = {}, pod: object = {}, spec: object = {}): KubeObject {
  const own = { name: 'int', image: 'quay.io/o/r:1', volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }], ...container };
  const template = {
    metadata: { labels: LABELS, annotations: { 'prometheus.io/scrape': 'true' } },
    spec: { containers: [own], volumes: [{ name: 'tmp', emptyDir: {} }], ...pod },
  };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', namespace: 'fleet' } },
    spec: { replicas: 1, selector: { matchLabels: { app: LABELS.app } }, template, ...spec },
  };
}

interface MadeJob {
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
  readonly spec: {
    readonly template: {
      readonly metadata: object;
      readonly spec: {
        readonly containers: { readonly image: string; readonly env: { name: string; value: string }[] }[];
        readonly volumes: object[];
        readonly initContainers?: { readonly name: string }[];
        readonly [field: string]: unknown;
      };
    };
    readonly [field: string]: unknown;
  };
}

function made(object: KubeObject, objects: readonly KubeObject[] = [], side: 'baseline' | 'candidate' = 'candidate') {
  return shadowJob(side, { workload: object, image: 'quay.io/o/r:2' }, RUN, objects) as unknown as MadeJob;
}

const variables = (job: MadeJob): Record<string, string> =>
  Object.fromEntries((job.spec.template.spec.containers[0]?.env ?? []).map(({ name, value }) => [name, value]));

describe('the Job of a shadow', () => {
  it('runs once, ends by itself and goes by itself', () => {
    const { spec } = made(workload({}, { restartPolicy: 'Always', nodeName: 'n', activeDeadlineSeconds: 5 }));
    expect(spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 900, ttlSecondsAfterFinished: 3_600 });
    expect(spec.template.spec['restartPolicy']).toBe('Never');
    expect(Object.keys(spec.template.spec)).not.toEqual(expect.arrayContaining(['nodeName', 'activeDeadlineSeconds']));
  });

  it('has the labels of a shadow and no others, on the Job and on its pods', () => {
    const job = made(workload());
    const labels = { [SHADOW_LABEL.run]: 'abc123', [SHADOW_LABEL.owner]: 'me', [SHADOW_LABEL.side]: 'candidate' };
    expect(job.metadata).toMatchObject({ name: 'echelon-shadow-abc123-candidate', labels });
    expect(job.spec.template.metadata).toEqual({ labels });
  });

  it('runs the image, also where variables name it', () => {
    const job = made(workload({ env: env({ IMAGE_TAG: '1', INTEGRATION_NAME: 'x' }) }));
    expect(job.spec.template.spec.containers).toMatchObject([{ name: 'int', image: 'quay.io/o/r:2' }]);
    expect(variables(job)).toMatchObject({ IMAGE_TAG: '2', INTEGRATION_NAME: 'x' });
  });

  it.each([
    ['set to a real run', env({ DRY_RUN: '--no-dry-run', RUN_ONCE: '', MANAGER_DRY_RUN: '--no-dry-run' })],
    ['set twice', [...env({ DRY_RUN: '--dry-run' }), ...env({ DRY_RUN: '--no-dry-run' })]],
    ['from a secret', [{ name: 'DRY_RUN', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }]],
    ['not set', []],
  ])('is a dry run that ends, with DRY_RUN %s', (_, given) => {
    const job = made(workload({ env: given }));
    const set = job.spec.template.spec.containers[0]?.env.filter(({ name }) => /DRY_RUN|RUN_ONCE/.test(name));
    expect(set).toEqual(env({ DRY_RUN: '--dry-run', MANAGER_DRY_RUN: '--dry-run', RUN_ONCE: 'true' }));
  });

  it('pushes no metrics, reports no errors and writes no log that is shipped', () => {
    const given = { PUSHGATEWAY_ENABLED: 'true', PUSHGATEWAY_URL: 'u', SENTRY_DSN: 'd', SENTRY_EVENT_LEVEL: 'e' };
    const job = made(workload({ env: env({ ...given, LOG_FILE: '/l', UNLEASH_API_URL: 'kept' }) }));
    const set = Object.entries(variables(job)).filter(
      ([name, value]) => value !== '' && name in { ...given, LOG_FILE: '' },
    );
    expect([set, variables(job)['UNLEASH_API_URL']]).toEqual([[], 'kept']);
  });

  it('empties what a whole ConfigMap may bring', () => {
    const job = made(workload({ envFrom: [{ configMapRef: { name: 'all' } }] }));
    expect(variables(job)).toMatchObject({ PUSHGATEWAY_ENABLED: '', SENTRY_DSN: '' });
  });

  it.each([
    ['--dry-run-job-suffix old', '--dry-run-job-suffix shadow-abc123-c'],
    ['--dry-run-job-suffix=old --x', '--dry-run-job-suffix shadow-abc123-c --x'],
    ["--account-name 'a b' --enable-extended-early-exit", "--account-name 'a b'"],
    ['--x   "a b"', "--x 'a b'"],
  ])('is started with arguments of its own: %s', (given, own) => {
    const job = made(workload({ env: env({ INTEGRATION_EXTRA_ARGS: given }) }));
    expect(variables(job)['INTEGRATION_EXTRA_ARGS']).toBe(own);
  });

  it.each([
    ['a command that need not read DRY_RUN', { command: ['my-integration'] }],
    ['a command that writes', { command: ['x', '--dry-run', '--no-dry-run'] }],
  ])('is refused for %s', (_, container) => {
    expect(() => made(workload(container))).toThrow(expect.objectContaining({ code: 'SHADOW_NOT_DRY' }));
  });

  it.each(['--no-dry-run', '--no-dry-run=1'])('is refused for the arguments %s', (given) => {
    const container = { env: env({ INTEGRATION_EXTRA_ARGS: given }) };
    expect(() => made(workload(container))).toThrow(expect.objectContaining({ code: 'SHADOW_REFUSED' }));
  });

  it('is not made of a pod without containers', () => {
    expect(() => made(workload({}, { containers: [] }))).toThrow(expect.objectContaining({ code: 'SHADOW_NOT_DRY' }));
  });

  it('has neither probes nor ports nor sidecars, nor what only a sidecar needs', () => {
    const probes = { livenessProbe: {}, readinessProbe: {}, startupProbe: {}, lifecycle: {}, ports: [{}] };
    const own = { name: 'int', image: 'i', volumeMounts: [{ name: 'certs', mountPath: '/c' }], ...probes };
    const job = made(
      workload(
        {},
        {
          containers: [own, { name: 'fluentd', image: 'f', volumeMounts: [{ name: 'conf', mountPath: '/f' }] }],
          initContainers: [
            { name: 'certificates', image: 'c', volumeMounts: [{ name: 'certs', mountPath: '/c' }] },
            { name: 'config', image: 'c', volumeMounts: [{ name: 'conf', mountPath: '/f' }] },
            { name: 'agent', image: 'c', restartPolicy: 'Always', volumeMounts: [{ name: 'certs', mountPath: '/c' }] },
          ],
          volumes: [
            { name: 'certs', emptyDir: {} },
            { name: 'conf', emptyDir: {} },
          ],
        },
      ),
    );
    const { containers, initContainers, volumes } = job.spec.template.spec;
    expect(Object.keys(containers[0] ?? {}).sort()).toEqual(['env', 'image', 'name', 'volumeMounts']);
    expect([containers.length, initContainers?.map(({ name }) => name)]).toEqual([1, ['certificates']]);
    expect(volumes).toEqual([{ name: 'certs', emptyDir: {} }]);
  });

  it('mounts no volume that the pods of the shard have', () => {
    const mounts = ['cache', 'data', 'host', 'config'].map((name) => ({ name, mountPath: `/${name}` }));
    const set = workload(
      { volumeMounts: mounts },
      {
        volumes: [
          { name: 'data', persistentVolumeClaim: { claimName: 'shared' } },
          { name: 'host', hostPath: { path: '/x' } },
          { name: 'config', secret: { secretName: 's' } },
          { name: 'other', emptyDir: {} },
        ],
      },
      { volumeClaimTemplates: [{ metadata: { name: 'cache' } }, { metadata: { name: 'unused' } }] },
    );
    expect(made({ ...set, kind: 'StatefulSet' }).spec.template.spec.volumes).toEqual([
      { name: 'data', emptyDir: {} },
      { name: 'host', emptyDir: {} },
      { name: 'config', secret: { secretName: 's' } },
      { name: 'cache', emptyDir: {} },
    ]);
  });

  it('is made of the pods of a CronJob, too', () => {
    const { spec } = workload();
    const job = { spec: { template: (spec as { template: object }).template } };
    const cron = { ...workload(), kind: 'CronJob', spec: { schedule: '* * * * *', jobTemplate: job } };
    expect(made(cron).spec.template.spec.containers).toMatchObject([{ image: 'quay.io/o/r:2' }]);
  });
});

describe('selectors of a namespace', () => {
  const object = (kind: string, selector: unknown): KubeObject => ({
    ...{ apiVersion: 'v1', kind, metadata: { name: 'other', namespace: 'fleet' }, spec: { selector } },
  });

  it.each([
    ['Deployment', {}],
    ['StatefulSet', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }],
    ['Deployment', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['x'] }] }],
    ['Deployment', { matchExpressions: [{ key: 'job-name', operator: 'Exists' }] }],
    ['Service', { [SHADOW_LABEL.owner]: 'me' }],
  ])('of a %s that would match the pods of a shadow: %j', (kind, selector) => {
    expect(() => made(workload(), [object(kind, selector)])).toThrow(
      expect.objectContaining({ code: 'SHADOW_SELECTED', message: expect.stringContaining(`${kind} other`) }),
    );
  });

  it.each([
    ['Service', {}],
    ['Service', undefined],
    ['Service', { component: 'qontract-reconcile' }],
    ['Deployment', { matchLabels: LABELS }],
    ['Deployment', { matchExpressions: [{ key: 'app', operator: 'In', values: ['x'] }] }],
    ['CronJob', undefined],
  ])('of a %s that do not: %j', (kind, selector) => {
    expect(made(workload(), [object(kind, selector)]).metadata.name).toContain('echelon-shadow');
  });

  it('that names any label of the shard never matches its shadow', () => {
    const key = fc.constantFrom(...Object.keys(LABELS), 'toString', '__proto__x');
    const map = fc.dictionary(key, fc.constantFrom(...Object.values(LABELS), ''), { minKeys: 1 });
    const row = fc.record({ key, operator: fc.constantFrom('In', 'Exists'), values: fc.array(fc.string()) });
    const selector = fc.oneof(
      map.map((matchLabels) => object('Deployment', { matchLabels })),
      fc.array(row, { minLength: 1 }).map((matchExpressions) => object('StatefulSet', { matchExpressions })),
      map.map((labels) => object('Service', labels)),
    );
    holds(
      fc.property(fc.array(selector), fc.constantFrom('baseline' as const, 'candidate' as const), (objects, side) => {
        expect(made(workload(), objects, side).metadata.labels).not.toHaveProperty('app');
      }),
    );
  });
});
