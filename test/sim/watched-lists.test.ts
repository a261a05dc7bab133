import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ApiObject,
  type KubeClient,
  type KubeClientOptions,
  kubeClient,
  tokenConnection,
} from '../../src/clients/kube/index.ts';
import { type SimKube, startSimKube } from '../../src/sim/index.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { until } from '../support/until.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/ns/deployments';
const WATCHES = { where: ({ query }: { query: Readonly<Record<string, string>> }) => query['watch'] === '1' };
const ALWAYS = { ...WATCHES, times: Number.POSITIVE_INFINITY };
const FOREVER = { seconds: 300, graceMs: 30_000 };

let sim: SimKube;
let proxy: FaultProxy;
let reports: string[];
const clients: KubeClient[] = [];

beforeEach(async () => {
  sim = await startSimKube({ namespaces: ['ns', 'other'], controllers: false });
  proxy = await startFaultProxy({ server: sim.url });
  reports = [];
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await proxy.close();
  await sim.close();
});

function open(options: KubeClientOptions = {}): KubeClient {
  const client = kubeClient(tokenConnection({ name: 'c', server: proxy.server, token: async () => 't' }), {
    ...{ sleep: async () => {}, watchTimes: FOREVER, onList: ({ what }) => reports.push(what) },
    ...options,
  });
  clients.push(client);
  return client;
}

const deployment = (name: string, namespace = 'ns', image = 'a:1') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace, labels: { app: 'x' } },
  spec: {
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'int', image }] } },
  },
});

async function admin(method: string, path: string, body?: object): Promise<void> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const init = { method, headers: { 'content-type': type }, ...(body ? { body: JSON.stringify(body) } : {}) };
  expect((await fetch(`${sim.url}${path}`, init)).ok).toBe(true);
}

/** A loop's passes over the deployments of a namespace: their names with their images. */
function passes(client: KubeClient, where: object = { namespace: 'ns' }) {
  let pass = 0;
  return async (renew = false): Promise<string[]> => {
    pass += 1;
    const objects = await client.list('Deployment', { ...where, watched: { pass, renew } });
    const imageOf = (object: object) => JSON.stringify(object).match(/"image":"([^"]+)"/)?.[1];
    return objects.map((object) => `${object.metadata.name} ${imageOf(object)}`);
  };
}
const watches = (): number => proxy.requests.filter(({ query }) => query['watch'] === '1').length;
const lists = (): number => proxy.requests.length - watches();
const noticed = (): Promise<unknown> => until(() => reports.includes('changed'), { what: 'the change is noticed' });

