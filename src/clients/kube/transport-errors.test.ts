import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import {
  inTurn,
  json,
  type LocalHttp,
  neverAnswer,
  plain,
  type Reply,
  startLocalHttp,
} from '../../../test/support/local-http.ts';
import { AUTHORITY, CLIENT, type LocalHttps, startLocalHttps } from '../../../test/support/local-https.ts';
import type { Credentials, KubeConnection } from './connection.ts';
import type { KubeError } from './kube-error.ts';
import { type KubeRequest, type KubeTransport, kubeTransport, type TransportOptions } from './transport.ts';

const READ: KubeRequest = { method: 'GET', path: '/api/v1/pods', idempotent: true };
const CREATE: KubeRequest = { method: 'POST', path: '/api/v1/pods', body: {}, idempotent: false };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function http(reply: Reply): Promise<LocalHttp> {
  const server = await startLocalHttp(reply);
  open.push(server);
  return server;
}

async function https(reply: Reply): Promise<LocalHttps> {
  const server = await startLocalHttps(reply);
  open.push(server);
  return server;
}

interface To extends Partial<Omit<KubeConnection, 'credentials'>> {
  readonly server: string;
  readonly credentials?: Partial<Credentials> | ((renew: boolean) => Promise<Credentials>);
}

function transportTo({ credentials = {}, ...place }: To, options: TransportOptions = {}): KubeTransport {
  const transport = kubeTransport(
    {
      name: 'prod',
      ...place,
      credentials: typeof credentials === 'function' ? credentials : async () => ({ headers: {}, ...credentials }),
    },
    { sleep: async () => {}, ...options },
  );
  open.unshift(transport);
  return transport;
}

/** The body of the answer, or the error. */
function outcome(answer: Promise<{ readonly body: unknown }>): Promise<unknown> {
  return answer.then(
    ({ body }) => body,
    ({ code, message }: KubeError) => ({ code, message }),
  );
}

/** The error of a read that never succeeds, and how often it and a create were sent. */
async function failure(to: To, options: TransportOptions = {}): Promise<object> {
  let count = 0;
  const onCall = () => {
    count += 1;
  };
  const transport = transportTo(to, { ...options, onCall });
  const error = (await outcome(transport.request(READ))) as object;
  const read = count;
  await outcome(transport.request(CREATE));
  return { ...error, sent: { read, create: count - read } };
}

describe('what is sent', () => {
  it('is who asks, what for, and a body with its length in bytes', async () => {
    const server = await http(json(200, {}));
    const transport = transportTo({ server: server.url, credentials: { headers: { Authorization: 'Bearer t' } } });
    const body = { name: 'Prüfung' };
    const query = { fieldManager: 'echelon', force: undefined, labelSelector: 'a=b,c=d e' };
    await transport.request({ method: 'POST', path: '/api/v1/pods', query, body, idempotent: false });
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        path: '/api/v1/pods',
        query: { fieldManager: 'echelon', labelSelector: 'a=b,c=d e' },
        body: JSON.stringify(body),
        headers: {
          authorization: 'Bearer t',
          accept: 'application/json',
          'accept-encoding': 'gzip',
          'user-agent': 'echelon',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(JSON.stringify(body))),
        },
      },
    ]);
    expect(server.seen[0]?.query).not.toHaveProperty('force');
  });

  it('has no body unless there is one, and says what the body is', async () => {
    const server = await http(json(200, {}));
    const transport = transportTo({ server: server.url });
    await transport.request(READ);
    await transport.request({ ...READ, method: 'PATCH', body: [], contentType: 'application/json-patch+json' });
    expect(server.seen.map(({ headers }) => headers['content-type'])).toEqual([
      undefined,
      'application/json-patch+json',
    ]);
  });

  it.each(['', '/', '/k8s/clusters/c-1', '/k8s/clusters/c-1//'])(
    'goes below the path "%s" of the server',
    async (base) => {
      const server = await http(json(200, {}));
      await transportTo({ server: `${server.url}${base}` }).request(READ);
      expect(server.seen[0]?.path).toBe(`${base.replace(/\/+$/, '')}/api/v1/pods`);
    },
  );

  it('goes over connections that are used again', async () => {
    let connections = 0;
    const server = createServer((_, response) => void response.end('{}')).on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
    const transport = transportTo({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    for (const _ of [1, 2, 3]) await transport.request(READ);
    expect(connections).toBe(1);
  });
});

