import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EchelonError } from '../../src/base/index.ts';
import { type ApiObject, type KubeClient, type KubeConnection, kubeClient } from '../../src/clients/kube/index.ts';
import type { KubeClientOptions } from '../../src/clients/kube/kube-client.ts';
import { KubeError } from '../../src/clients/kube/kube-error.ts';
import type { KubeObject } from '../../src/manager/desired/desired-namespace.ts';
import { withoutIdentity } from '../../src/manager/desired/identity.ts';
import { executePlan } from '../../src/manager/plan/execute.ts';
import { planFleet } from '../../src/manager/plan/fleet-plan.ts';
import { observe } from '../../src/manager/plan/observe.ts';
import { renderExample } from './example-objects.ts';
import { until } from './until.ts';

/** An API server that the contract is checked against. */
export interface ContractServer {
  readonly connection: KubeConnection;
  /** As an administrator, past the client. */
  admin(method: string, path: string, body?: unknown, contentType?: string): Promise<{ status: number; body: unknown }>;
  /** A namespace that was not used before. */
  namespace(): Promise<string>;
  close(): Promise<void>;
}

const NOBODY = { revision: 'r', scope: {}, caller: 'me', instance: 'contract' };

function deployment(
  namespace: string,
  name: string,
  more: { env?: object[]; replicas?: number; labels?: object } = {},
): ApiObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels: { ...labels, ...more.labels } },
    spec: {
      replicas: more.replicas ?? 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'int', image: 'repo:1', env: more.env ?? [{ name: 'A', value: '1' }] }] },
      },
    },
  };
}

async function codeOf(act: Promise<unknown>): Promise<string> {
  try {
    await act;
    return 'done';
  } catch (thrown) {
    return thrown instanceof EchelonError ? thrown.code : String(thrown);
  }
}

