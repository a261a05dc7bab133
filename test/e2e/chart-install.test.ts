import { load } from 'js-yaml';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runningClock } from '../../src/sim/index.ts';
import { buildBundle, bundleText } from '../support/build-bundle.ts';
import { helm, INSTALL_CHART } from '../support/install-chart.ts';
import { type ManagerWorld, namesOf, pathOf, startManagerWorld } from '../support/manager-e2e.ts';
import { type PodProcess, startPod } from '../support/pod-process.ts';
import { type QontractServer, startQontractServer } from '../support/qontract-server.ts';
import { type KubeBody, REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { EXAMPLE_INSTANCE, GRAPHQL_SCHEMA, hasShared, SCHEMAS } from '../support/shared.ts';
import { until } from '../support/until.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { configText, SIM_SECRET, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

/** Where the release is, and where the integrations of its environment run. */
const OWN = 'reconcilers';
const FLEET = 'app-interface-stage';
const TOKEN = 'a-console-token-that-nobody-may-guess-0123456789';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GATE = 'api.openshift.com/gate-ocp';

/** One cluster that can be upgraded, and one before a gate. */
const CLUSTERS = upgradeFleet(
  [
    {
      id: 'org-1',
      clusters: [member('ready'), member('gated', { 'soak-days': 365 }, { version: '4.18.4', channel: 'stable-4.19' })],
    },
  ],
  {
    versions: { releases: ['4.18.1', '4.18.2', '4.18.4', '4.19.1'].map((version) => ({ version, at: 'day -40' })) },
    gates: [{ id: 'g-ocp', version: '4.19', label: GATE }],
  },
);

describe.skipIf(skipRealKube || !hasShared)('the chart, installed with all components', () => {
  let world: ManagerWorld;
  let server: QontractServer;
  let ocm: UpgradesCli;
  const pods: PodProcess[] = [];

  beforeAll(async () => {
    const bundle = buildBundle(EXAMPLE_INSTANCE, { schemasDir: SCHEMAS, graphqlFile: GRAPHQL_SCHEMA });
    [world, server, ocm] = await Promise.all([
      startManagerWorld(),
      startQontractServer({ bundle: bundleText(bundle) }),
      upgradesCli(CLUSTERS, { clock: runningClock() }),
    ]);
    for (const secret of [TOKEN, SIM_SECRET]) world.secret(secret);
    await world.kube.createNamespace(FLEET);
    await installed();
  }, REAL_KUBE_TIMEOUT_MS);
  afterEach(async () => {
    for (const pod of pods) pod.kill('SIGTERM');
    await Promise.all(pods.splice(0).map(({ ended }) => ended));
  });
  afterAll(async () => {
    await ocm?.dispose();
    await server?.close();
    await world?.close();
  });

  /** As the guide says. */
  async function installed(): Promise<void> {
    const { state: _, ...upgrades } = load(
      configText(ocm.sim).replaceAll('clientSecretEnv: OCM_SECRET', 'clientSecretFile: client-secret'),
    ) as Record<string, unknown>;
    const values = {
      image: { repository: 'example/echelon' },
      config: { toml: `[graphql]\nserver = "${server.url}/graphql"\n` },
      upgrades: { config: upgrades, files: { 'client-secret': SIM_SECRET } },
      state: { location: 'configmap:history' },
      manager: {
        dryRun: false,
        namespaces: [FLEET],
        environmentName: 'app-interface-stage',
        integrationImage: 'example/integrations',
      },
      upgradeScheduler: { enabled: true, dryRun: false },
      gateApprover: { enabled: true, dryRun: false },
      console: {
        ...{ enabled: true, token: { value: TOKEN }, tls: { atProxy: true } },
      },
    };
    const args = ['install', 'echelon', INSTALL_CHART, '-n', OWN, '--create-namespace'];
    const { code, stderr } = await helm([...args, '--kubeconfig', world.kube.kubeconfig()], values);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // A controller that is not part of this control plane publishes it in every namespace.
    const path = `/api/v1/namespaces/${OWN}/configmaps`;
    const body = { metadata: { name: 'kube-root-ca.crt' }, data: { 'ca.crt': world.kube.ca } };
    expect((await world.kube.harness('POST', path, body)).status).toBe(201);
  }

  async function started(component: string): Promise<PodProcess> {
    const pod = await startPod(world, OWN, `echelon-${component}`);
    pods.push(pod);
    await until(() => pod.url(), { timeoutSeconds: 60, what: `${component} listens` });
    return pod;
  }

  const accountOf = (component: string): string => `system:serviceaccount:${OWN}:echelon-${component}`;

  /** Which rights a component used since then; none may have been refused. */
  function used(mark: number, component: string): string[] {
    const own = world.kube.auditSince(mark).filter(({ user }) => user === accountOf(component));
    expect(own.filter(({ code }) => code === 403)).toEqual([]);
    return [...new Set(own.map(({ verb, resource }) => `${verb} ${resource}`))].sort();
  }

  /** A pass has succeeded; a pod that waits for the lease is ready, too. */
  const ready = (pod: PodProcess): Promise<unknown> =>
    until(async () => (await pod.get('/readyz')).text === 'ready\n', { timeoutSeconds: 60, what: 'a pass succeeds' });

  it('the manager converges the example instance, and the console shows its shards', async () => {
    const scope = [
      '--environment-name',
      'app-interface-stage',
      '--image',
      'example/integrations',
      '--data',
      server.url,
    ];
    const { stdout } = await world.run(['manager', 'render', ...scope, '-o', 'json']);
    const { items } = JSON.parse(stdout) as { items: { objects: KubeBody[] }[] };
    const names = namesOf(items.flatMap(({ objects }) => objects));
    expect(names.length).toBeGreaterThan(20);

    const before = world.mark();
    const manager = await started('manager');
    const there = async (): Promise<boolean> => (await world.objects(FLEET)).length >= names.length;
    await until(there, { timeoutSeconds: 60, what: `${names.length} objects exist` });
    expect(namesOf(await world.objects(FLEET))).toEqual(names);
    await ready(manager);
    expect(manager.stdout()).not.toMatch(/"level":"(?:warn|error)"/);
    expect(used(before, 'manager')).not.toContain('list pods');

    const mark = world.mark();
    const console = await started('console');
    const get = async (path: string, token?: string): Promise<Response> =>
      fetch(`${console.url()}${path}`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
    expect(await (await get('/healthz')).text()).toBe('ok\n');
    expect((await get('/shards.json')).status).toBe(401);
    expect((await get('/shards.json', `${TOKEN}x`)).status).toBe(401);
    interface Shards {
      readonly data: { readonly state: string };
      readonly items: readonly { readonly namespace: string; readonly state: string; readonly expected: string }[];
    }
    const shown = await until(
      async () => {
        const shards = (await (await get('/shards.json', TOKEN)).json()) as Shards;
        return shards.data.state === 'waiting' ? undefined : shards;
      },
      { timeoutSeconds: 60, what: 'the shards are known' },
    );
    expect(new Set(shown.items.map(({ namespace }) => namespace))).toEqual(new Set([FLEET]));
    expect(shown.items.filter(({ state }) => state === 'missing')).toEqual([]);
    const live = await world.objects(FLEET);
    const expected = new Set(shown.items.flatMap((shard) => shard.expected ?? []));
    expect(expected.size).toBeGreaterThan(0);
    expect([...expected].filter((image) => !image.startsWith('example/integrations:'))).toEqual([]);
    for (const image of expected) expect(JSON.stringify(live)).toContain(`"${image}"`);
    const clusters = async (): Promise<string[]> => {
      const { items: rows } = (await (await get('/clusters.json', TOKEN)).json()) as { items: { name: string }[] };
      return rows.map(({ name }) => name).sort();
    };
    await until(async () => (await clusters()).length > 0, { timeoutSeconds: 60, what: 'the clusters are known' });
    expect(await clusters()).toEqual(['gated', 'ready']);
    expect(used(mark, 'console')).toEqual([
      'get configmaps',
      ...['list cronjobs', 'list deployments', 'list pods', 'list replicasets', 'list statefulsets'],
    ]);
  });

  it('the scheduler upgrades and the approver acknowledges at the simulated OCM', async () => {
    const mark = world.mark();
    const [scheduler, approver] = await Promise.all([started('upgrade-scheduler'), started('gate-approver')]);
    const { policies, agreements } = ocm.sim.world.state;
    const upgraded = (): string[] => [...policies.all()].map(({ target }) => target.clusterId);
    await until(() => upgraded().includes('ready-id'), { timeoutSeconds: 60, what: 'an upgrade is scheduled' });
    await until(() => [...agreements.all()].length > 0, { timeoutSeconds: 60, what: 'a gate is acknowledged' });
    expect([...agreements.all()].map(({ clusterId, gateId }) => `${clusterId} ${gateId}`)).toEqual(['gated-id g-ocp']);
    await Promise.all([ready(scheduler), ready(approver)]);
    const lease = ['create leases', 'get leases'];
    const besides = (component: string): string[] => used(mark, component).filter((right) => right !== 'update leases');
    expect(besides('gate-approver')).toEqual(lease);
    expect(besides('upgrade-scheduler').filter((right) => right !== 'update configmaps')).toEqual([
      ...['create configmaps', 'create leases', 'get configmaps', 'get leases'],
    ]);
    for (const pod of [scheduler, approver]) expect(pod.stdout()).not.toMatch(/"level":"(?:warn|error)"/);
  });

  it.each([
    { component: 'manager', namespace: FLEET, binding: 'echelon-manager', right: 'patch resource "services"' },
    { component: 'manager', namespace: OWN, binding: 'echelon-manager-lease', right: 'get resource "leases"' },
    { component: 'upgrade-scheduler', namespace: OWN, right: 'get resource "leases"' },
    { component: 'gate-approver', namespace: OWN, right: 'get resource "leases"' },
  ])('$component without its binding in $namespace is not ready, and names the right that it lacks', async (given) => {
    const { component, namespace, right, binding = `echelon-${component}` } = given;
    await world.kube.harness('DELETE', pathOf('Service', FLEET, 'qontract-reconcile'));
    await without(namespace, binding, async () => {
      const pod = await started(component);
      const named = JSON.stringify(`cannot ${right}`).slice(1, -1);
      await until(() => pod.stdout().includes(named), { timeoutSeconds: 60, what: 'the log names the right' });
      expect((await pod.get('/readyz')).status).toBe(503);
    });
  });

  it('the console without its binding says so where its shards would be', async () => {
    await without(FLEET, 'echelon-console', async () => {
      const console = await started('console');
      const headers = { authorization: `Bearer ${TOKEN}` };
      const page = async (): Promise<string> => (await fetch(`${console.url()}/shards`, { headers })).text();
      const says = async (): Promise<boolean> => /cannot list resource (?:"|&quot;|&#34;)/.test(await page());
      await until(says, { timeoutSeconds: 60, what: 'the page names the right' });
      expect((await fetch(`${console.url()}/healthz`)).status).toBe(200);
    });
  });

  async function without(namespace: string, name: string, act: () => Promise<void>): Promise<void> {
    const path = `${RBAC}/namespaces/${namespace}/rolebindings`;
    const { body } = await world.kube.harness('GET', `${path}/${name}`);
    expect((await world.kube.harness('DELETE', `${path}/${name}`)).status).toBe(200);
    try {
      await act();
    } finally {
      const { roleRef, subjects } = body;
      await world.kube.harness('POST', path, { metadata: { name }, roleRef, subjects });
    }
  }

  it('X1: never shows a secret', () => {
    expect(world.leaks()).toMatchObject({ with: [] });
  });
});
