import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KubeClient, kubeClient, tokenConnection } from '../../src/clients/kube/index.ts';
import type { KubeObject } from '../../src/manager/desired/desired-namespace.ts';
import type { FleetPlan, ItemResult } from '../../src/manager/index.ts';
import { executePlan } from '../../src/manager/plan/execute.ts';
import { planFleet } from '../../src/manager/plan/fleet-plan.ts';
import { observe } from '../../src/manager/plan/observe.ts';
import { type SimKube, startSimKube } from '../../src/sim/index.ts';

const TOKEN = 'token-of-the-manager';
let sim: SimKube;
let client: KubeClient;
beforeAll(async () => {
  sim = await startSimKube({ token: TOKEN, anyNamespace: true, controllers: false });
  client = kubeClient(tokenConnection({ name: 'sim', server: sim.url, token: async () => TOKEN }), {
    sleep: async () => {},
  });
});
afterAll(async () => {
  client?.close();
  await sim?.close();
});

interface Parts {
  readonly container?: object;
  readonly pod?: object;
  readonly spec?: object;
  readonly metadata?: object;
}

function deployment({ container, pod, spec, metadata }: Parts): KubeObject {
  const labels = { app: 'a' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', ...metadata },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...pod, containers: [{ name: 'int', image: 'a', ...container }] } },
      ...spec,
    },
  };
}

const service = (spec: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a' },
  spec: { selector: { app: 'a' }, ...spec },
});

const cronJob = (spec: object, job: object = {}): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'a' },
  spec: {
    schedule: '* * * * *',
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'int', image: 'a' }] } }, ...job },
    },
    ...spec,
  },
});

async function pass(namespace: string, object: KubeObject): Promise<{ plan: FleetPlan; results: ItemResult[] }> {
  const placed = { ...object, metadata: { ...object.metadata, namespace } };
  const desired = { cluster: 'sim', namespace, file: '', environment: 'e', objects: [placed] };
  const live = await observe([{ cluster: 'sim', namespaces: [namespace] }], async () => client);
  const plan = planFleet([desired], live, { revision: 'r', scope: {}, caller: 'me', instance: 'odd' });
  const results = await executePlan(plan, { connect: async () => client, sleep: async () => {} });
  return { plan, results };
}

const EMPTY_DIR = [{ name: 'v', emptyDir: {} }];
const PROBE = { httpGet: { path: '/', port: 1 } };

describe('S4: a chart may write nothing in many ways, and a server gives it back in others', () => {
  it.each<{ given: string; object: KubeObject }>([
    {
      given: 'a delay of zero',
      object: deployment({ container: { livenessProbe: { ...PROBE, initialDelaySeconds: 0 } } }),
    },
    { given: 'a period of zero', object: deployment({ container: { livenessProbe: { ...PROBE, periodSeconds: 0 } } }) },
    {
      given: 'thresholds of zero',
      object: deployment({ container: { livenessProbe: { ...PROBE, failureThreshold: 0, timeoutSeconds: 0 } } }),
    },
    { given: 'zeros of a Deployment', object: deployment({ spec: { minReadySeconds: 0, paused: false } }) },
    {
      given: 'networks that are off',
      object: deployment({ pod: { hostNetwork: false, hostPID: false, hostIPC: false } }),
    },
    {
      given: 'terminals that are off',
      object: deployment({ container: { tty: false, stdin: false, stdinOnce: false } }),
    },
    {
      given: 'a mount that is not read-only',
      object: deployment({
        pod: { volumes: EMPTY_DIR },
        container: { volumeMounts: [{ name: 'v', mountPath: '/a', readOnly: false }] },
      }),
    },
    {
      given: 'a volume that is mounted twice',
      object: deployment({
        pod: { volumes: EMPTY_DIR },
        container: {
          volumeMounts: [
            { name: 'v', mountPath: '/b' },
            { name: 'v', mountPath: '/a' },
          ],
        },
      }),
    },
    {
      given: 'a port for two protocols',
      object: deployment({
        container: {
          ports: [
            { containerPort: 53, hostPort: 0 },
            { containerPort: 53, protocol: 'UDP' },
          ],
        },
      }),
    },
    {
      given: 'a size of a volume',
      object: deployment({ pod: { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1024Mi' } }] } }),
    },
    {
      given: 'a part of a quantity',
      object: deployment({
        container: {
          env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1000m' } } }],
        },
      }),
    },
    {
      given: 'a number for a quantity',
      object: deployment({ container: { resources: { limits: { cpu: 1, memory: '0.5Gi' } } } }),
    },
    {
      given: 'null',
      object: deployment({
        pod: { nodeSelector: null, tolerations: null, terminationGracePeriodSeconds: null },
        container: { resources: null, env: null, args: null },
        metadata: { creationTimestamp: null },
      }),
    },
    {
      given: 'empty texts',
      object: deployment({
        pod: { dnsPolicy: '', serviceAccountName: '' },
        container: { imagePullPolicy: '', env: [{ name: 'A', value: '' }] },
      }),
    },
    {
      given: 'empty lists',
      object: deployment({ pod: { tolerations: [], volumes: [] }, container: { env: [], args: [], ports: [] } }),
    },
    {
      given: 'empty mappings',
      object: deployment({
        pod: { nodeSelector: {}, securityContext: {}, affinity: {} },
        container: { resources: {} },
      }),
    },
    {
      given: 'switches that are off and kept',
      object: deployment({
        pod: { automountServiceAccountToken: false, enableServiceLinks: false },
        container: { securityContext: { allowPrivilegeEscalation: false, runAsUser: 0 } },
      }),
    },
    {
      given: 'ports of a Service',
      object: service({
        ports: [
          { name: 'b', port: 53, protocol: 'UDP' },
          { name: 'a', port: 53, targetPort: 53, nodePort: 0 },
        ],
        publishNotReadyAddresses: false,
        sessionAffinity: '',
      }),
    },
    {
      given: 'zeros of a CronJob',
      object: cronJob(
        { startingDeadlineSeconds: 0, suspend: false, concurrencyPolicy: '' },
        { ttlSecondsAfterFinished: 0, backoffLimit: 0 },
      ),
    },
  ])('$given', async ({ given, object }) => {
    const namespace = given.replaceAll(/[^a-z]+/gi, '-').toLowerCase();
    const first = await pass(namespace, object);
    expect(first.results.map(({ outcome, error }) => error?.message ?? outcome)).toEqual(['done']);
    sim.clearRequests();
    const second = await pass(namespace, object);
    expect(second.plan.items).toMatchObject([{ action: 'keep' }]);
    expect(sim.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
