import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ForwardProxy, startForwardProxy, trustTestAuthority } from '../../test/support/forward-proxy.ts';
import { json, plain, type Reply, startLocalHttp } from '../../test/support/local-http.ts';
import { AUTHORITY, startLocalHttps } from '../../test/support/local-https.ts';
import { openForge } from './forge/index.ts';
import { httpClient } from './http/index.ts';
import { kubeClient, tokenConnection } from './kube/index.ts';
import { createOcmClient } from './ocm/index.ts';
import { prometheusQuery } from './prometheus.ts';
import { qontractClient } from './qontract-server.ts';
import { imageDigest } from './registry.ts';
import { openSecrets } from './secrets/index.ts';
import { openStore } from './state/index.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

let distrust: () => void;
beforeAll(() => {
  distrust = trustTestAuthority();
});
afterAll(() => distrust());

type Env = Readonly<Record<string, string>>;

const clock = { now: () => new Date(), sleep: async () => undefined };
const signal = new AbortController().signal;
const credentials = { kind: 'client-credentials', clientId: 'me', clientSecret: 'a-client-secret' } as const;
const TOKEN = json(200, { access_token: 'an-access-token', expires_in: 300 });
const DIGEST = `sha256:${'a'.repeat(64)}`;

/** Each client, and what it asks of a server that only a proxy can reach. */
const CLIENTS: readonly {
  readonly client: string;
  readonly reply: Reply;
  readonly ask: (url: string, env: Env) => Promise<unknown>;
  readonly result: unknown;
}[] = [
  {
    client: 'Kubernetes',
    reply: json(200, { items: [] }),
    ask: async (url, env) => {
      const place = tokenConnection({ name: 'lab', server: url, ca: AUTHORITY, env, token: async () => 'a-token' });
      const client = kubeClient(place, { sleep: async () => undefined, connectMs: 200 });
      open.push(client);
      return client.list('Pod');
    },
    result: [],
  },
  {
    client: 'OCM with its login',
    reply: (response, request) =>
      (request.path === '/token' ? TOKEN : json(200, { username: 'me', organization_id: 'o1' }))(response, request),
    ask: (url, env) => createOcmClient({ url, tokenUrl: `${url}/token`, credentials, clock, env }).currentAccount(),
    result: { username: 'me', organizationId: 'o1' },
  },
  {
    client: 'a forge',
    reply: json(200, { commit: { id: 'b'.repeat(40) } }),
    ask: async (url, env) => {
      const how = { kind: 'gitlab', api: `${url}/api/v4`, readOnly: true, namedBy: 'operator', clock } as const;
      const forge = await openForge(`${url}/group/project`, {
        ...how,
        env: { ...env, GITLAB_TOKEN: 'a-gitlab-token' },
      });
      return forge.newestCommit('main');
    },
    result: 'b'.repeat(40),
  },
  {
    client: 'a qontract-server',
    reply: plain(200, 'c'.repeat(64)),
    ask: (url, env) => qontractClient({ url, token: 'Basic abc', clock, env }).latest(),
    result: 'c'.repeat(64),
  },
  {
    client: 'Vault',
    reply: json(200, { data: { data: { token: 'a-secret' }, options: { version: '2' } } }),
    ask: async (url, env) => {
      const vault = { ...env, VAULT_ADDR: url, VAULT_TOKEN: 'a-vault-token' };
      return (
        await openSecrets({ env: vault, config: { vault: {} }, clock }).read({ path: 'kv/a', field: 'token' })
      ).get('token');
    },
    result: 'a-secret',
  },
  {
    client: 'S3',
    reply: plain(200, 'state', { etag: '"1"' }),
    ask: async (url, env) => {
      const access = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-secret-access-key' };
      const store = openStore(
        { env },
        { kind: 's3', bucket: 'b', prefix: '', endpoint: url, pathStyle: true, credentials: access },
      );
      return Buffer.from((await store.read('k'))?.value ?? []).toString();
    },
    result: 'state',
  },
  {
    client: 'a registry',
    reply: plain(200, '', { 'docker-content-digest': DIGEST }),
    ask: (url, env) => imageDigest({ image: `${new URL(url).host}/owner/name`, tag: 'abc1234', env, signal }),
    result: DIGEST,
  },
  {
    client: 'Prometheus with its login',
    reply: (response, request) =>
      (request.path === '/token' ? TOKEN : json(200, { data: { result: [{ metric: {}, value: [1, '2'] }] } }))(
        response,
        request,
      ),
    ask: (url, env) =>
      prometheusQuery({ url, tokenUrl: `${url}/token`, credentials: async () => credentials, signal, clock, env })(
        'up',
      ),
    result: [{ metric: {}, value: 2 }],
  },
];