describe('an answer', () => {
  it('may be zipped', async () => {
    const zipped = gzipSync(JSON.stringify({ items: ['ü'] }));
    const server = await http((response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped));
    expect(await outcome(transportTo({ server: server.url }).request(READ))).toEqual({ items: ['ü'] });
  });

  it('may be a zipped error', async () => {
    const zipped = gzipSync(JSON.stringify({ message: 'pods is forbidden' }));
    const server = await http((response) => void response.writeHead(403, { 'content-encoding': 'gzip' }).end(zipped));
    expect(await outcome(transportTo({ server: server.url }).request(READ))).toMatchObject({
      code: 'KUBE_FORBIDDEN',
      message: 'prod: GET /api/v1/pods: 403 pods is forbidden',
    });
  });

  it('is put together of pieces, also within a letter', async () => {
    const bytes = Buffer.from('{"a":"ü"}');
    const server = await http((response) => {
      response.writeHead(200);
      response.write(bytes.subarray(0, 7), () => response.end(bytes.subarray(7)));
    });
    expect(await outcome(transportTo({ server: server.url }).request(READ))).toEqual({ a: 'ü' });
  });

  it.each([
    { given: 'HTML', reply: plain(200, '<html>'), why: 'the response is not JSON (6 bytes)' },
    { given: 'nothing', reply: plain(200, ''), why: 'the response is not JSON (0 bytes)' },
    {
      given: 'not what it says',
      reply: plain(200, '{}', { 'content-encoding': 'gzip' }),
      why: 'the response is marked as gzip but is not',
    },
  ])('that is $given is none of an API server', async ({ reply, why }) => {
    const server = await http(reply);
    expect(await failure({ server: server.url })).toEqual({
      code: 'KUBE_ANSWER',
      message: `prod: GET /api/v1/pods: ${why}`,
      sent: { read: 5, create: 1 },
    });
  });

  const MEBIBYTE = Buffer.alloc(1024 * 1024, ' ');
  const BOMB = gzipSync(Buffer.alloc(129 * 1024 * 1024));

  it.each([
    {
      given: 'as it is',
      reply: ((response) => {
        response.writeHead(200);
        const more = (left: number): void => {
          if (left > 0 && !response.destroyed) response.write(MEBIBYTE, () => more(left - 1));
        };
        more(140);
      }) as Reply,
    },
    {
      given: 'once it is unzipped',
      reply: ((response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB)) as Reply,
    },
  ])('that is too large, $given, is not taken', async ({ reply }) => {
    const server = await http(reply);
    expect(await outcome(transportTo({ server: server.url }).request(READ))).toMatchObject({
      code: 'KUBE_ANSWER',
      message: 'prod: GET /api/v1/pods: response larger than 128.0 MiB',
    });
  });

  it.each([
    { given: 'nothing comes', reply: neverAnswer },
    {
      given: 'only a part comes',
      reply: ((response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"items":');
      }) as Reply,
    },
  ])('is waited for no longer than agreed when $given', async ({ reply }) => {
    const server = await http(reply);
    expect(await failure({ server: server.url }, { timeoutMs: 100 })).toEqual({
      code: 'KUBE_TIMEOUT',
      message: 'prod: GET /api/v1/pods: no response within 0.1 s',
      sent: { read: 5, create: 1 },
    });
  });

  it.each([
    { given: 'throttled', reply: plain(429, '', { 'retry-after': '3' }), wait: 3_000, create: 5 },
    { given: 'out of service', reply: plain(503, '', { 'retry-after': '2' }), wait: 2_000, create: 1 },
    { given: 'out of service, without a time', reply: plain(503), wait: 100, create: 1 },
    { given: 'out of service, at once', reply: plain(503, '', { 'retry-after': '0' }), wait: 100, create: 1 },
  ])('that the server is $given says when to send the request again, if at all', async ({ reply, wait, create }) => {
    const server = await http(reply);
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    const failed = await failure({ server: server.url }, { sleep, random: () => 0 });
    expect(failed).toMatchObject({ sent: { read: 5, create } });
    expect(waits[0]).toBe(wait);
  });
});

