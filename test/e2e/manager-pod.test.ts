import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildBundle, bundleText } from '../support/build-bundle.ts';
import { type ManagerWorld, namesOf, pathOf, startManagerWorld } from '../support/manager-e2e.ts';
import { type PodProcess, startPod } from '../support/pod-process.ts';
import { type QontractServer, startQontractServer } from '../support/qontract-server.ts';
import { type KubeBody, REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { EXAMPLE_INSTANCE, GRAPHQL_SCHEMA, hasShared, SCHEMAS } from '../support/shared.ts';
import { until } from '../support/until.ts';

/** Where the manager runs, and where the integrations of its environment run. */
const OWN = 'reconcilers';
const FLEET = 'app-interface-stage';
const MANAGER = 'qontract-reconcile-integrations-manager';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

describe.skipIf(skipRealKube || !hasShared)('the manager as a pod, as bootstrap prints it', () => {
  let world: ManagerWorld;
  let server: QontractServer;
  let pod: PodProcess | undefined;

  beforeAll(async () => {
    const bundle = buildBundle(EXAMPLE_INSTANCE, { schemasDir: SCHEMAS, graphqlFile: GRAPHQL_SCHEMA });
    [world, server] = await Promise.all([startManagerWorld(), startQontractServer({ bundle: bundleText(bundle) })]);
    await world.kube.createNamespace(FLEET);
    await installed();
  }, REAL_KUBE_TIMEOUT_MS);
  afterEach(async () => {
    pod?.kill('SIGTERM');
    await pod?.ended;
    pod = undefined;
  });
  afterAll(async () => {
    await server?.close();
    await world?.close();
  });

  /** As the guide says: the manifests, and the secret with the address of the data. */
  async function installed(): Promise<void> {
    const { stdout, code, stderr } = await world.run([
      ...['manager', 'bootstrap', '--format', 'manifests', '-n', OWN, '--deploy-to', FLEET],
      ...['--image', 'example/echelon', '--image-tag', '0.1.0'],
      ...['--environment-name', 'app-interface-stage', '-p', 'MANAGER_DRY_RUN=--no-dry-run'],
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const file = join(world.folder, 'manager.yaml');
    writeFileSync(file, stdout);
    const env = { PATH: process.env['PATH'] ?? '', HOME: world.folder };
    const kubectl = ['apply', '-f', file, '--kubeconfig', world.kube.kubeconfig()];
    await promisify(execFile)(world.kube.binaries.kubectl!, kubectl, { env });
    const config = `[graphql]\nserver = "${server.url}/graphql"\n`;
    await made(`/api/v1/namespaces/${OWN}/secrets`, 'qontract-reconcile-toml', {
      stringData: { 'config.toml': config },
    });
    // A controller that is not part of this control plane publishes it in every namespace.
    await made(`/api/v1/namespaces/${OWN}/configmaps`, 'kube-root-ca.crt', { data: { 'ca.crt': world.kube.ca } });
  }

  async function made(path: string, name: string, body: object): Promise<void> {
    expect((await world.kube.harness('POST', path, { metadata: { name }, ...body })).status).toBe(201);
  }

  async function started(): Promise<PodProcess> {
    pod = await startPod(world, OWN, MANAGER);
    return pod;
  }

  async function declared(): Promise<KubeBody[]> {
    const scope = ['--environment-name', 'app-interface-stage', '--data', server.url];
    const { stdout } = await world.run(['manager', 'render', ...scope, '-o', 'json']);
    return (JSON.parse(stdout) as { items: { objects: KubeBody[] }[] }).items.flatMap(({ objects }) => objects);
  }

  it('converges the example instance with its own account, and the pods of the integrations start', async () => {
    const names = namesOf(await declared());
    expect(names.length).toBeGreaterThan(20);
    const running = await started();
    const isThere = async (): Promise<boolean> => (await world.objects(FLEET)).length >= names.length;
    await until(isThere, { timeoutSeconds: 60, what: `${names.length} objects exist` });
    expect(namesOf(await world.objects(FLEET))).toEqual(names);
    const isReady = async (): Promise<boolean> => (await running.get('/readyz')).text === 'ready\n';
    await until(isReady, { timeoutSeconds: 60, what: 'a pass succeeds' });
    expect(running.stdout()).not.toMatch(/"level":"(?:warn|error)"/);
    const deployments = (): Promise<KubeBody[]> =>
      world.objects(FLEET).then((objects) => objects.filter(({ kind }) => kind === 'Deployment'));
    const wanted = (await deployments()).filter(({ spec }) => spec?.['replicas'] !== 0).length;
    const pods = async (): Promise<readonly KubeBody[]> =>
      (await world.kube.harness('GET', `/api/v1/namespaces/${FLEET}/pods`)).body.items ?? [];
    await until(async () => (await pods()).length >= wanted, { timeoutSeconds: 60, what: `${wanted} pods exist` });
  });

  it('lets the integrations elect a leader, and nothing else', async () => {
    const as = world.kube.as(await world.kube.serviceAccountToken(FLEET, 'qontract-reconcile'));
    const lease = { metadata: { name: 'version-gate-approver' } };
    expect((await as('POST', `/apis/coordination.k8s.io/v1/namespaces/${FLEET}/leases`, lease)).status).toBe(201);
    expect((await as('GET', pathOf('Deployment', FLEET))).status).toBe(403);
  });

  it.each([
    {
      namespace: OWN,
      right: `cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "${OWN}"`,
    },
    {
      namespace: FLEET,
      right: `cannot patch resource "services" in API group "" in the namespace "${FLEET}"`,
    },
  ])(
    'without the binding in $namespace is not ready, and names the right that it lacks',
    async ({ namespace, right }) => {
      const path = `${RBAC}/namespaces/${namespace}/rolebindings`;
      const { body: binding } = await world.kube.harness('GET', `${path}/integrations-manager`);
      expect((await world.kube.harness('DELETE', `${path}/integrations-manager`)).status).toBe(200);
      await world.kube.harness('DELETE', pathOf('Service', FLEET, 'qontract-reconcile'));
      try {
        const running = await started();
        await until(() => running.stdout().includes(JSON.stringify(right).slice(1, -1)), {
          ...{ timeoutSeconds: 60, what: `the log names the right` },
        });
        expect((await running.get('/readyz')).status).toBe(503);
        expect(running.stdout()).toContain('echelon manager bootstrap');
      } finally {
        const { metadata, ...rest } = binding;
        await world.kube.harness('POST', path, { ...rest, metadata: { name: metadata!.name } });
      }
    },
  );

  it('X1: never shows a secret', () => {
    expect(world.leaks()).toMatchObject({ with: [] });
  });
});
