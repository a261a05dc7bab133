import { afterEach, describe, expect, it } from 'vitest';
import {
  hangUp,
  inTurn,
  json,
  type LocalHttp,
  plain,
  type Reply,
  startLocalHttp,
} from '../../../test/support/local-http.ts';
import { tokenConnection } from './connection.ts';
import { type KubeClient, type KubeClientOptions, kubeClient } from './kube-client.ts';
import type { KubeError } from './kube-error.ts';
import type { ApiObject } from './list-objects.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function against(
  reply: Reply,
  options: KubeClientOptions = {},
): Promise<{ client: KubeClient; server: LocalHttp }> {
  const server = await startLocalHttp(reply);
  const connection = tokenConnection({ name: 'prod', server: server.url, token: async () => 't' });
  const client = kubeClient(connection, { sleep: async () => {}, ...options });
  open.push(client, server);
  return { client, server };
}

async function codeOf(act: Promise<unknown>): Promise<string> {
  return act.then(
    () => 'done',
    ({ code }: KubeError) => code,
  );
}

const item = (name: string): object => ({ metadata: { name, namespace: 'ns' } });
const page = (names: readonly string[], next?: string): Reply =>
  json(200, { kind: 'DeploymentList', metadata: { continue: next }, items: names.map(item) });
const expired = json(410, { kind: 'Status', reason: 'Expired', message: 'the continue parameter is too old' });
const namesOf = (objects: readonly ApiObject[]): string[] => objects.map(({ metadata }) => metadata.name);

const DEPLOYMENT: ApiObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', namespace: 'ns' } };
/** Some hundred at most. */
const LIMIT = expect.stringMatching(/^[1-9]\d{1,2}$/);

const ID = { kind: 'Deployment', namespace: 'ns', name: 'a' };

