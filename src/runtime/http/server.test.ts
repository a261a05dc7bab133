import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { consoleFacts, consoleState } from '../../../test/support/console-state.ts';
import { slowConnections } from '../../../test/support/slow-connections.ts';
import { respond, SECURITY_HEADERS } from '../../console/index.ts';
import { instantOf } from '../../gates/index.ts';

import { digestOf, type PageServer, servePages } from './access.ts';

const NOW = instantOf(Date.parse('2026-03-02T10:00:00Z'));
const ABSENT = { kind: 'absent', message: 'Nothing.', hint: 'none' } as const;
const STATE = consoleState(consoleFacts({ startedAt: NOW, upgrades: ABSENT, shards: ABSENT }));
const TRICKLE_MS = 20;

const faults: unknown[] = [];
const serve = (requestTimeoutMs: number): Promise<PageServer> =>
  servePages({
    listen: { host: '127.0.0.1', port: 0 },
    access: { hostNames: [] },
    respond: (request) => respond(request, STATE, NOW),
    headers: { always: SECURITY_HEADERS, secure: {} },
    onFault: (thrown) => faults.push(thrown),
    requestTimeoutMs,
  });

let server: PageServer;
let impatient: PageServer;
beforeAll(async () => {
  [server, impatient] = await Promise.all([serve(300_000), serve(1_000)]);
});
afterAll(() => Promise.all([server.close(), impatient.close()]));

/** Sends bytes as they are, and then one letter again and again where it is told to; all that comes back until the end. */
function raw(text: string, trickle?: string, { url } = trickle === undefined ? server : impatient): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let timer: NodeJS.Timeout | undefined;
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
    socket.write(text);
    if (trickle !== undefined) timer = setInterval(() => socket.write(trickle), TRICKLE_MS);
  });
  let got = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    got += part;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearInterval(timer);
    resolve(got);
  });
  return promise;
}

const HOST = 'Host: localhost\r\nConnection: close\r\n';

describe('a strange request', () => {
  it.each([
    { what: 'a path upwards', line: 'GET /../../etc/passwd HTTP/1.1', status: 404 },
    { what: 'a path upwards in disguise', line: 'GET /assets/..%2f..%2fetc%2fpasswd HTTP/1.1', status: 404 },
    { what: 'two slashes', line: 'GET //evil.example/clusters HTTP/1.1', status: 404 },
    { what: 'an address of another', line: 'GET http://evil.example/clusters HTTP/1.1', status: 404 },
    { what: 'a star', line: 'OPTIONS * HTTP/1.1', status: 405 },
    { what: 'TRACE', line: 'TRACE / HTTP/1.1', status: 405 },
    { what: 'a broken escape', line: 'GET /clusters/%zz/%/%E0%A4%A HTTP/1.1', status: 404 },
    { what: 'a zero', line: 'GET /%00 HTTP/1.1', status: 404 },
    { what: 'a line break in a filter', line: 'GET /clusters?org=%0d%0aX-Evil:%201 HTTP/1.1', status: 200 },
    { what: 'a name that every object has', line: 'GET /__proto__ HTTP/1.1', status: 404 },
    { what: 'a strange page', line: 'GET /timeline?page=1e99&sort=__proto__&page=NaN HTTP/1.1', status: 200 },
    { what: 'an address that is too long', line: `GET /clusters?q=${'a'.repeat(5_000)} HTTP/1.1`, status: 414 },
    { what: 'HTTP/1.0', line: 'GET /help HTTP/1.0', status: 200 },
  ])('with $what is answered $status, with all security headers', async ({ line, status }) => {
    const answer = await raw(`${line}\r\n${HOST}\r\n`);
    const [head = ''] = answer.split('\r\n\r\n');
    expect(head.split('\r\n')[0]).toContain(` ${status} `);
    expect(head).not.toMatch(/x-evil/i);
    for (const name of Object.keys(SECURITY_HEADERS)) expect(head).toContain(`${name}: `);
    expect(faults).toEqual([]);
  });

  it('from another site is answered without leave for that site to read it', async () => {
    const answer = await raw(`GET /clusters.json HTTP/1.1\r\nOrigin: http://evil.example\r\n${HOST}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).not.toMatch(/access-control-allow/i);
  });

  it('without a host is for nobody', async () => {
    expect(await raw('GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 421 /);
  });

  it('with headers that never end is cut off, however often something comes', async () => {
    expect(await raw('GET / HTTP/1.1\r\nHost: localhost\r\nX: ', 'a')).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('with a body that never ends is answered and cut off', async () => {
    const answer = await raw('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n', 'a');
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
  });
});

describe('a page', () => {
  it.each([64, 300])('is answered while %i connections have not finished their request', async (count) => {
    const slow = await slowConnections(Number(new URL(server.url).port), count);
    expect((await fetch(new URL('/help', server.url))).status).toBe(200);
    slow.end();
  });
});

const listeners = new Set<(current: string) => void>();
const FEED = {
  path: '/events',
  current: () => 'first',
  subscribe: (listener: (current: string) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

let feedServer: PageServer;

async function serveFeed(access: object = {}): Promise<void> {
  feedServer = await servePages({
    listen: { host: '127.0.0.1', port: 0 },
    access: { hostNames: [], ...access },
    respond: () => ({ status: 404, type: 'text/plain', body: 'nothing' }),
    headers: { always: { 'x-frame-options': 'DENY' }, secure: {} },
    feed: FEED,
    onFault: (thrown) => {
      throw thrown;
    },
  });
}

async function open(headers: Readonly<Record<string, string>> = {}, path = 'events'): Promise<IncomingMessage> {
  const [response] = (await once(get(`${feedServer.url}${path}`, { headers, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  return response.setEncoding('utf8');
}

const said = async (response: IncomingMessage): Promise<string> => String((await once(response, 'data'))[0]);

describe('the feed of an open page', () => {
  afterEach(() => feedServer.close());

  it('says at once what is current, then what is new, and is called off when the reader leaves', async () => {
    await serveFeed();
    const response = await open();
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-frame-options': 'DENY',
    });
    expect(await said(response)).toBe('data: first\n\n');
    const next = said(response);
    for (const listener of listeners) listener('second');
    expect(await next).toBe('data: second\n\n');
    const left = new Promise<void>((resolve) => {
      const check = (): void => (listeners.size === 0 ? resolve() : void setImmediate(check));
      check();
    });
    response.destroy();
    await left;
  });

  it.each([
    { given: 'without the token', headers: {}, status: 401 },
    { given: 'under the name of another host', headers: { host: 'evil.example' }, status: 421 },
  ])('is refused $given', async ({ headers, status }) => {
    await serveFeed({ tokenDigest: () => digestOf('a-token-that-nobody-may-guess') });
    const response = await open(headers);
    response.resume();
    expect(response.statusCode).toBe(status);
    expect(listeners.size).toBe(0);
  });

  it('has a limit of readers, who keep nobody from a page', async () => {
    await serveFeed();
    const readers = await Promise.all(Array.from({ length: 100 }, () => open()));
    expect(readers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    const more = await open();
    more.resume();
    expect(more.statusCode).toBe(503);
    const page = await open({}, 'page');
    page.resume();
    expect(page.statusCode).toBe(404);
  });
});