/** What the manager relies on; the simulator and a real server must both keep it. */
export function clusterContract(name: string, open: () => Promise<ContractServer>): void {
  describe(`the API of ${name}`, () => {
    let server: ContractServer;
    let client: KubeClient;
    const clients: KubeClient[] = [];
    const connect = (options: KubeClientOptions = {}, connection = server.connection): KubeClient => {
      const one = kubeClient(connection, { sleep: async () => {}, ...options });
      clients.push(one);
      return one;
    };
    const get = async (namespace: string, object: string): Promise<ApiObject | undefined> => {
      const [found] = await client.list('Deployment', { namespace, name: object });
      return found;
    };
    const path = (namespace: string, object: string): string =>
      `/apis/apps/v1/namespaces/${namespace}/deployments/${object}`;
    /** Somebody else changes an object, under a name of theirs. */
    const edit = (namespace: string, object: string, patch: object, manager = 'kubectl-edit') =>
      server.admin(
        'PATCH',
        `${path(namespace, object)}?fieldManager=${manager}`,
        patch,
        'application/merge-patch+json',
      );

    beforeAll(async () => {
      server = await open();
      client = connect();
    });
    afterAll(async () => {
      for (const one of clients) one.close();
      await server?.close();
    });

    it('lists nothing in a namespace that does not exist', async () => {
      expect(await client.list('Deployment', { namespace: 'never-made' })).toEqual([]);
    });

    it('creates by apply, and changes nothing by the same apply again', async () => {
      const namespace = await server.namespace();
      expect(await client.apply(deployment(namespace, 'a'), { force: false })).toEqual({ created: true });
      const first = await get(namespace, 'a');
      expect(await client.apply(deployment(namespace, 'a'), { force: false })).toEqual({ created: false });
      const second = await get(namespace, 'a');
      expect(second?.metadata['uid']).toBe(first?.metadata['uid']);
      expect(second?.metadata['generation']).toBe(1);
      expect(second).toMatchObject({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { revisionHistoryLimit: 10 } });
    });

    it('lists page by page, by label, by name, and without some namespaces', async () => {
      const [one, two] = [await server.namespace(), await server.namespace()];
      for (const index of [0, 1, 2, 3, 4]) {
        await client.apply(deployment(one, `d${index}`, { labels: { mark: `${one}` } }), { force: false });
      }
      await client.apply(deployment(two, 'd0', { labels: { mark: `${one}` } }), { force: false });
      const small = connect({ pageSize: 2 });
      const names = (objects: readonly ApiObject[]): string[] => objects.map(({ metadata }) => metadata.name);
      expect(names(await small.list('Deployment', { namespace: one }))).toEqual(['d0', 'd1', 'd2', 'd3', 'd4']);
      expect(names(await small.list('Deployment', { labelSelector: `mark=${one}` }))).toHaveLength(6);
      expect(names(await small.list('Deployment', { labelSelector: `mark=${one}`, notIn: [one] }))).toEqual(['d0']);
      expect(names(await client.list('Deployment', { namespace: one, name: 'd3' }))).toEqual(['d3']);
    });

    it('watches a list from its version on: what comes, changes and goes, in its namespace and its selection', async () => {
      const [one, two] = [await server.namespace(), await server.namespace()];
      const reports: string[] = [];
      const watching = connect({ onList: ({ what }) => reports.push(what) });
      // No controller writes to a Service by itself.
      const service = (namespace: string, name: string, more: { labels?: object } = {}): ApiObject => ({
        ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace, ...more } },
        spec: { ports: [{ port: 80 }] },
      });
      const at = (name: string): string => `/api/v1/namespaces/${one}/services/${name}`;
      let passes = 0;
      const names = async (where: object): Promise<string[]> => {
        passes += 1;
        const found = await watching.list('Service', { ...where, watched: { pass: passes, renew: false } });
        return found.map(({ metadata }) => metadata.name);
      };
      const everywhere = { labelSelector: 'watched=yes', notIn: [two] };
      const pass = async () => [await names({ namespace: one }), await names(everywhere)];
      const noticed = (count: number) =>
        until(() => reports.filter((what) => what === 'changed').length >= count, { what: `change ${count}` });
      const labels = { watched: 'yes' };
      await pass();
      await client.apply(service(one, 'a', { labels }), { force: false });
      await noticed(2);
      expect(await pass()).toEqual([['a'], ['a']]);
      await client.apply(service(two, 'b', { labels }), { force: false });
      await client.apply(service(one, 'c'), { force: false });
      await noticed(3);
      expect(await pass()).toEqual([['a', 'c'], ['a']]);
      await server.admin('PATCH', at('a'), { metadata: { labels: { watched: null } } }, 'application/merge-patch+json');
      await noticed(5);
      expect(await pass()).toEqual([['a', 'c'], []]);
      await server.admin('DELETE', at('c'));
      await noticed(6);
      expect(await pass()).toEqual([['a'], []]);
      expect(await pass()).toEqual([['a'], []]);
      expect(reports.filter((what) => what === 'changed')).toHaveLength(6);
      expect(reports.slice(-2)).toEqual(['reused', 'reused']);
      expect(reports).not.toContain('refused');
    });

    it('refuses a field that it does not know, and makes nothing of the rest', async () => {
      const namespace = await server.namespace();
      const object = deployment(namespace, 'a');
      const wrong = { ...object, spec: { ...(object['spec'] as object), replica: 2 } } as ApiObject;
      const act = client.apply(wrong, { force: false });
      expect(await codeOf(act)).toBe('KUBE_INVALID');
      await expect(act).rejects.toThrow(/unknown field|field not declared/);
      expect(await get(namespace, 'a')).toBeUndefined();
    });

    it('tells that a namespace does not exist', async () => {
      expect(await codeOf(client.apply(deployment('never-made', 'a'), { force: false }))).toBe('KUBE_NO_NAMESPACE');
    });

    it('tells that a namespace is being deleted', async () => {
      const namespace = await server.namespace();
      const held = deployment(namespace, 'held');
      const finalizers = ['example.com/hold'];
      await client.apply({ ...held, metadata: { ...held.metadata, finalizers } }, { force: false });
      expect((await server.admin('DELETE', `/api/v1/namespaces/${namespace}`)).status).toBe(200);
      const act = client.apply(deployment(namespace, 'a'), { force: false });
      expect(await codeOf(act)).toBe('KUBE_FORBIDDEN');
      await expect(act).rejects.toMatchObject({ hint: expect.stringContaining('the namespace is being deleted') });
      await edit(namespace, 'held', { metadata: { finalizers: null } });
    });

    it('creates only where nothing is, when the object states a version that none ever had', async () => {
      const namespace = await server.namespace();
      const stated = (): ApiObject => {
        const object = deployment(namespace, 'a', { env: [{ name: 'A', value: '2' }] });
        return { ...object, metadata: { ...object.metadata, resourceVersion: '1' } };
      };
      expect(await client.apply(stated(), { force: false })).toEqual({ created: true });
      const foreign = await server.namespace();
      const plain = deployment(foreign, 'a');
      await server.admin('POST', `/apis/apps/v1/namespaces/${foreign}/deployments?fieldManager=kubectl`, plain);
      const again = { ...plain, metadata: { ...plain.metadata, resourceVersion: '1' } };
      expect(await codeOf(client.apply(again, { force: false }))).toBe('KUBE_CONFLICT');
      expect(JSON.stringify((await get(foreign, 'a'))?.metadata['managedFields'])).not.toContain('echelon');
    });

    it('applies only to the object of the uid that is stated', async () => {
      const namespace = await server.namespace();
      await client.apply(deployment(namespace, 'a'), { force: false });
      const wrong = (object: string): ApiObject => {
        const plain = deployment(namespace, object, { replicas: 3 });
        return { ...plain, metadata: { ...plain.metadata, uid: '11111111-2222-3333-4444-555555555555' } };
      };
      expect(await codeOf(client.apply(wrong('a'), { force: true }))).toBe('KUBE_CONFLICT');
      expect(await codeOf(client.apply(wrong('b'), { force: true }))).toBe('KUBE_CONFLICT');
      expect(await get(namespace, 'b')).toBeUndefined();
      expect((await get(namespace, 'a'))?.['spec']).toMatchObject({ replicas: 1 });
    });

    it('tells which fields another manager holds, and takes them when told to', async () => {
      const namespace = await server.namespace();
      await client.apply(deployment(namespace, 'a'), { force: false });
      expect((await edit(namespace, 'a', { spec: { replicas: 0 } })).status).toBe(200);
      const refused: unknown = await client.apply(deployment(namespace, 'a'), { force: false }).catch((error) => error);
      expect(refused).toBeInstanceOf(KubeError);
      expect(refused).toMatchObject({
        code: 'KUBE_FIELD_CONFLICT',
        conflicts: [{ field: '.spec.replicas', message: expect.stringContaining('kubectl-edit') }],
      });
      expect((await get(namespace, 'a'))?.['spec']).toMatchObject({ replicas: 0 });
      await client.apply(deployment(namespace, 'a'), { force: true });
      expect((await get(namespace, 'a'))?.['spec']).toMatchObject({ replicas: 1 });
    });

    it('removes what is no longer applied, and leaves what others added', async () => {
      const namespace = await server.namespace();
      const env = [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ];
      await client.apply(deployment(namespace, 'a', { env }), { force: false });
      await edit(namespace, 'a', { metadata: { labels: { theirs: 'yes' } } });
      await client.apply(deployment(namespace, 'a', { env: [{ name: 'A', value: '1' }] }), { force: false });
      const live = await get(namespace, 'a');
      expect(live?.metadata['labels']).toMatchObject({ theirs: 'yes' });
      expect(JSON.stringify(live?.['spec'])).not.toContain('"B"');
    });

    it('keeps the selector of a workload', async () => {
      const namespace = await server.namespace();
      await client.apply(deployment(namespace, 'a'), { force: false });
      const other = deployment(namespace, 'a');
      const labels = { app: 'a', shard: '0' };
      const spec = other['spec'] as { template: { spec: object } };
      const changed = {
        ...other,
        spec: { ...spec, selector: { matchLabels: labels }, template: { ...spec.template, metadata: { labels } } },
      } as ApiObject;
      expect(await codeOf(client.apply(changed, { force: true }))).toBe('KUBE_INVALID');
    });

    it('deletes the object of a uid and no other of its name', async () => {
      const namespace = await server.namespace();
      await client.apply(deployment(namespace, 'a'), { force: false });
      const id = { kind: 'Deployment', namespace, name: 'a' };
      const wrong = { uid: '11111111-2222-3333-4444-555555555555' };
      expect(await codeOf(client.remove(id, wrong))).toBe('KUBE_CONFLICT');
      const uid = (await get(namespace, 'a'))?.metadata['uid'] as string;
      expect(await codeOf(client.remove(id, { uid }))).toBe('done');
      expect(await get(namespace, 'a')).toBeUndefined();
      expect(await codeOf(client.remove(id, { uid }))).toBe('done');
    });

    it('applies and deletes only the version that is stated, and creates none that is gone', async () => {
      const namespace = await server.namespace();
      const id = { kind: 'Service', namespace, name: 'a' };
      const service = (port: number, stated: object = {}): ApiObject => ({
        ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace, ...stated } },
        spec: { selector: { app: 'a' }, ports: [{ port, protocol: 'TCP' }] },
      });
      const now = async (): Promise<{ uid: string; resourceVersion: string }> => {
        const { uid, resourceVersion } = (await client.get(id))!.metadata as Record<string, string>;
        return { uid: uid!, resourceVersion: resourceVersion! };
      };
      await client.apply(service(80), { force: false });
      const observed = await now();
      const at = `/api/v1/namespaces/${namespace}/services/a?fieldManager=kubectl-edit`;
      const note = { metadata: { annotations: { note: 'x' } } };
      expect((await server.admin('PATCH', at, note, 'application/merge-patch+json')).status).toBe(200);
      expect(await codeOf(client.apply(service(81, observed), { force: true }))).toBe('KUBE_CONFLICT');
      expect(await codeOf(client.remove(id, observed))).toBe('KUBE_CONFLICT');
      expect(await codeOf(client.apply(service(82, await now()), { force: true }))).toBe('done');
      expect(await client.get(id)).toMatchObject({ spec: { ports: [{ port: 82 }] } });
      const last = await now();
      expect(await codeOf(client.remove(id, last))).toBe('done');
      expect(await codeOf(client.apply(service(83, last), { force: true }))).toBe('KUBE_CONFLICT');
      expect(await client.get(id)).toBeUndefined();
    });

    it('has leases that a lost race does not overwrite', async () => {
      const namespace = await server.namespace();
      const lease = (holder: string, metadata: object = {}): ApiObject => ({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'l', namespace, ...metadata },
        spec: { holderIdentity: holder, leaseDurationSeconds: 30, renewTime: '2026-11-15T10:00:00.000000Z' },
      });
      const id = { kind: 'Lease', namespace, name: 'l' };
      expect(await client.get(id)).toBeUndefined();
      const made = await client.create(lease('a'));
      expect(await codeOf(client.create(lease('b')))).toBe('KUBE_EXISTS');
      const { resourceVersion } = made.metadata;
      const renewed = await client.replace(lease('a2', { resourceVersion }));
      expect(renewed.metadata['resourceVersion']).not.toBe(resourceVersion);
      expect(await codeOf(client.replace(lease('b', { resourceVersion })))).toBe('KUBE_CONFLICT');
      expect((await client.get(id))?.['spec']).toMatchObject({ holderIdentity: 'a2' });
    });

    it('refuses a wrong token, after the right one was asked for once more', async () => {
      const asked: boolean[] = [];
      const connection: KubeConnection = {
        ...server.connection,
        credentials: async (renew) => {
          asked.push(renew);
          return { headers: { Authorization: 'Bearer wrong' } };
        },
      };
      expect(await codeOf(connect({}, connection).list('Deployment', { namespace: 'x' }))).toBe('KUBE_UNAUTHORIZED');
      expect(asked).toEqual([false, true]);
    });

    it('is not asked to write by a client that only reads', async () => {
      const namespace = await server.namespace();
      const reader = connect({ readOnly: true });
      const id = { kind: 'Deployment', namespace, name: 'a' };
      await client.apply(deployment(namespace, 'a'), { force: false });
      const codes = [
        await codeOf(reader.apply(deployment(namespace, 'a', { replicas: 2 }), { force: true })),
        await codeOf(reader.patch(id, [{ op: 'remove', path: '/spec/replicas' }])),
        await codeOf(reader.remove(id, {})),
        await codeOf(reader.list('Deployment', { namespace })),
      ];
      expect(codes).toEqual(['READ_ONLY', 'READ_ONLY', 'READ_ONLY', 'done']);
      expect((await get(namespace, 'a'))?.metadata['generation']).toBe(1);
    });

    it('gives fields of former managers to the one that takes an object over', async () => {
      const namespace = await server.namespace();
      const env = [
        { name: 'A', value: '1' },
        { name: 'OLD', value: 'x' },
      ];
      const made = await server.admin(
        'POST',
        `/apis/apps/v1/namespaces/${namespace}/deployments?fieldManager=kubectl-client-side-apply`,
        deployment(namespace, 'a', { env }),
      );
      expect(made.status).toBe(201);
      const desired = {
        cluster: 'c',
        namespace,
        file: '',
        environment: 'e',
        objects: [deployment(namespace, 'a') as KubeObject],
      };
      const pass = async () => {
        const live = await observe([{ cluster: 'c', namespaces: [namespace] }], async () => client);
        const plan = planFleet([desired], live, { ...NOBODY, adopt: true });
        const results = await executePlan(plan, { connect: async () => client, sleep: async () => {} });
        return { actions: plan.items.map(({ action }) => action), results };
      };
      const first = await pass();
      expect(first.actions).toEqual(['adopt']);
      expect(first.results.map(({ outcome, error }) => error?.message ?? outcome)).toEqual(['done']);
      const live = await get(namespace, 'a');
      expect(JSON.stringify(live?.['spec'])).not.toContain('OLD');
      expect(JSON.stringify(live?.metadata['managedFields'])).not.toContain('kubectl-client-side-apply');
      expect((await pass()).actions).toEqual(['keep']);
    });

    it('S4: finds nothing to do after everything of the example instance was applied', async () => {
      const namespace = await server.namespace();
      const objects = (await renderExample()).map((object) => ({
        ...object,
        metadata: { ...object.metadata, namespace },
      }));
      expect(objects.length).toBeGreaterThan(20);
      const desired = { cluster: 'c', namespace, file: '', environment: 'e', objects };
      const pass = async () => {
        const live = await observe([{ cluster: 'c', namespaces: [namespace] }], async () => client);
        const plan = planFleet([desired], live, NOBODY);
        const results = await executePlan(plan, { connect: async () => client, sleep: async () => {} });
        return { plan, results };
      };
      const first = await pass();
      expect(first.results.filter(({ outcome }) => outcome !== 'done').map(({ error }) => error?.message)).toEqual([]);
      expect(first.results).toHaveLength(objects.length);
      const second = await pass();
      expect(second.plan.items.filter(({ action }) => action !== 'keep')).toEqual([]);
      expect(second.plan.items).toHaveLength(objects.length);
    });

    it('gives running workloads the identity of their shards without another template, and their pods with the next one', async () => {
      const namespace = await server.namespace();
      const workloads = (await renderExample()).filter(({ kind }) => kind === 'Deployment').slice(0, 3);
      const identified = workloads.map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
      const anonymous = identified.map(withoutIdentity);
      const pass = async (objects: readonly KubeObject[]) => {
        const live = await observe([{ cluster: 'c', namespaces: [namespace] }], async () => client);
        const plan = planFleet([{ cluster: 'c', namespace, file: '', environment: 'e', objects }], live, NOBODY);
        await executePlan(plan, { connect: async () => client, sleep: async () => {} });
        return plan.items.map(({ action }) => action);
      };
      const templates = async () =>
        (await client.list('Deployment', { namespace })).map(({ spec }) => (spec as { template: object }).template);
      const identities = async () => JSON.stringify(await templates()).split('"echelon/shard"').length - 1;
      await pass(anonymous);
      const before = await templates();
      expect(await pass(identified)).toEqual(['update', 'update', 'update']);
      expect(await templates()).toEqual(before);
      expect(await pass(identified)).toEqual(['keep', 'keep', 'keep']);
      const moved = JSON.parse(JSON.stringify(identified).replaceAll(/("image":"[^"]*:)[^":]*"/g, '$1other"'));
      await pass(moved);
      expect(await identities()).toBe(3);
      expect(await pass(moved)).toEqual(['keep', 'keep', 'keep']);
    });
  });
}