describe('a list', () => {
  it('is asked for page by page, and every item says what it is', async () => {
    const { client, server } = await against(inTurn(page(['a', 'b'], 'next/1=='), page(['c'])), { pageSize: 2 });
    const found = await client.list('Deployment', { namespace: 'ns' });
    expect(found).toEqual(
      ['a', 'b', 'c'].map((name) => ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace: 'ns' },
      })),
    );
    expect(server.seen.map(({ path, query }) => ({ path, query }))).toEqual([
      { path: '/apis/apps/v1/namespaces/ns/deployments', query: { limit: '2' } },
      { path: '/apis/apps/v1/namespaces/ns/deployments', query: { limit: '2', continue: 'next/1==' } },
    ]);
  });

  it('has pages of a limited size unless told otherwise, and one with an empty mark is the last', async () => {
    const { client, server } = await against(page(['a'], ''));
    expect(namesOf(await client.list('Pod'))).toEqual(['a']);
    expect(server.seen.map(({ path, query }) => [path, query])).toEqual([['/api/v1/pods', { limit: LIMIT }]]);
  });

  it('keeps of each item what it is told to', async () => {
    const { client } = await against(inTurn(page(['a'], 'next'), page(['b'])));
    const keep = ({ metadata, ...rest }: ApiObject): ApiObject => ({
      ...rest,
      metadata: { name: `kept-${metadata.name}` },
    });
    expect(await client.list('Deployment', { keep })).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'kept-a' } },
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'kept-b' } },
    ]);
  });

  it('that expires between two pages is begun anew', async () => {
    const answers = inTurn(page(['old'], 'one'), expired, page(['a'], 'two'), page(['b']));
    const { client, server } = await against(answers);
    expect(namesOf(await client.list('Deployment', { namespace: 'ns' }))).toEqual(['a', 'b']);
    expect(server.seen.map(({ query }) => query['continue'])).toEqual([undefined, 'one', undefined, 'two']);
  });

  it('that expires again and again is given up', async () => {
    const { client, server } = await against(inTurn(...[1, 2, 3, 4].flatMap(() => [page(['old'], 'one'), expired])));
    expect(await codeOf(client.list('Deployment'))).toBe('KUBE_EXPIRED');
    expect(server.seen).toHaveLength(6);
  });

  it('that never ends is no list', async () => {
    const { client, server } = await against(page(['a'], 'again'));
    expect(await codeOf(client.list('Deployment'))).toBe('KUBE_ANSWER');
    expect(server.seen).toHaveLength(1_000);
  });

  it.each([
    { given: 'labels', where: { labelSelector: 'a=b,c=d' }, query: { labelSelector: 'a=b,c=d' } },
    { given: 'a name', where: { name: 'x' }, query: { fieldSelector: 'metadata.name=x' } },
    {
      given: 'namespaces to leave out',
      where: { notIn: ['n1', 'n2'] },
      query: { fieldSelector: 'metadata.namespace!=n1,metadata.namespace!=n2' },
    },
    {
      given: 'a name and a namespace to leave out',
      where: { name: 'x', notIn: ['n1'] },
      query: { fieldSelector: 'metadata.name=x,metadata.namespace!=n1' },
    },
    { given: 'no namespaces to leave out', where: { notIn: [] }, query: {} },
    {
      given: 'as many namespaces to leave out as an address takes',
      where: { notIn: Array.from({ length: 50 }, () => 'n') },
      query: { fieldSelector: Array.from({ length: 50 }, () => 'metadata.namespace!=n').join(',') },
    },
    {
      given: 'more namespaces to leave out than an address takes',
      where: { notIn: Array.from({ length: 51 }, () => 'n') },
      query: {},
    },
  ])('is narrowed by $given', async ({ where, query }) => {
    const { client, server } = await against(page([]));
    await client.list('Service', where);
    expect(server.seen[0]?.query).toEqual({ limit: LIMIT, ...query });
  });

  it.each([
    { given: 'a text', body: 'x' },
    { given: 'null', body: null },
    { given: 'a bare list', body: [] },
    { given: 'items that are a mapping', body: { items: {} } },
    { given: 'an item that is none', body: { items: [item('a'), null] } },
    { given: 'an item without metadata', body: { items: [{ spec: {} }] } },
  ])('that is $given is no answer of an API server', async ({ body }) => {
    const { client } = await against(json(200, body));
    const act = client.list('Deployment');
    expect(await codeOf(act)).toBe('KUBE_ANSWER');
    await expect(act).rejects.toThrow('prod: ');
  });

  it.each([{ items: null }, { items: [] }, {}])('of nothing is empty: %j', async (body) => {
    const { client } = await against(json(200, { metadata: {}, ...body }));
    expect(await client.list('Deployment')).toEqual([]);
  });

  it('ends when nobody waits for it any more', async () => {
    const stop = new AbortController();
    const { client, server } = await against((response, request) => {
      page(['a'], 'next')(response, request);
      stop.abort(new Error('enough'));
    });
    await expect(client.list('Deployment', { signal: stop.signal })).rejects.toThrow('enough');
    expect(server.seen).toHaveLength(1);
  });
});

describe('one object', () => {
  it('is read', async () => {
    const { client, server } = await against(json(200, DEPLOYMENT));
    expect(await client.get(ID)).toEqual(DEPLOYMENT);
    expect(server.seen).toMatchObject([{ method: 'GET', path: '/apis/apps/v1/namespaces/ns/deployments/a' }]);
  });

  it.each([
    { given: 'it is not there', body: { reason: 'NotFound', details: { kind: 'deployments' } } },
    { given: 'its namespace is not there', body: { reason: 'NotFound', details: { kind: 'namespaces' } } },
  ])('is undefined when $given', async ({ body }) => {
    const { client } = await against(json(404, body));
    expect(await client.get(ID)).toBeUndefined();
  });

  it('that may not be read is an error, not a missing one', async () => {
    const { client } = await against(plain(403));
    expect(await codeOf(client.get(ID))).toBe('KUBE_FORBIDDEN');
  });

  it.each([
    { method: 'get', act: (client: KubeClient) => client.get(ID) },
    { method: 'create', act: (client: KubeClient) => client.create(DEPLOYMENT) },
    { method: 'replace', act: (client: KubeClient) => client.replace(DEPLOYMENT) },
  ])('that is none is no answer of an API server: $method', async ({ act }) => {
    for (const body of [null, [], 'x', {}, { metadata: 'x' }]) {
      const { client } = await against(json(200, body));
      expect(await codeOf(act(client))).toBe('KUBE_ANSWER');
    }
  });
});

