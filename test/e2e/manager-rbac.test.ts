import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Account,
  CLUSTER,
  DONE,
  type Fleet,
  type ManagerWorld,
  namesOf,
  pathOf,
  RESOURCES,
  startManagerWorld,
} from '../support/manager-e2e.ts';
import { type KubeBody, REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { roleFor } from '../support/real-kube-objects.ts';
import { testHelm } from '../support/render-chart.ts';
import { runCli } from '../support/run-cli.ts';
import { until } from '../support/until.ts';

type Kind = keyof typeof RESOURCES;

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** One verb on one kind of resource. */
interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

const NAMESPACE = 'rbac';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const HEALTH = ['--metrics-port', '0', '--metrics-host', '127.0.0.1'];

/** What bootstrap tells people to create. */
const MANIFESTS = await (async (): Promise<KubeBody[]> => {
  if (skipRealKube) return [];
  const args = [
    'manager',
    'bootstrap',
    '--format',
    'manifests',
    '-n',
    NAMESPACE,
    '--image',
    'registry.example/echelon',
  ];
  const { stdout } = await runCli([...args, '-o', 'json'], { env: { HELM_BIN: await testHelm() } });
  return (JSON.parse(stdout) as { items: KubeBody[] }).items;
})();

const rightsOf = (kind: string): Right[] =>
  MANIFESTS.filter((object) => object.kind === kind && object.metadata?.name?.startsWith('integrations-manager'))
    .flatMap(({ rules }) => rules as Rule[])
    .flatMap(({ apiGroups, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => ({ group: apiGroups[0]!, resource, verb }))),
    );

const rulesOf = (rights: readonly Right[]): Rule[] =>
  rights.map(({ group, resource, verb }) => ({ apiGroups: [group], resources: [resource], verbs: [verb] }));

const ROLE = rightsOf('Role');
const CLUSTER_ROLE = rightsOf('ClusterRole');
const nameOf = ({ verb, resource }: Right): string => `${verb} ${resource}`;
const kindOf = (resource: string): Kind =>
  (Object.keys(RESOURCES) as Kind[]).find((kind) => RESOURCES[kind].endsWith(` ${resource}`))!;

describe.skipIf(skipRealKube)('the access that bootstrap prints', () => {
  let world: ManagerWorld;
  let fleet: Fleet;
  const accounts = new Map<string, Account>();

  beforeAll(async () => {
    world = await startManagerWorld();
    fleet = await world.fleet(NAMESPACE);
    fleet.integration('deployment');
    fleet.integration('statefulset', { spec: { cache: true, storage: '1Gi', storageClassName: 'fast' } });
    fleet.integration('cronjob', { spec: { cron: '0 0 1 1 *' } });
    await printedAccount();
    await Promise.all([
      ...ROLE.map((left) =>
        account(`role-${left.verb}-${left.resource}`, { role: ROLE.filter((one) => one !== left) }),
      ),
      ...CLUSTER_ROLE.filter(({ verb }) => verb === 'list').map((left) =>
        account(`cluster-${left.verb}-${left.resource}`, {
          ...{ role: ROLE, clusterRole: CLUSTER_ROLE.filter((one) => one !== left) },
        }),
      ),
    ]);
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  /** Everything that bootstrap prints but the manager itself, to the letter. */
  async function printedAccount(): Promise<void> {
    const paths: Record<string, string> = {
      Role: `${RBAC}/namespaces/${NAMESPACE}/roles`,
      RoleBinding: `${RBAC}/namespaces/${NAMESPACE}/rolebindings`,
      ClusterRole: `${RBAC}/clusterroles`,
      ClusterRoleBinding: `${RBAC}/clusterrolebindings`,
    };
    for (const object of MANIFESTS) {
      const path = paths[object.kind!];
      if (path !== undefined) expect((await world.kube.harness('POST', path, object)).status).toBe(201);
    }
    await known('printed', 'integrations-manager', [ROLE[0]!, CLUSTER_ROLE[0]!]);
  }

  async function account(name: string, rights: { role: Right[]; clusterRole?: Right[] }): Promise<void> {
    await world.kube.serviceAccountToken(NAMESPACE, name);
    for (const [path, body] of roleFor(NAMESPACE, name, rulesOf(rights.role)))
      await world.kube.harness('POST', path, body);
    if (rights.clusterRole !== undefined) {
      const metadata = { name };
      await world.kube.harness('POST', `${RBAC}/clusterroles`, { metadata, rules: rulesOf(rights.clusterRole) });
      await world.kube.harness('POST', `${RBAC}/clusterrolebindings`, {
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'ServiceAccount', namespace: NAMESPACE, name }],
      });
    }
    await known(name, name, [rights.role[0]!, ...(rights.clusterRole ?? []).slice(0, 1)]);
  }

  /** Returns when the server has taken note of the rights: the first in the namespace, the second everywhere. */
  async function known(name: string, serviceAccount: string, rights: readonly Right[]): Promise<void> {
    const { kube } = world;
    const token = await kube.serviceAccountToken(NAMESPACE, serviceAccount);
    const kubeconfig = world.kubeconfig(name, { [CLUSTER]: { server: kube.server, ca: kube.ca, token } });
    accounts.set(name, { user: `system:serviceaccount:${NAMESPACE}:${serviceAccount}`, token, kubeconfig });
    for (const [index, { group, resource, verb }] of rights.entries()) {
      const review = {
        ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' },
        spec: { resourceAttributes: { ...(index === 0 ? { namespace: NAMESPACE } : {}), verb, group, resource } },
      };
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      const allowed = async (): Promise<boolean> =>
        (await kube.as(token)<{ status: { allowed: boolean } }>('POST', path, review)).body.status.allowed;
      await until(allowed, { timeoutSeconds: 30, what: `the rights of ${name} count` });
    }
  }

  const applied = async (as: Account = world.account, args: readonly string[] = []): Promise<void> =>
    expect(await fleet.run('manager apply', ['--yes', ...args], { as })).toMatchObject(DONE);

  /** Another object that says that it is ours, but that nobody declares. */
  async function leftBehind(kind: Kind): Promise<string> {
    const [{ metadata, spec } = {}] = (await fleet.objects()).filter((object) => object.kind === kind);
    const { clusterIP: _, clusterIPs: __, ...rest } = spec as Record<string, unknown>;
    const { labels, annotations } = metadata as Record<string, object>;
    const body = { metadata: { name: 'left-behind', labels, annotations }, spec: rest };
    expect((await world.kube.harness('POST', pathOf(kind, NAMESPACE), body)).status).toBe(201);
    return pathOf(kind, NAMESPACE, 'left-behind');
  }

  async function pathOfOne(kind: Kind): Promise<string> {
    const [one] = (await fleet.objects()).filter((object) => object.kind === kind);
    return pathOf(kind, NAMESPACE, one!.metadata!.name);
  }

  const MARK = '/metadata/labels/echelon~1instance';
  const unmark = async (path: string): Promise<void> => {
    const patch = [{ op: 'remove', path: MARK }];
    expect((await world.kube.harness('PATCH', path, patch, 'application/json-patch+json')).status).toBe(200);
  };

  /** As if another tool had written it. */
  async function asOfOthers(path: string): Promise<void> {
    const { managedFields = [] } = (await world.kube.harness('GET', path)).body.metadata!;
    const value = managedFields.map((entry) =>
      entry.manager === 'echelon' ? { ...entry, manager: 'kubectl-client-side-apply', operation: 'Update' } : entry,
    );
    const patch = [{ op: 'replace', path: '/metadata/managedFields', value }];
    expect((await world.kube.harness('PATCH', path, patch, 'application/json-patch+json')).status).toBe(200);
  }

  const ROLLOUTS = 'rollouts.json';
  const RECORD = `/api/v1/namespaces/${NAMESPACE}/configmaps/echelon-rollouts`;
  const rollout = (image: string): string[] => [
    ...['--run-once', ...HEALTH, '--no-lease', '-p', `IMAGE_TAG=${image}`, '--rollouts', join(fleet.root, ROLLOUTS)],
    ...['--rollout-record', `configmap:${NAMESPACE}/echelon-rollouts`],
  ];
  /** A track with a wave that does not pass by itself. */
  const track = { name: 'all', match: {}, waves: [{ name: 'one' }], health: { queries: [] } };

  it('suffices for everything that a manager does', async () => {
    writeFileSync(join(fleet.root, ROLLOUTS), JSON.stringify({ tracks: [track] }));
    const as = accounts.get('printed')!;
    const mark = world.mark();
    await applied(as);
    expect(namesOf(await fleet.objects())).toEqual([
      'CronJob/qontract-reconcile-cronjob',
      'Deployment/qontract-reconcile-deployment',
      'Service/qontract-reconcile',
      'StatefulSet/qontract-reconcile-statefulset',
    ]);

    await asOfOthers(await pathOfOne('Deployment'));
    for (const kind of Object.keys(RESOURCES) as Kind[]) {
      await unmark(await pathOfOne(kind));
      await leftBehind(kind);
    }
    const all = await fleet.run('manager plan', ['-o', 'json', '--allow-mass-deletion'], { as });
    const { items } = JSON.parse(all.stdout) as { items: { action: string; takeOver?: string[] }[] };
    expect(items.map(({ action }) => action).sort()).toEqual([
      ...['delete', 'delete', 'delete', 'delete', 'update', 'update', 'update', 'update'],
    ]);
    expect(items.flatMap(({ takeOver = [] }) => takeOver)).toEqual(['kubectl-client-side-apply']);
    await applied(as, ['--allow-mass-deletion']);
    expect(await fleet.objects()).toHaveLength(4);
    const state = JSON.parse((await fleet.run('manager status', ['-o', 'json'], { as })).stdout) as {
      items: unknown[];
    };
    expect(state.items).toHaveLength(3);
    const lease = ['--run-once', ...HEALTH, '--lease', `${CLUSTER}/${NAMESPACE}/printed`];
    for (const _ of [1, 2]) expect(await fleet.run('run integrations-manager', lease, { as })).toMatchObject(DONE);
    for (const image of ['v1', 'v2'])
      expect(await fleet.run('run integrations-manager', rollout(image), { as })).toMatchObject(DONE);
    const loop = fleet.start('run integrations-manager', [...HEALTH, '--no-lease', '--poll', '1s'], { as });
    const passed = /"reason":"poll".*"pass completed"/;
    await until(() => passed.test(loop.stdout()), { timeoutSeconds: 60, what: 'the loop passes by what it watches' });
    loop.kill('SIGTERM');
    expect(await loop.ended).toBe(0);
    expect(loop.stdout()).not.toContain('cannot be watched');
    const own = world.kube.auditSince(mark).filter(({ user }) => user === as.user);
    expect(own.filter(({ code }) => code === 403)).toEqual([]);
    const used = new Set(own.map(({ verb, resource }) => `${verb} ${resource}`));
    // To create by apply is a patch that is allowed only to who may create.
    const byPost = ['leases', 'configmaps'];
    const asked = ROLE.filter(({ verb, resource }) => verb !== 'create' || byPost.includes(resource)).map(nameOf);
    expect([...used].sort()).toEqual(asked.sort());
  });

  describe('cannot do without', () => {
    beforeAll(() => applied());

    const refusalOf = async (command: string, args: readonly string[], as: Account): Promise<string> => {
      const { code, stderr } = await fleet.run(command, args, { as });
      expect(code).toBe(1);
      return stderr;
    };

    it.each(
      ROLE.filter(({ verb, resource }) => verb === 'list' && resource !== 'jobs').map((right) => ({
        right,
        name: nameOf(right),
      })),
    )('$name', async ({ right: { resource } }) => {
      const command = resource === 'replicasets' || resource === 'pods' ? 'manager status' : 'manager plan';
      const told = await refusalOf(command, [], accounts.get(`role-list-${resource}`)!);
      expect(told).toMatch(new RegExp(`cannot list resource "${resource}".*\\[KUBE_FORBIDDEN\\]`));
    });

    it.each(ROLE.filter(({ verb }) => verb === 'watch').map((right) => ({ right, name: nameOf(right) })))(
      '$name, as a loop says once, and then lists in every pass',
      async ({ right: { resource } }) => {
        const as = accounts.get(`role-watch-${resource}`)!;
        const loop = fleet.start('run integrations-manager', [...HEALTH, '--no-lease', '--poll', '1s'], { as });
        const passed = /"reason":"poll".*"pass completed"/;
        await until(() => passed.test(loop.stdout()), { timeoutSeconds: 60, what: 'the loop goes on' });
        loop.kill('SIGTERM');
        expect(await loop.ended).toBe(0);
        const said = loop.stdout().match(/^.*"cluster cannot be watched".*$/gm);
        expect(said).toEqual([expect.stringMatching(new RegExp(`cannot watch resource \\\\"${resource}`))]);
      },
    );

    const READS = ['list', 'watch'];
    const WRITES = ROLE.filter(
      ({ verb, resource }) => !(READS.includes(verb) || ['leases', 'configmaps'].includes(resource)),
    );
    it.each(WRITES.map((right) => ({ right, name: nameOf(right) })))('$name', async ({ right: { verb, resource } }) => {
      const kind = kindOf(resource);
      const path = verb === 'delete' ? await leftBehind(kind) : await pathOfOne(kind);
      if (verb === 'create') expect((await world.kube.harness('DELETE', path)).status).toBe(200);
      if (verb === 'patch') await unmark(path);
      const before = await world.kube.harness('GET', path);
      const told = await refusalOf('manager apply', ['--yes'], accounts.get(`role-${verb}-${resource}`)!);
      expect(told).toMatch(new RegExp(`cannot ${verb} resource "${resource}".*\\[KUBE_FORBIDDEN\\]`));
      const after = await world.kube.harness('GET', path);
      expect([after.status, after.body.metadata?.['labels']]).toEqual([
        before.status,
        before.body.metadata?.['labels'],
      ]);
      await applied();
      expect((await world.kube.harness('GET', path)).status).toBe(verb === 'delete' ? 404 : 200);
    });

    const OF_ROLLOUTS = ROLE.filter(({ resource }) => resource === 'configmaps' || resource === 'jobs');
    it.each(OF_ROLLOUTS.map((right) => ({ right, name: nameOf(right) })))(
      '$name, in a rollout',
      async ({ right: { verb, resource } }) => {
        await world.kube.harness('DELETE', RECORD);
        const first = verb === 'update' ? [await fleet.run('run integrations-manager', rollout('v1'))] : [];
        for (const ran of first) expect(ran).toMatchObject(DONE);
        const as = accounts.get(`role-${verb}-${resource}`)!;
        const { code, stdout } = await fleet.run('run integrations-manager', rollout('v3'), { as });
        expect(code).toBe(1);
        expect(stdout).toMatch(new RegExp(`cannot ${verb} resource .*${resource}`));
      },
    );

    const LEASES = ROLE.filter(({ resource }) => resource === 'leases');
    it.each(LEASES.map((right) => ({ right, name: nameOf(right) })))('$name', async ({ right: { verb } }) => {
      const place = `${CLUSTER}/${NAMESPACE}/without-${verb}`;
      if (verb === 'update') {
        const path = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
        expect((await world.kube.harness('POST', path, { metadata: { name: 'without-update' } })).status).toBe(201);
      }
      const as = accounts.get(`role-${verb}-leases`)!;
      const running = fleet.start('run integrations-manager', ['--run-once', ...HEALTH, '--lease', place], { as });
      const told = new RegExp(`cannot ${verb} resource \\\\"leases\\\\".*"cannot read or write lease"`);
      await until(() => told.test(running.stdout()), { timeoutSeconds: 60, what: 'it tells that it gets no lease' });
      const port = /"metricsPort":(\d+)/.exec(running.stdout())?.[1];
      const page = async (path: string): Promise<string> => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`);
        return `${response.status} ${await response.text()}`;
      };
      expect(await page('/healthz')).toBe('200 waiting for the lease\n');
      expect(await page('/readyz')).toMatch(
        new RegExp(`^503 cannot read or write lease: .*cannot ${verb} resource "leases".*; grant the account the Role`),
      );
      const metrics = await page('/metrics');
      expect(metrics).toMatch(/^echelon_lease_reachable 0$/m);
      expect(metrics).toMatch(
        new RegExp(`^echelon_lease_errors_total{access="${verb === 'get' ? 'read' : 'write'}"} [1-9]`, 'm'),
      );
      running.kill('SIGTERM');
      expect(await running.ended).toBe(1);
      expect(running.stdout()).not.toContain('lease acquired');
    });

    it.each(CLUSTER_ROLE.filter(({ verb }) => verb === 'list').map((right) => ({ right, name: nameOf(right) })))(
      '$name in all namespaces, where something may be left behind',
      async ({ right: { resource, verb } }) => {
        const as = accounts.get(`cluster-${verb}-${resource}`)!;
        const { code, stderr } = await fleet.run('manager plan', [], { as });
        expect(code).toBe(0);
        expect(stderr).toContain(`note: ${CLUSTER}: the account may not list other namespaces`);
      },
    );
  });

  it('X1: never shows a secret', () => {
    const { outputs, with: leaking } = world.leaks();
    expect(outputs).toBeGreaterThan(ROLE.length);
    expect(leaking).toEqual([]);
  });
});
