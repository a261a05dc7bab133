import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultProxy } from '../support/fault-proxy.ts';
import { type Account, CLUSTER, type ManagerWorld, startManagerWorld } from '../support/manager-e2e.ts';
import { type KubeBody, REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { type RolloutFleet, rolloutFleet } from '../support/rollouts-e2e.ts';
import { until } from '../support/until.ts';

const PLAN = "[2026-08-21 10:22:51] [INFO] [DRY-RUN] [x.py:run:1] - ['apply', 'c1', 'ns1', 'Deployment', 'web']\n";
const DELETION = "[2026-08-21 10:22:52] [INFO] [DRY-RUN] [x.py:run:1] - ['delete', 'c1', 'ns1', 'Secret', 'x']\n";
const JOBS = /\/jobs(?:\/|$)/;
const SHADOW = { shadow: { maxDifferences: 0 } };

/**
 * The API server, the Job controller and the scheduler are real. KWOK plays the kubelets: it lets pods end well at once and runs no
 * container. So there are no logs, and the proxy in front of the server answers the requests for them.
 */
describe.skipIf(skipRealKube)('shadows on a real cluster', () => {
  let world: ManagerWorld;
  beforeAll(async () => {
    world = await startManagerWorld();
    await world.kube.startNodes();
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  const listed = async (path: string): Promise<readonly KubeBody[]> =>
    (await world.kube.harness('GET', path)).body.items ?? [];
  const jobsIn = async (namespace: string): Promise<string[]> =>
    (await listed(`/apis/batch/v1/namespaces/${namespace}/jobs`)).map(({ metadata }) => metadata?.name ?? '');
  const noJobs = (namespace: string): Promise<boolean> =>
    until(async () => (await jobsIn(namespace)).length === 0, { timeoutSeconds: 30, what: 'every Job is removed' });
  const answerLogs = (proxy: FaultProxy, candidate = PLAN): void =>
    void proxy.add({ path: /\/log$/, times: Number.POSITIVE_INFINITY }, ({ path }) => ({
      ...{ status: 200, text: path.includes('-baseline-') ? PLAN : candidate },
    }));

  /** An account with the permissions that the guide names, and no others. */
  async function limitedAccount(namespace: string, proxy: FaultProxy): Promise<Account> {
    const name = 'limited';
    const token = await world.kube.serviceAccountToken(namespace, name);
    const group = 'rbac.authorization.k8s.io';
    const path = (kind: string): string => `/apis/${group}/v1/namespaces/${namespace}/${kind}`;
    const list = ['list'];
    const rules = [
      { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'replicasets'], verbs: list },
      { apiGroups: ['batch'], resources: ['cronjobs'], verbs: list },
      { apiGroups: [''], resources: ['services', 'pods'], verbs: list },
      { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list', 'create', 'delete'] },
      { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
    ];
    await world.kube.harness('POST', path('roles'), { metadata: { name }, rules });
    await world.kube.harness('POST', path('rolebindings'), {
      metadata: { name },
      roleRef: { apiGroup: group, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', namespace, name }],
    });
    const mayRead = async (): Promise<boolean> =>
      (await world.kube.as(token)('GET', `/api/v1/namespaces/${namespace}/pods`)).status === 200;
    await until(mayRead, { timeoutSeconds: 30, what: 'the account has its permissions' });
    const contexts = { [CLUSTER]: { server: proxy.server, ca: world.kube.ca, token } };
    const user = `system:serviceaccount:${namespace}:${name}`;
    return { user, token, kubeconfig: world.kubeconfig(`${namespace}-${name}`, contexts) };
  }

  /** Pods that the selectors of the namespace's Services and workloads match. */
  async function selectedPods({ fleet: { namespace } }: RolloutFleet): Promise<string[]> {
    const objects = await world.objects(namespace);
    const names = await Promise.all(
      objects.map(async ({ kind, spec }) => {
        const { selector } = spec as { selector: Record<string, unknown> };
        const labels = (kind === 'Service' ? selector : selector['matchLabels']) as Record<string, string>;
        const query = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
        const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(query.join())}`;
        return (await listed(path)).map(({ metadata }) => metadata?.name ?? '');
      }),
    );
    return names.flat();
  }

  it.concurrent('R8: Jobs are created, found, read and removed before the first shard moves; no selector matches them', async ({
    onTestFinished,
  }) => {
    const rollout = await rolloutFleet(world, 'shadowed', onTestFinished);
    rollout.declare(SHADOW);
    const manager = await rollout.manager('one');
    const reading = manager.proxy.hold({ path: /\/log$/ });
    answerLogs(manager.proxy);
    rollout.promote('v2');
    manager.start(['--no-lease', '--shadow-jobs']);
    await reading.arrived();
    const jobs = await jobsIn('shadowed');
    expect(jobs.map((name) => name.split('-').at(-1)).sort()).toEqual(['baseline', 'candidate']);
    const pods = (await listed('/api/v1/namespaces/shadowed/pods')).map(({ metadata }) => metadata?.name ?? '');
    expect(pods.filter((name) => name.startsWith('echelon-shadow-'))).toHaveLength(2);
    const selected = await selectedPods(rollout);
    expect(selected.length).toBeGreaterThanOrEqual(10);
    expect(selected.filter((name) => name.startsWith('echelon-shadow-'))).toEqual([]);
    const { stdout } = await rollout.fleet.run('manager status', rollout.record);
    expect(stdout).toMatch(/^5 held\.$/m);
    expect(stdout).not.toContain('echelon-shadow-');
    expect(manager.moves()).toEqual([]);
    reading.reset();
    await manager.moved(1);
    expect(manager.moves()).toEqual([{ shard: '0', tag: 'v2' }]);
    await noJobs('shadowed');
  });

  it.concurrent('R6, R8: killed between the two Jobs, a manager is followed by one that removes the half and compares both', async ({
    onTestFinished,
  }) => {
    const rollout = await rolloutFleet(world, 'half', onTestFinished);
    rollout.declare(SHADOW);
    const [first, second] = [await rollout.manager('one'), await rollout.manager('two')];
    for (const { proxy } of [first, second]) answerLogs(proxy);
    const late = first.proxy.hold({ method: 'POST', path: JOBS, nth: 2 });
    rollout.promote('v2');
    const loop = first.start(['--no-lease', '--shadow-jobs']);
    await late.arrived();
    await until(async () => (await jobsIn('half')).length === 1, { timeoutSeconds: 30, what: 'one Job is there' });
    const [left = ''] = await jobsIn('half');
    loop.kill('SIGKILL');
    expect(await loop.ended).toBe('SIGKILL');
    second.start(['--no-lease', '--shadow-jobs']);
    await second.moved(1);
    const created = second.proxy.requests.filter(({ method, path }) => method === 'POST' && JOBS.test(path));
    expect(created.length).toBeGreaterThanOrEqual(2);
    expect(second.proxy.requests.some(({ method, path }) => method === 'DELETE' && path.endsWith(`/${left}`))).toBe(
      true,
    );
    expect([...first.moves(), ...second.moves()]).toEqual([{ shard: '0', tag: 'v2' }]);
    await noJobs('half');
  });

  it.concurrent('shadow --runner kubernetes compares in the cluster; what a killed one left is removed at the next start', async ({
    onTestFinished,
  }) => {
    const rollout = await rolloutFleet(world, 'command', onTestFinished);
    const { account, proxy } = await rollout.manager('one');
    answerLogs(proxy, PLAN + DELETION);
    const args = [
      'a',
      '--shard',
      '0',
      '--candidate',
      'v2',
      '--runner',
      'kubernetes',
      '--log-dir',
      `${world.folder}/logs`,
    ];
    const polls = ({ query }: { readonly query: Readonly<Record<string, string>> }): boolean =>
      query['fieldSelector']?.startsWith('metadata.name=echelon-shadow-') === true;
    const reading = proxy.hold({ path: /\/jobs$/, method: 'GET', where: polls, times: 2 });
    const killed = rollout.fleet.start('shadow', args, { as: account });
    onTestFinished(() => killed.kill('SIGKILL'));
    await reading.arrived(2);
    expect(await jobsIn('command')).toHaveLength(2);
    killed.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    const limited = await limitedAccount('command', proxy);
    const { code, stdout } = await rollout.fleet.run('shadow', args, { as: limited });
    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining("+['delete', 'c1'") });
    await noJobs('command');
    expect(await rollout.images()).toMatchObject({ 0: 'v1' });
  });
});