describe('a server that cannot be reached', () => {
  it.each([
    {
      given: 'is not there',
      server: 'http://127.0.0.1:9',
      host: '127.0.0.1:9',
      sent: { read: 5, create: 5 },
    },
    {
      given: 'has no such name',
      server: 'http://x.invalid',
      host: 'x.invalid',
      sent: { read: 5, create: 5 },
    },
    {
      given: 'has no address',
      server: 'https://:443',
      host: 'https://:443',
      sent: { read: 0, create: 0 },
    },
    {
      given: 'has no scheme',
      server: 'api.example.com:6443',
      host: 'api.example.com:6443',
      sent: { read: 0, create: 0 },
    },
  ])('because it $given', async ({ server, host, sent }) => {
    expect(await failure({ server })).toMatchObject({
      code: 'KUBE_UNREACHABLE',
      message: expect.stringContaining(`prod: cannot reach ${host}: `),
      sent,
    });
  });
});

it('a token is not sent to another machine in clear text, which no second try changes', async () => {
  const credentials = { headers: { Authorization: 'Bearer tea-leaf' } };
  const failed = await failure({ server: 'http://x.invalid', credentials });
  expect(failed).toMatchObject({ code: 'KUBE_TLS', sent: { read: 0, create: 0 } });
  expect(JSON.stringify(failed)).not.toContain('tea-leaf');
});

describe('TLS', () => {
  const NAMED = { ca: AUTHORITY, tlsServerName: 'kube.test' };

  it.each([
    { given: 'the authority of the connection', to: NAMED },
    {
      given: 'the authority of the credentials',
      to: { tlsServerName: 'kube.test', credentials: { ca: Buffer.from(AUTHORITY) } },
    },
    { given: 'no check, as it was told', to: { insecureSkipTlsVerify: true } },
  ])('is accepted with $given', async ({ to }) => {
    const server = await https(json(200, { ok: 1 }));
    expect(await outcome(transportTo({ server: server.url, ...to }).request(READ))).toEqual({ ok: 1 });
    expect(server.clients).toEqual(['']);
  });

  it.each([
    { given: 'an authority that nobody knows', to: {} },
    { given: 'a certificate for another name', to: { ca: AUTHORITY } },
    { given: 'another name than is asked for', to: { ca: AUTHORITY, tlsServerName: 'other.test' } },
    { given: 'an authority that is none', to: { ca: 'nonsense', tlsServerName: 'kube.test' } },
    { given: 'a key that is none', to: { ...NAMED, credentials: { cert: CLIENT.cert, key: 'nonsense' } } },
  ])('is refused with $given, which no second try changes', async ({ to }) => {
    const server = await https(json(200, {}));
    expect(await failure({ server: server.url, ...to })).toMatchObject({
      code: 'KUBE_TLS',
      message: expect.stringMatching(/^prod: cannot reach 127\.0\.0\.1:\d+: [^\n]+$/),
      sent: { read: 1, create: 1 },
    });
    expect(server.clients).toEqual([]);
  });

  it('is refused where plain HTTP answers', async () => {
    const server = await http(json(200, {}));
    const failed = await failure({ server: server.url.replace('http:', 'https:') });
    expect(failed).toMatchObject({ code: 'KUBE_TLS', sent: { read: 1, create: 1 } });
  });

  it('takes a client certificate along', async () => {
    const server = await https(json(200, {}));
    await transportTo({ server: server.url, ...NAMED, credentials: CLIENT }).request(READ);
    expect(server.clients).toEqual(['client']);
  });

  it('uses a new client certificate from the request on that brings it, and cuts nothing short', async () => {
    const arrived = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slowly: Reply = async (response, request) => {
      arrived.resolve();
      await go.promise;
      json(200, { slow: true })(response, request);
    };
    let certificate: Partial<Credentials> = {};
    const server = await https(inTurn(slowly, json(200, { fast: true })));
    const transport = transportTo({
      server: server.url,
      ...NAMED,
      credentials: async () => ({ headers: {}, ...certificate }),
    });
    const slow = transport.request(READ);
    await arrived.promise;
    certificate = CLIENT;
    expect(await outcome(transport.request(READ))).toEqual({ fast: true });
    go.resolve();
    expect(await outcome(slow)).toEqual({ slow: true });
    expect(server.clients).toEqual(['', 'client']);
  });

  it('keeps its connections when the renewed certificate is the same', async () => {
    let sockets = new Set<unknown>();
    const server = await https((response, request) => {
      sockets = sockets.add(response.socket);
      json(200, {})(response, request);
    });
    const copies = (): Credentials => ({ headers: {}, cert: Buffer.from(CLIENT.cert), key: Buffer.from(CLIENT.key) });
    const transport = transportTo({ server: server.url, ...NAMED, credentials: async () => copies() });
    for (const _ of [1, 2, 3]) await transport.request(READ);
    expect(sockets.size).toBe(1);
  });
});
