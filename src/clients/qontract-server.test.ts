import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EchelonError } from '../base/index.ts';
import { type QontractClient, type QontractClientOptions, qontractClient } from './qontract-server.ts';

const SHA = 'a'.repeat(64);
const QUERY = 'query { integrations_v1 { name } }';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
}

type Reply = (response: ServerResponse) => void;

let server: Server;
let seen: Seen[];
let waits: number[];
/** Replies in turn; the last one stays. */
let replies: Reply[];

beforeEach(async () => {
  [seen, waits, replies] = [[], [], [answer(200, SHA)]];
  server = createServer(async (request, response) => {
    seen.push(await seenOf(request));
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    reply?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function seenOf(request: IncomingMessage): Promise<Seen> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { authorization, 'content-type': contentType } = request.headers;
  const { method = '', url = '' } = request;
  return { method, url, authorization, contentType, body: Buffer.concat(parts).toString('utf8') };
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, headers);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

const reset: Reply = (response) => response.destroy();
const cutShort: Reply = (response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"data":', () => response.destroy());
};

function address(credentials = ''): string {
  return `http://${credentials}127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function client(options: Partial<QontractClientOptions> = {}): QontractClient {
  const sleep = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
  };
  return qontractClient({
    env: {},
    url: options.url ?? address(),
    clock: { now: () => new Date(), sleep },
    ...options,
  });
}

async function refusal(act: () => unknown): Promise<EchelonError> {
  try {
    await act();
  } catch (thrown) {
    if (thrown instanceof EchelonError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was refused');
}

describe('what is asked of a qontract-server', () => {
  it('is the SHA-256 of its newest bundle', async () => {
    replies = [answer(200, `${SHA}\n`)];
    expect(await client().latest()).toBe(SHA);
    expect(seen).toMatchObject([{ method: 'GET', url: '/sha256', authorization: undefined }]);
  });

  it('is a query against one bundle', async () => {
    replies = [answer(200, { data: { integrations_v1: [{ name: 'é' }] } })];
    expect(await client().query(SHA, QUERY)).toEqual({ data: { integrations_v1: [{ name: 'é' }] }, errors: [] });
    const [request] = seen;
    expect(request).toMatchObject({ method: 'POST', url: `/graphqlsha/${SHA}`, contentType: 'application/json' });
    expect(JSON.parse(request?.body ?? '')).toEqual({ query: QUERY });
  });

  it.each([
    { given: 'a commit', body: { commit: 'c0ffee', timestamp: '0' }, commit: 'c0ffee' },
    { given: 'no commit', body: {}, commit: undefined },
    { given: 'an empty commit', body: { commit: '' }, commit: undefined },
    { given: 'a commit that is no text', body: { commit: 7 }, commit: undefined },
    { given: 'null', body: null, commit: undefined },
    { given: 'no JSON', body: '<html>', commit: undefined },
  ])('is the commit of a bundle, which with $given is $commit', async ({ body, commit }) => {
    replies = [answer(200, body)];
    expect(await client().commitOf(SHA)).toBe(commit);
    expect(seen).toMatchObject([{ method: 'GET', url: `/git-commit-info/${SHA}` }]);
  });

  it.each([401, 404, 400])('is a commit that is not known when it answers %i', async (status) => {
    replies = [answer(status, 'no')];
    expect(await client().commitOf(SHA)).toBeUndefined();
    expect(seen).toHaveLength(1);
  });
});

describe('the address', () => {
  it.each([
    { given: 'nothing', suffix: '', path: '' },
    { given: 'a slash', suffix: '/', path: '' },
    { given: '/graphql', suffix: '/graphql', path: '' },
    { given: '/graphql and slashes', suffix: '/graphql//', path: '' },
    { given: 'a path', suffix: '/qontract', path: '/qontract' },
    { given: 'a path and /graphql', suffix: '/qontract/graphql', path: '/qontract' },
    { given: 'a path that only ends like it', suffix: '/mygraphql', path: '/mygraphql' },
    { given: 'a query and a fragment', suffix: '/graphql?token=hunter2#x', path: '' },
  ])('may end in $given', async ({ suffix, path }) => {
    const { name, latest } = client({ url: `${address()}${suffix}` });
    await latest();
    expect(name).toBe(`${address()}${path}`);
    expect(seen.map(({ url }) => url)).toEqual([`${path}/sha256`]);
  });

  it.each(['', 'qontract', '//example.com', 'https://', 'http://[::1', 'https://user:hunter2@'])(
    '%j is refused',
    async (url) => {
      const error = await refusal(() => client({ url }));
      expect(error).toMatchObject({
        code: 'SERVER_URL_INVALID',
        message: 'the URL of the qontract-server is invalid',
        hint: 'use a URL such as https://qontract.example.com/graphql',
      });
      expect(everythingOf(error)).not.toContain('hunter2');
    },
  );
});

describe('authorization', () => {
  it.each(['Basic dXNlcjpwYXNz', 'Bearer a.b.c', 'odd = value'])('%j is sent as it is', async (token) => {
    await client({ token }).latest();
    replies = [answer(200, { data: {} })];
    await client({ token }).query(SHA, QUERY);
    expect(seen.map(({ authorization }) => authorization)).toEqual([token, token]);
  });

  it.each([
    { credentials: 'user:hunter2@', login: 'user:hunter2' },
    { credentials: 'user@', login: 'user:' },
    { credentials: 'us%40er:hunter2%3A%2F%20%C3%A9@', login: 'us@er:hunter2:/ é' },
  ])('$credentials in the address becomes Basic', async ({ credentials, login }) => {
    await client({ url: address(credentials) }).latest();
    expect(seen.map(({ authorization }) => authorization)).toEqual([`Basic ${Buffer.from(login).toString('base64')}`]);
  });

  it('given itself comes before that of the address', async () => {
    await client({ url: address('user:hunter2@'), token: 'Bearer x' }).latest();
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer x']);
  });

  it('is not sent to another server by a redirect', async () => {
    const others: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      others.push(request.headers.authorization);
      response.end(SHA);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/sha256`;
    replies = [answer(302, '', { location })];
    await client({ token: 'Bearer hunter2' }).latest();
    other.closeAllConnections();
    other.close();
    expect(others).toEqual([undefined]);
  });

  it.each([
    { given: 'a token', options: { url: 'http://qontract.example.com', token: 'Bearer hunter2' } },
    { given: 'a login in the address', options: { url: 'http://user:hunter2@qontract.example.com' } },
  ])('as $given does not go to another machine in clear text', async ({ options }) => {
    const error = await refusal(() => client(options));
    expect(error).toMatchObject({
      code: 'SERVER_INSECURE',
      message: expect.stringContaining('http://qontract.example.com'),
    });
    expect(everythingOf(error)).not.toContain('hunter2');
  });

  it.each([401, 403])('that is refused with %i is told at once', async (status) => {
    replies = [answer(status, 'Bearer hunter2 is wrong')];
    for (const act of [() => client().latest(), () => client().query(SHA, QUERY)]) {
      expect(await refusal(act)).toMatchObject({
        code: 'SERVER_UNAUTHORIZED',
        message: `${address()} returned ${status}: credentials rejected`,
        hint: expect.stringContaining('ECHELON_GRAPHQL_TOKEN'),
      });
    }
    expect(seen).toHaveLength(2);
    expect(waits).toEqual([]);
  });
});

