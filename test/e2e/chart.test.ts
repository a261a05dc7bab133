import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ALL_COMPONENTS,
  CONSOLE_VALUES,
  chartText,
  helm,
  INSTALL_CHART,
  LEAST_VALUES,
  ON_DEMAND,
} from '../support/install-chart.ts';
import { OPERATOR_CRDS } from '../support/operator-crds.ts';
import { REAL_KUBE_TIMEOUT_MS, type RealKube, skipRealKube, startRealKube } from '../support/real-kube.ts';
import { until } from '../support/until.ts';

const NAMESPACE = 'here';

/** Every switch alone, all of them, and none. */
const SWITCHES: readonly { readonly on: string; readonly values: object }[] = [
  { on: 'nothing but the manager', values: LEAST_VALUES },
  { on: 'nothing at all', values: { ...LEAST_VALUES, manager: { enabled: false } } },
  { on: 'a manager of two namespaces', values: { ...LEAST_VALUES, manager: { namespaces: ['one', 'two'] } } },
  { on: 'a manager without the ClusterRole', values: { ...LEAST_VALUES, manager: { clusterRole: false } } },
  ...(['upgradeScheduler', 'gateApprover', 'console'] as const).map((key) => ({
    on: `only ${key}`,
    values: { ...ALL_COMPONENTS, ...only(key) },
  })),
  ...Object.entries(ON_DEMAND).map(([key, value]) => ({ on: key, values: { ...ALL_COMPONENTS, [key]: value } })),
  {
    on: 'Secrets made from values, TLS, a claim for the history and all scheduling fields',
    values: {
      ...ALL_COMPONENTS,
      config: { toml: '[graphql]\nserver = "https://q"\n' },
      upgrades: { config: { environments: [] }, files: { 'client-secret': 'x' } },
      state: { existingClaim: 'history', existingSecret: 'aws' },
      imagePullSecrets: [{ name: 'pull' }],
      manager: {
        ...{ nodeSelector: { a: 'b' }, tolerations: [{ operator: 'Exists' }], priorityClassName: '' },
        ...{ podLabels: { team: 'x' }, podAnnotations: { note: '1' }, parameters: { DRY_RUN: '--no-dry-run' } },
        ...{ extraEnv: [{ name: 'A', value: 'b' }], extraEnvFrom: [{ configMapRef: { name: 'more' } }] },
        ...{ extraVolumes: [{ name: 'x', emptyDir: {} }], extraVolumeMounts: [{ name: 'x', mountPath: '/x' }] },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} },
        ],
        affinity: { nodeAffinity: {} },
      },
      console: { ...CONSOLE_VALUES, token: { value: '0123456789abcdef' }, tls: { existingSecret: 'tls' } },
    },
  },
  {
    on: 'a ConfigMap for the history',
    values: { ...ALL_COMPONENTS, state: { location: 'configmap:history' } },
  },
  { on: 'everything', values: { ...ALL_COMPONENTS, ...ON_DEMAND } },
];

function only(enabled: string): object {
  const off = Object.fromEntries(
    ['manager', 'upgradeScheduler', 'gateApprover', 'console'].map((key) => [key, { enabled: false }]),
  );
  return { ...off, [enabled]: enabled === 'console' ? CONSOLE_VALUES : { enabled: true } };
}

describe.skipIf(skipRealKube)('the chart on a real API server', () => {
  let kube: RealKube;

  beforeAll(async () => {
    kube = await startRealKube({ controllerManager: false, audit: false });
    const warned = { 'pod-security.kubernetes.io/warn': 'restricted' };
    for (const name of [NAMESPACE, 'one', 'two'])
      expect((await kube.admin('POST', '/api/v1/namespaces', { metadata: { name, labels: warned } })).status).toBe(201);
    for (const crd of OPERATOR_CRDS)
      expect((await kube.admin('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd)).status).toBe(
        201,
      );
    const served = async (plural: string): Promise<boolean> =>
      (await kube.admin('GET', `/apis/monitoring.coreos.com/v1/namespaces/${NAMESPACE}/${plural}`)).status === 200;
    const both = async (): Promise<boolean> => (await served('servicemonitors')) && (await served('prometheusrules'));
    await until(both, { timeoutSeconds: 60, what: 'the resources of the operator are served' });
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => kube?.close());

  /** `kubectl apply --dry-run=server` of a text; warnings of the server are on standard error. */
  async function dryRun(text: string): Promise<{ stdout: string; stderr: string }> {
    const kubeconfig = kube.kubeconfig();
    const args = ['apply', '--dry-run=server', '-f', '-', '--kubeconfig', kubeconfig];
    // It keeps what it discovered below its home.
    const env = { HOME: dirname(kubeconfig) };
    const running = promisify(execFile)(kube.binaries.kubectl ?? 'kubectl', args, { env });
    running.child.stdin?.end(text);
    return running;
  }

  it.each(SWITCHES)('is accepted with $on', async ({ on, values }) => {
    const lint = await helm(['lint', '--strict', '--quiet', INSTALL_CHART], values);
    expect(lint).toMatchObject({ code: 0, stdout: '' });
    const text = await chartText(values, { namespace: NAMESPACE });
    if (on === 'nothing at all') return expect(text.trim()).toBe('');
    const { stdout, stderr } = await dryRun(text);
    expect(stderr).toBe('');
    const objects = text.split('\n').filter((line) => line.startsWith('kind:'));
    expect(stdout.trim().split('\n')).toHaveLength(objects.length);
  });

  it('would be warned about a pod that is not restricted, and refused a field that does not exist', async () => {
    const text = await chartText(LEAST_VALUES, { namespace: NAMESPACE });
    const { stderr } = await dryRun(text.replaceAll('runAsNonRoot: true', 'runAsNonRoot: false'));
    expect(stderr).toContain('would violate PodSecurity "restricted');
    await expect(dryRun(text.replaceAll('periodSeconds', 'periodSecond'))).rejects.toThrow('unknown field');
  });
});