describe('the log of a container', () => {
  const LOG = { namespace: 'ns', pod: 'a-1', container: 'int', mostBytes: 5_000 };

  it.each(['', 'not json\n', '{"level": "info"}\n'])('is text as it is: %j', async (text) => {
    const { client, server } = await against(plain(200, text));
    expect(await client.log(LOG)).toBe(text);
    expect(server.seen).toMatchObject([
      {
        method: 'GET',
        path: '/api/v1/namespaces/ns/pods/a-1/log',
        query: { container: 'int', limitBytes: '5000' },
        headers: { accept: '*/*' },
      },
    ]);
  });

  it('is undefined when the pod is gone', async () => {
    const { client } = await against(json(404, { reason: 'NotFound', details: { kind: 'pods' } }));
    expect(await client.log(LOG)).toBeUndefined();
  });

  it.each([
    { once: {}, requests: 2 },
    { once: { once: true as const }, requests: 1 },
  ])('whose response is lost is asked for $requests times with $once', async ({ once, requests }) => {
    const { client, server } = await against(inTurn(hangUp, plain(200, 'text')));
    const read = await client.log({ ...LOG, ...once }).catch(({ code }: KubeError) => code);
    expect([read, server.seen.length]).toEqual([requests === 1 ? 'KUBE_UNREACHABLE' : 'text', requests]);
  });

  it('that may not be read is an error', async () => {
    const { client } = await against(plain(403));
    expect(await codeOf(client.log(LOG))).toBe('KUBE_FORBIDDEN');
  });
});