describe('a server that fails for a while', () => {
  it.each([
    { given: '500', bad: answer(500, 'oops') },
    { given: '503', bad: answer(503, '') },
    { given: '429', bad: answer(429, 'slow down') },
    { given: 'a closed connection', bad: reset },
    { given: 'half an answer', bad: cutShort },
  ])('with $given is asked again', async ({ bad }) => {
    replies = [bad, bad, bad, bad, answer(200, { data: { a: 1 } })];
    expect(await client().query(SHA, QUERY)).toEqual({ data: { a: 1 }, errors: [] });
    expect(seen.map(({ body }) => body)).toEqual(Array(5).fill(JSON.stringify({ query: QUERY })));
    expect(waits).toHaveLength(4);
  });

  it.each([
    { given: '500', bad: answer(500, 'hunter2'), says: 'status 500' },
    { given: '429', bad: answer(429, 'hunter2'), says: 'status 429' },
    { given: 'a closed connection', bad: reset, says: 'socket hang up' },
  ])('and goes on with $given is given up after five tries', async ({ bad, says }) => {
    replies = [bad];
    for (const [index, act] of [() => client().latest(), () => client().query(SHA, QUERY)].entries()) {
      const error = await refusal(act);
      expect(error).toMatchObject({
        code: 'SERVER_UNREACHABLE',
        message: `${address()}: no response after 5 attempts: ${says}`,
        hint: expect.stringContaining('check the URL'),
      });
      expect(everythingOf(error)).not.toContain('hunter2');
      expect(seen).toHaveLength(5 * (index + 1));
    }
  });

  it('waits longer each time, and never longer than five seconds', async () => {
    const { pause } = client();
    for (let round = 0; round < 50; round += 1) {
      for (const attempt of [1, 2, 3, 4, 10, 100]) await pause(attempt);
    }
    const most = [500, 1000, 2000, 4000, 5000, 5000];
    expect(waits.every((wait, index) => wait >= 0 && wait <= (most[index % most.length] ?? 0))).toBe(true);
    expect(Math.max(...waits)).toBeGreaterThan(1000);
  });

  it.each([
    { given: 'seconds', after: '3', least: 3_000 },
    { given: 'a date', after: new Date(Date.now() + 3_600_000).toUTCString(), least: 60_000 },
  ])('is not asked before the time that it asks for in $given', async ({ after, least }) => {
    replies = [answer(503, '', { 'retry-after': after }), answer(200, SHA)];
    await client().latest();
    expect(waits).toEqual([expect.any(Number)]);
    expect(waits[0]).toBeGreaterThanOrEqual(least);
  });

  it('is not asked again for what it refuses', async () => {
    replies = [answer(418, 'no')];
    expect(await refusal(() => client().query(SHA, QUERY))).toMatchObject({ code: 'SERVER_NOT_QONTRACT' });
    expect([seen.length, waits.length]).toEqual([1, 0]);
  });

  it('that is not there is told', async () => {
    const url = address();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const error = await refusal(() => client({ url }).latest());
    expect(error).toMatchObject({ code: 'SERVER_UNREACHABLE', message: expect.stringContaining('ECONNREFUSED') });
    expect(waits).toHaveLength(4);
  });
});