/** Its certificate is for `kube.test`, a name that nobody but the proxy resolves. */
async function hiddenServer(reply: Reply): Promise<string> {
  const server = await startLocalHttps(reply);
  open.push(server);
  return `https://kube.test:${new URL(server.url).port}`;
}

async function proxyWith(options: Parameters<typeof startForwardProxy>[0] = {}): Promise<ForwardProxy> {
  const proxy = await startForwardProxy(options);
  open.push(proxy);
  return proxy;
}

const failure = async (asking: Promise<unknown>): Promise<string> =>
  asking.then(
    () => 'it succeeded',
    (thrown: Error) => thrown.message,
  );

describe.each(CLIENTS)('$client', ({ reply, ask, result }) => {
  it('is reached through HTTPS_PROXY, with its login', async () => {
    const url = await hiddenServer(reply);
    const proxy = await proxyWith({ login: 'me:p@ss word' });
    expect(await ask(url, { HTTPS_PROXY: `http://me:p%40ss%20word@${proxy.host}` })).toEqual(result);
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${new URL(url).host}`]));
    expect(new Set(proxy.logins)).toEqual(new Set(['me:p@ss word']));
  });

  it.each([
    { given: 'a wrong login', options: { login: 'me:other' }, says: 'refused the connection with status 407' },
    { given: 'a refusal', options: { refusal: 403 }, says: 'refused the connection with status 403' },
  ])('names the proxy and its variable, not its login, after $given', async ({ options, says }) => {
    const proxy = await proxyWith(options);
    const message = await failure(ask('https://kube.test:1', { https_proxy: `http://me:hush-hush@${proxy.host}` }));
    expect(message).toContain(`the proxy ${proxy.host} (https_proxy) ${says}`);
    expect(message).not.toContain('hush-hush');
    expect(proxy.asked).not.toEqual([]);
  });

  it('is not asked of the proxy where NO_PROXY excepts it', async () => {
    const proxy = await proxyWith();
    const env = { HTTPS_PROXY: `http://${proxy.host}`, NO_PROXY: '.test' };
    expect(await failure(ask('https://kube.test:1', env))).toMatch(/ENOTFOUND|EAI_AGAIN|no response|cannot/);
    expect(proxy.asked).toEqual([]);
  });
});

describe('a proxy that never answers', () => {
  it('ends each attempt in the time for a connection, whoever asks', async () => {
    const proxy = await proxyWith({ silent: true });
    const [kubernetes] = CLIENTS;
    const message = await failure(kubernetes!.ask('https://kube.test:1', { HTTPS_PROXY: `http://${proxy.host}` }));
    expect(message).toContain(`no connection through the proxy ${proxy.host} (HTTPS_PROXY) within 0.2 s`);
  });

  it('does not hold a request that is given up meanwhile', async () => {
    const proxy = await proxyWith({ silent: true });
    const env = { HTTPS_PROXY: `http://${proxy.host}` };
    const over = new AbortController();
    const asking = httpClient({ env }).text({ url: 'https://kube.test:1', signal: over.signal });
    over.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
  });
});

describe('plain http', () => {
  it('is forwarded as a whole by HTTP_PROXY, with its login', async () => {
    const server = await startLocalHttp(json(200, { ok: true }));
    open.push(server);
    const proxy = await proxyWith({ login: 'me:secret' });
    const url = `http://plain.example.test:${new URL(server.url).port}/a?b=c`;
    const http = httpClient({ env: { HTTP_PROXY: `http://me:secret@${proxy.host}` } });
    expect((await http.json({ url })).body).toEqual({ ok: true });
    expect(proxy.asked).toEqual([`GET ${url}`]);
    expect(server.seen.map(({ headers }) => headers.host)).toEqual([new URL(url).host]);
  });

  it.each([
    { given: 'refuses the login', login: 'me:other', says: 'refused the connection with status 407' },
    { given: 'is gone', login: undefined, says: 'ECONNREFUSED' },
  ])('says which proxy $given', async ({ login, says }) => {
    const proxy = await proxyWith(login === undefined ? {} : { login });
    if (login === undefined) await open.pop()?.close();
    const http = httpClient({ env: { HTTP_PROXY: `http://me:hush-hush@${proxy.host}` }, clock });
    const failed = http.text({ url: 'http://plain.example.test/' });
    await expect(failed).rejects.toMatchObject({
      mayHaveArrived: false,
      message: expect.stringMatching(new RegExp(`the proxy ${proxy.host} \\(HTTP_PROXY\\).*${says}`)),
    });
    expect(await failure(failed)).not.toContain('hush-hush');
  });

  it('of this machine goes to no proxy', async () => {
    const server = await startLocalHttp(json(200, { ok: true }));
    open.push(server);
    const env = {
      HTTP_PROXY: 'http://127.0.0.1:1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
      ALL_PROXY: 'http://127.0.0.1:1',
    };
    expect((await httpClient({ env }).json({ url: server.url })).body).toEqual({ ok: true });
  });
});