describe('a write', () => {
  const written = { fieldManager: 'echelon', fieldValidation: 'Strict' };

  it.each([
    {
      given: 'create',
      act: (client: KubeClient) => client.create(DEPLOYMENT),
      sent: { method: 'POST', path: '/apis/apps/v1/namespaces/ns/deployments', query: written },
      type: 'application/json',
      body: DEPLOYMENT,
    },
    {
      given: 'replace',
      act: (client: KubeClient) => client.replace(DEPLOYMENT),
      sent: { method: 'PUT', path: '/apis/apps/v1/namespaces/ns/deployments/a', query: written },
      type: 'application/json',
      body: DEPLOYMENT,
    },
    {
      given: 'apply',
      act: (client: KubeClient) => client.apply(DEPLOYMENT, { force: false }),
      sent: {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/ns/deployments/a',
        query: { ...written, force: 'false' },
      },
      type: 'application/apply-patch+yaml',
      body: DEPLOYMENT,
    },
    {
      given: 'apply that takes fields from others',
      act: (client: KubeClient) => client.apply(DEPLOYMENT, { force: true }),
      sent: { query: { ...written, force: 'true' } },
      type: 'application/apply-patch+yaml',
      body: DEPLOYMENT,
    },
    {
      given: 'patch',
      act: (client: KubeClient) => client.patch(ID, [{ op: 'remove', path: '/spec' }]),
      sent: { method: 'PATCH', path: '/apis/apps/v1/namespaces/ns/deployments/a', query: written },
      type: 'application/json-patch+json',
      body: [{ op: 'remove', path: '/spec' }],
    },
    {
      given: 'remove',
      act: (client: KubeClient) => client.remove(ID, { uid: 'u' }),
      sent: { method: 'DELETE', path: '/apis/apps/v1/namespaces/ns/deployments/a', query: {} },
      type: 'application/json',
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        preconditions: { uid: 'u' },
      },
    },
    {
      given: 'remove that leaves the pods',
      act: (client: KubeClient) => client.remove(ID, { orphan: true }),
      sent: { method: 'DELETE' },
      type: 'application/json',
      body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Orphan' },
    },
  ])('says exactly what is meant: $given', async ({ act, sent, type, body }) => {
    const { client, server } = await against(json(200, DEPLOYMENT));
    await act(client);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({ ...sent, headers: { 'content-type': type } });
    expect(server.seen[0]?.query).toEqual('query' in sent ? sent.query : {});
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual(body);
  });

  it.each([
    { status: 201, created: true },
    { status: 200, created: false },
  ])('tells whether an apply created something: $status', async ({ status, created }) => {
    const { client } = await against(json(status, DEPLOYMENT));
    expect(await client.apply(DEPLOYMENT, { force: false })).toEqual({ created });
  });

  it.each([
    { given: 'create', act: (client: KubeClient) => client.create(DEPLOYMENT), sent: 1 },
    { given: 'replace', act: (client: KubeClient) => client.replace(DEPLOYMENT), sent: 1 },
    { given: 'patch', act: (client: KubeClient) => client.patch(ID, []), sent: 1 },
    { given: 'apply', act: (client: KubeClient) => client.apply(DEPLOYMENT, { force: false }), sent: 2 },
    { given: 'remove', act: (client: KubeClient) => client.remove(ID, {}), sent: 2 },
    { given: 'get', act: (client: KubeClient) => client.get(ID), sent: 2 },
    { given: 'list', act: (client: KubeClient) => client.list('Deployment'), sent: 2 },
  ])('whose answer got lost is sent $sent times: $given', async ({ act, sent }) => {
    const { client, server } = await against(inTurn(hangUp, json(200, { ...DEPLOYMENT, items: [] })));
    expect(await codeOf(act(client))).toBe(sent === 1 ? 'KUBE_UNREACHABLE' : 'done');
    expect(server.seen).toHaveLength(sent);
  });

  it('of an object without a name never becomes one of all', async () => {
    const { client, server } = await against(json(200, {}));
    await expect(client.remove({ ...ID, name: '' }, {})).rejects.toThrow('is not the name of an object');
    expect(server.seen).toEqual([]);
  });
});

describe('what is removed', () => {
  it('is gone already, which is as good', async () => {
    const { client } = await against(json(404, { reason: 'NotFound', details: { kind: 'deployments' } }));
    expect(await codeOf(client.remove(ID, { uid: 'u' }))).toBe('done');
  });

  it('may be gone after the first try, whose answer got lost', async () => {
    const { client } = await against(inTurn(hangUp, plain(404)));
    expect(await codeOf(client.remove(ID, { uid: 'u' }))).toBe('done');
  });

  it('is another object of the name, which stays', async () => {
    const { client } = await against(json(409, { reason: 'Conflict', message: 'Precondition failed: UID' }));
    expect(await codeOf(client.remove(ID, { uid: 'u' }))).toBe('KUBE_CONFLICT');
  });
});

it('P2: a client that only reads sends no write', async () => {
  const { client, server } = await against(json(200, { ...DEPLOYMENT, items: [] }), { readOnly: true });
  const codes = [
    await codeOf(client.create(DEPLOYMENT)),
    await codeOf(client.replace(DEPLOYMENT)),
    await codeOf(client.apply(DEPLOYMENT, { force: false })),
    await codeOf(client.patch(ID, [])),
    await codeOf(client.remove(ID, {})),
  ];
  expect(new Set(codes)).toEqual(new Set(['READ_ONLY']));
  expect(server.seen).toEqual([]);
  expect([await codeOf(client.list('Deployment')), await codeOf(client.get(ID))]).toEqual(['done', 'done']);
});