describe('the answer to a query', () => {
  it('is that the bundle is not known when it is 404', async () => {
    replies = [answer(404, 'unknown sha')];
    expect(await client().query(SHA, QUERY)).toBe('unknown-bundle');
    expect(seen).toHaveLength(1);
  });

  it.each([
    { given: 'data and errors', body: { data: { a: null }, errors: [{ message: 'm', path: ['a', 0] }] } },
    { given: 'no data', body: { data: null, errors: [{ message: 'm' }] } },
  ])('with $given is both', async ({ body }) => {
    replies = [answer(200, body)];
    expect(await client().query(SHA, QUERY)).toEqual(body);
  });

  it('without either is empty', async () => {
    replies = [answer(200, {})];
    expect(await client().query(SHA, QUERY)).toEqual({ data: null, errors: [] });
  });

  it.each([
    { given: 'a reason', body: { errors: [{ message: 'Cannot query field "x"' }] }, says: 'Cannot query field "x"' },
    { given: 'no reason', body: {}, says: 'status 400' },
  ])('that refuses the query with $given is told', async ({ body, says }) => {
    replies = [answer(400, body)];
    expect(await refusal(() => client().query(SHA, QUERY))).toMatchObject({
      code: 'SERVER_QUERY_REFUSED',
      message: `${address()} refused a query: ${says}`,
      hint: expect.stringContaining('report this'),
    });
    expect(seen).toHaveLength(1);
  });

  it.each([
    { given: 'HTML', status: 200, body: '<html>hunter2</html>', says: 'the response is not JSON' },
    { given: 'HTML that refuses', status: 400, body: '<html>hunter2</html>', says: 'the response is not JSON' },
    { given: 'nothing', status: 200, body: '', says: 'the response is not JSON' },
    { given: 'half of it', status: 200, body: '{"data":', says: 'the response is not JSON' },
    { given: 'another status', status: 405, body: 'hunter2', says: 'it returned 405' },
    { given: 'no content', status: 204, body: '', says: 'it returned 204' },
  ])('that is $given is told', async ({ status, body, says }) => {
    replies = [answer(status, body)];
    const error = await refusal(() => client().query(SHA, QUERY));
    expect(error).toMatchObject({
      code: 'SERVER_NOT_QONTRACT',
      message: `${address()} is not a qontract-server: ${says}`,
      hint: expect.stringContaining('use its URL'),
    });
    expect(everythingOf(error)).not.toContain('hunter2');
  });

  it.each(['null', '7', '"text"'])('that is the JSON %s is told', async (body) => {
    replies = [answer(200, body)];
    expect(await refusal(() => client().query(SHA, QUERY))).toMatchObject({ code: 'SERVER_NOT_QONTRACT' });
  });
});

