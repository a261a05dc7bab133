import { describe, expect, it } from 'vitest';
import { type KubeClient, kubeClient, tokenConnection } from '../../src/clients/kube/index.ts';
import type { KubeObject } from '../../src/manager/desired/desired-namespace.ts';
import type { DesiredNamespace } from '../../src/manager/index.ts';
import type { ClusterApi } from '../../src/manager/plan/cluster-api.ts';
import { executePlan } from '../../src/manager/plan/execute.ts';
import { planFleet } from '../../src/manager/plan/fleet-plan.ts';
import { observe } from '../../src/manager/plan/observe.ts';
import { KINDS } from '../../src/manager/plan/plan-item.ts';
import { type SimKube, startSimKube } from '../../src/sim/index.ts';

/** The process ends here: nothing of it goes on. */
class Crash extends Error {}

const CALLER = 'https://github.com/app-sre/qontract-reconcile';
const OPTIONS = { revision: 'r', scope: {}, caller: CALLER, instance: 'fleet', adopt: true, allowMassDeletion: true };

function workload(kind: 'Deployment' | 'StatefulSet', name: string, image: string, more: object = {}): KubeObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'ns', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
      template: { metadata: { labels }, spec: { containers: [{ name: 'int', image, ...more }] } },
    },
  };
}

const SERVICE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'metrics', namespace: 'ns' },
  spec: { selector: { app: 'a' }, ports: [{ name: 'http', port: 9090, protocol: 'TCP', targetPort: 9090 }] },
};

const CRON: KubeObject = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'report', namespace: 'ns' },
  spec: {
    schedule: '0 8 * * 1',
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'int', image: 'repo:1' }] } } },
    },
  },
};

const desired = (...objects: KubeObject[]): DesiredNamespace => ({
  cluster: 'c',
  namespace: 'ns',
  file: '/ns.yml',
  environment: 'e',
  objects,
});

/** What an earlier version declared. */
const BEFORE = desired(
  workload('Deployment', 'kept', 'repo:1'),
  workload('Deployment', 'moves', 'repo:1', { env: [{ name: 'OLD', value: '1' }] }),
  workload('Deployment', 'goes', 'repo:1'),
  workload('StatefulSet', 'goes-too', 'repo:1'),
);
/** What is declared now: one kept, one changed, two gone, one taken over from another tool, the rest new. */
const NOW = desired(
  workload('Deployment', 'kept', 'repo:1'),
  workload('Deployment', 'moves', 'repo:2'),
  workload('Deployment', 'theirs', 'repo:2'),
  workload('Deployment', 'new', 'repo:2'),
  workload('StatefulSet', 'cache', 'repo:2'),
  SERVICE,
  CRON,
);

async function pass(api: ClusterApi, declared: DesiredNamespace, concurrency: number) {
  const live = await observe([{ cluster: 'c', namespaces: ['ns'] }], async () => api);
  const plan = planFleet([declared], live, OPTIONS);
  const results = await executePlan(plan, { connect: async () => api, sleep: async () => {}, concurrency });
  return { plan, results };
}

/** A fleet as the earlier version left it, with an object of another tool and one of a stranger. */
async function fleet(): Promise<{ sim: SimKube; client: KubeClient }> {
  const sim = await startSimKube({ namespaces: ['ns'] });
  const client = kubeClient(tokenConnection({ name: 'c', server: sim.url, token: async () => 'x' }));
  await pass(client, BEFORE, 4);
  const create = (object: KubeObject, manager: string) =>
    fetch(`${sim.url}/apis/apps/v1/namespaces/ns/deployments?fieldManager=${manager}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(object),
    });
  await create(workload('Deployment', 'theirs', 'repo:1', { env: [{ name: 'OLD', value: '1' }] }), 'helm');
  await create(workload('Deployment', 'stranger', 'other:1'), 'somebody');
  return { sim, client };
}

/** What the cluster says: no versions, no times, no status. */
async function worldOf(client: KubeClient): Promise<unknown[]> {
  const lists = await Promise.all(KINDS.map((kind) => client.list(kind, { namespace: 'ns' })));
  return lists.flat().map(({ kind, metadata, spec }) => {
    const { name, labels, annotations } = metadata as Record<string, unknown>;
    const { clusterIP: _a, clusterIPs: _b, ...rest } = spec as Record<string, unknown>;
    const { 'deployment.kubernetes.io/revision': _c, ...marks } = (annotations ?? {}) as Record<string, string>;
    return { kind, name, labels, annotations: marks, spec: rest };
  });
}

/** Ends the process at the n-th call: before it is sent, or when it is done but its answer not yet seen. */
function crashing(
  client: KubeClient,
  at: number,
  when: 'before' | 'after',
): { api: ClusterApi; reached: () => boolean } {
  let calls = 0;
  const guard =
    <A extends unknown[], R>(act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      calls += 1;
      if (calls > at) throw new Crash();
      if (calls < at) return act(...args);
      if (when === 'after') await act(...args);
      throw new Crash();
    };
  const api = {
    list: guard(client.list),
    apply: guard(client.apply),
    patch: guard(client.patch),
    remove: guard(client.remove),
  };
  return { api, reached: () => calls >= at };
}

/** One life that ends at a crash, then another that is left alone; whether the crash came at all. */
async function crashAndRestart(at: number, when: 'before' | 'after', concurrency: number) {
  const { sim, client } = await fleet();
  try {
    const { api, reached } = crashing(client, at, when);
    await pass(api, NOW, concurrency).catch((thrown: unknown) => {
      if (!(thrown instanceof Crash)) throw thrown;
    });
    const { results } = await pass(client, NOW, concurrency);
    const failed = results.filter(({ outcome }) => outcome !== 'done').map(({ error }) => error?.message);
    const again = await pass(client, NOW, concurrency);
    const left = again.plan.items
      .filter(({ action }) => action !== 'keep')
      .map(({ action, name }) => `${action} ${name}`);
    return { reached: reached(), failed, left, world: await worldOf(client) };
  } finally {
    client.close();
    await sim.close();
  }
}

describe('S5: a crash at any call, then a restart, reaches the same final state', () => {
  it.each([
    { when: 'before', concurrency: 1 },
    { when: 'after', concurrency: 1 },
    { when: 'after', concurrency: 3 },
  ] as const)('$when it is made, with $concurrency at once', async ({ when, concurrency }) => {
    const undisturbed = await crashAndRestart(Number.POSITIVE_INFINITY, 'before', concurrency);
    expect(undisturbed).toMatchObject({ reached: false, failed: [], left: [] });
    expect(undisturbed.world).toHaveLength(NOW.objects.length + 1);
    let at = 1;
    for (; ; at += 1) {
      const end = await crashAndRestart(at, when, concurrency);
      if (!end.reached) break;
      expect({ at, ...end }).toEqual({ at, ...undisturbed, reached: true });
    }
    // Four looks, a look and two writes for the one that is taken over, a write for each of the others.
    expect(at).toBeGreaterThan(KINDS.length + 8);
  });
});