describe('a list of the loop', () => {
  beforeEach(() => admin('POST', DEPLOYMENTS, deployment('a')));

  it('is made once while nothing changes, also page by page', async () => {
    for (let index = 0; index < 30; index += 1) await admin('POST', DEPLOYMENTS, deployment(`b${index}`));
    const pass = passes(open({ pageSize: 10 }));
    const first = await pass();
    expect(first).toHaveLength(31);
    expect(lists()).toBe(4);
    for (const _ of [1, 2, 3]) expect(await pass()).toEqual(first);
    expect(lists()).toBe(4);
    expect(reports).toEqual(['listed', 'reused', 'reused', 'reused']);
  });

  it('holds the same objects while they do not change, also after a resync and beside others that do', async () => {
    await admin('POST', DEPLOYMENTS, deployment('b'));
    const client = open();
    const pass = (number: number, renew = false) =>
      client.list('Deployment', { namespace: 'ns', watched: { pass: number, renew } });
    const [first, ...others] = [await pass(1), await pass(2), await pass(3, true)];
    for (const objects of others) for (const at of [0, 1]) expect(objects[at]).toBe(first?.[at]);
    await admin('PATCH', `${DEPLOYMENTS}/b`, { metadata: { labels: { new: '1' } } });
    await noticed();
    const last = await pass(4);
    expect(last[0]).toBe(first?.[0]);
    expect(last[1]?.metadata['labels']).toEqual({ app: 'x', new: '1' });
    expect(first?.[1]?.metadata['labels']).toEqual({ app: 'x' });
  });

  it('is not that of a caller who keeps something else of the objects', async () => {
    const client = open();
    const named = (object: ApiObject): ApiObject => ({ ...object, spec: object.metadata.name });
    const pass = async (number: number, keep?: typeof named) => {
      const where = { namespace: 'ns', watched: { pass: number, renew: false }, ...(keep ? { keep } : {}) };
      return (await client.list('Deployment', where)).map((object) => object['spec']);
    };
    const whole = await pass(1);
    expect(await pass(2, named)).toEqual(['a']);
    expect(await pass(3, named)).toEqual(['a']);
    expect(await pass(4)).toEqual(whole);
  });

  it.each([
    { given: 'an edit', by: ['PATCH', `${DEPLOYMENTS}/a`, { metadata: { labels: { new: '1' } } }], sees: ['a a:1'] },
    { given: 'a new object', by: ['POST', DEPLOYMENTS, deployment('b')], sees: ['a a:1', 'b a:1'] },
    { given: 'a deletion', by: ['DELETE', `${DEPLOYMENTS}/a`], sees: [] },
  ] as const)('is made again after $given by another, and then kept again', async ({ by, sees }) => {
    const pass = passes(open());
    await pass();
    await pass();
    await admin(...(by as [string, string]));
    await noticed();
    expect(await pass()).toEqual(sees);
    expect(await pass()).toEqual(sees);
    expect(reports).toEqual(['listed', 'reused', 'changed', 'listed', 'reused']);
  });

  it('is not made again for a change elsewhere, nor for one outside of its selection', async () => {
    const [here, labelled] = [passes(open()), passes(open(), { labelSelector: 'app=y', notIn: ['ns'] })];
    await Promise.all([here(), labelled()]);
    await admin('POST', DEPLOYMENTS.replace('/ns/', '/other/'), deployment('b', 'other'));
    await admin('POST', DEPLOYMENTS, deployment('zz'));
    await noticed();
    await Promise.all([here(), labelled()]);
    expect(reports.filter((report) => report === 'reused')).toHaveLength(1);
    expect(await labelled()).toEqual([]);
  });

  it('is made again after a write of its own, though no watch reports it', async () => {
    proxy.swallow(ALWAYS);
    const client = open();
    const pass = passes(client);
    await pass();
    await client.apply(deployment('a', 'ns', 'a:2'), { force: true });
    expect(await pass()).toEqual(['a a:2']);
    await client.remove({ kind: 'Deployment', namespace: 'ns', name: 'a' }, {});
    expect(await pass()).toEqual([]);
    const everywhere = passes(client, { labelSelector: 'app=x' });
    await everywhere();
    await client.apply(deployment('c', 'other'), { force: true });
    expect(await everywhere()).toEqual(['c a:1']);
  });

  it('is made again by the resync, when the event got lost', async () => {
    const lost = proxy.swallow(ALWAYS);
    const pass = passes(open());
    await pass();
    await admin('DELETE', `${DEPLOYMENTS}/a`);
    expect(await pass()).toEqual(['a a:1']);
    lost.remove();
    expect(await pass(true)).toEqual([]);
    await admin('POST', DEPLOYMENTS, deployment('b'));
    await noticed();
    expect(await pass()).toEqual(['b a:1']);
  });

  it('is made again when its watch is cut, and kept again', async () => {
    const pass = passes(open());
    await pass();
    proxy.partition('reset').heal();
    await admin('DELETE', `${DEPLOYMENTS}/a`);
    await until(async () => (await pass()).length === 0, { what: 'the cut is noticed' });
    const made = lists();
    await pass();
    expect(lists()).toBe(made);
  });

  it('is made again when its watch is silent beyond its end', async () => {
    const pass = passes(open({ watchTimes: { seconds: 0.02, graceMs: 20 } }));
    const held = proxy.swallow(WATCHES);
    const isSwallowed = async (): Promise<boolean> => {
      await pass();
      return held.struck.length > 0;
    };
    // On a slow machine the first is given up before it arrives.
    await until(isSwallowed, { what: 'a watch is swallowed', everyMs: 1 });
    await admin('DELETE', `${DEPLOYMENTS}/a`);
    await until(async () => (await pass()).length === 0, { what: 'the silence is noticed' });
  });

  it('is kept when the server ends its watch in time, which goes on where it was', async () => {
    const pass = passes(open({ watchTimes: { seconds: 0.2, graceMs: 30_000 } }));
    await pass();
    await until(() => watches() >= 2, { what: 'the watch is opened again' });
    const queries = proxy.requests.filter(({ query }) => query['watch'] === '1').map(({ query }) => query);
    expect(new Set(queries.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
    await pass();
    expect(lists()).toBe(1);
    await admin('DELETE', `${DEPLOYMENTS}/a`);
    await noticed();
    expect(await pass()).toEqual([]);
  });

  it('is made again when the server has forgotten its version', async () => {
    const gone = proxy.add(WATCHES, { status: 410 });
    const pass = passes(open());
    await pass();
    await pass();
    expect(gone.struck).toHaveLength(1);
    await pass();
    expect(lists()).toBe(2);
  });

  it.each([
    { given: 'refuses to watch', status: 403 },
    { given: 'has no watches', status: 405 },
  ])('is made by every pass where the server $given, which is asked again only by the resync', async ({ status }) => {
    const refused = proxy.add(ALWAYS, { status });
    const pass = passes(open());
    await pass();
    await until(() => reports.includes('refused'), { what: 'the refusal is reported' });
    await pass();
    await pass();
    expect([lists(), watches()]).toEqual([3, 1]);
    refused.remove();
    await pass(true);
    await pass();
    expect([lists(), watches()]).toEqual([4, 2]);
    expect(reports).toEqual(['listed', 'refused', 'listed', 'listed', 'listed', 'reused']);
  });

  it('is made by every pass where the answer to a watch is something else', async () => {
    proxy.add(ALWAYS, { status: 200, text: '{"kind":"DeploymentList","items":[]}' });
    const pass = passes(open());
    await until(async () => (await pass()) && lists() >= 3, { what: 'three passes listed' });
    expect(await pass()).toEqual(['a a:1']);
  });

  it('is made by every pass, without a watch, of a client that does not report', async () => {
    const pass = passes(open({ onList: undefined }));
    await pass();
    await pass();
    expect([lists(), watches()]).toEqual([2, 0]);
  });

  it('ends with the permit of its leader, and a later leader makes its own', async () => {
    const terms = [new AbortController(), new AbortController()];
    const permits = terms.map(({ signal }) => ({ signal, mayWrite: () => !signal.aborted }));
    let current = permits[0];
    const pass = passes(open({ permit: () => current }));
    await pass();
    await pass();
    expect(reports).toEqual(['listed', 'reused']);
    terms[0]?.abort(new Error('lost'));
    await pass();
    await pass();
    expect(reports.slice(2)).toEqual(['listed', 'listed']);
    expect(watches()).toBe(1);
    current = permits[1];
    await pass();
    await pass();
    expect(reports.slice(4)).toEqual(['listed', 'reused']);
  });

  it('is forgotten with its watch when two passes did not ask for it', async () => {
    const client = open();
    const other = (pass: number) => client.list('StatefulSet', { namespace: 'ns', watched: { pass, renew: true } });
    await client.list('Deployment', { namespace: 'ns', watched: { pass: 1, renew: true } });
    await client.list('Deployment', { namespace: 'ns', watched: { pass: 1, renew: false } });
    for (const pass of [1, 2, 3]) await other(pass);
    await client.list('Deployment', { namespace: 'ns', watched: { pass: 4, renew: false } });
    expect(reports).toEqual(['listed', 'reused', 'listed', 'listed', 'listed', 'listed']);
  });

  it('leaves no connection behind when its client is closed', async () => {
    const client = open();
    const kinds = ['Deployment', 'StatefulSet', 'CronJob', 'Service'];
    for (const pass of [1, 2])
      await Promise.all(kinds.map((kind) => client.list(kind, { namespace: 'ns', watched: { pass, renew: false } })));
    expect(proxy.connections()).toBeGreaterThanOrEqual(kinds.length);
    client.close();
    await until(() => proxy.connections() === 0, { what: 'all connections are closed' });
  });
});