describe('an answer to /sha256 that is none', () => {
  it.each([
    { given: 'HTML', body: '<html>hunter2</html>' },
    { given: 'nothing', body: '' },
    { given: 'a short one', body: 'abc123' },
    { given: 'upper case', body: 'A'.repeat(64) },
    { given: 'two of them', body: `${SHA}\n${SHA}` },
    { given: 'one in JSON', body: `"${SHA}"` },
  ])('is told: $given', async ({ body }) => {
    replies = [answer(200, body)];
    const error = await refusal(() => client().latest());
    expect(error).toMatchObject({
      code: 'SERVER_NOT_QONTRACT',
      message: `${address()} is not a qontract-server: /sha256 does not return a SHA-256`,
    });
    expect(everythingOf(error)).not.toContain('hunter2');
  });

  it('is told: 404', async () => {
    replies = [answer(404, 'x')];
    expect(await refusal(() => client().latest())).toMatchObject({
      code: 'SERVER_NOT_QONTRACT',
      message: expect.stringContaining('it returned 404'),
    });
  });
});

describe('X1: credentials are in no name and no error', () => {
  it.each([
    { given: 'no server', reply: reset },
    { given: 'a fault', reply: answer(500, '') },
    { given: 'a refusal', reply: answer(401, '') },
    { given: 'HTML', reply: answer(200, '<html>') },
    { given: 'a refused query', reply: answer(400, {}) },
  ])('with $given', async ({ reply }) => {
    replies = [reply];
    const secret = client({ url: `${address('user:hunter2@')}/graphql?key=hunter2#hunter2`, token: 'Bearer hunter2' });
    const errors = [await refusal(() => secret.latest()), await refusal(() => secret.query(SHA, QUERY))];
    expect(`${secret.name}${errors.map(everythingOf).join()}`).not.toContain('hunter2');
  });

  it('with a token that is no header', async () => {
    const error = await refusal(() => client({ token: 'Bearer hunter2\nx' }).latest());
    expect(everythingOf(error)).not.toContain('hunter2');
  });

  it('with a password that is not encoded', async () => {
    await client({ url: address('user:100%hunter2@') }).latest();
  });
});

/** Every text that an error carries to a user, down to its causes. */
function everythingOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [error.message, error.stack, JSON.stringify(error), everythingOf(error.cause)].join('\n');
}
