import { afterEach, describe, expect, it } from 'vitest';
import { inTurn, json, type LocalHttp, plain, type Reply, startLocalHttp } from '../../../test/support/local-http.ts';
import { fixedHostToken, type HostToken, type HttpRequest, httpClient, type Redirects } from './index.ts';
import type { HttpClientOptions } from './request.ts';

const SECRET = 'tea-leaf';
const HEADERS = { authorization: `Bearer ${SECRET}` };

const open: LocalHttp[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serve(reply: Reply): Promise<LocalHttp> {
  const server = await startLocalHttp(reply);
  open.push(server);
  return server;
}

/** A client whose requests go nowhere; what would have been sent is kept. */
function recorded(options: HttpClientOptions = {}) {
  const sent: { url: string; headers: Readonly<Record<string, string>> }[] = [];
  const client = httpClient({
    ...options,
    wire: async ({ url, headers }) => {
      sent.push({ url: url.href, headers });
      return { status: 200, headers: new Headers(), body: (async function* () {})() };
    },
  });
  return { client, sent };
}

const redirectTo =
  (location: () => string, status = 302): Reply =>
  (response) =>
    void response.writeHead(status, { location: location() }).end();

const tokens = ({ seen }: LocalHttp) => seen.map(({ headers }) => headers.authorization);

describe('P2: a client that only reads', () => {
  it.each<{ request: Partial<HttpRequest>; sent: boolean }>([
    { request: { method: 'GET' }, sent: true },
    { request: { method: 'HEAD' }, sent: true },
    { request: { method: 'POST', onlyReads: true }, sent: true },
    { request: { method: 'POST' }, sent: false },
    { request: { method: 'PUT' }, sent: false },
    { request: { method: 'PATCH' }, sent: false },
    { request: { method: 'DELETE' }, sent: false },
  ])('sends $request: $sent', async ({ request, sent }) => {
    const recording = recorded({
      readOnly: true,
      token: { origin: 'https://a.example', headers: async () => HEADERS },
    });
    const asked = recording.client.text({ url: 'https://a.example/x', ...request });
    if (sent) await asked;
    else await expect(asked).rejects.toMatchObject({ code: 'HTTP_READ_ONLY', mayHaveArrived: false });
    expect(recording.sent).toHaveLength(sent ? 1 : 0);
  });
});

describe('a token', () => {
  it.each([
    { url: 'https://a.example/x', gets: true },
    { url: 'https://a.example:8443/x', gets: false },
    { url: 'https://b.example/x', gets: false },
    { url: 'http://a.example/x', gets: false },
    { url: 'https://a.example.evil.example/x', gets: false },
  ])('of https://a.example goes to $url: $gets', async ({ url, gets }) => {
    const { client, sent } = recorded({ token: fixedHostToken('https://a.example', HEADERS) });
    await client.text({ url });
    expect(sent.map(({ headers }) => headers['authorization'])).toEqual([gets ? `Bearer ${SECRET}` : undefined]);
  });

  it.each([
    { given: 'a token', request: {}, token: true },
    { given: 'a body with a secret', request: { method: 'POST', confidential: true } as const, token: false },
  ])('$given does not go to another machine in clear text', async ({ request, token }) => {
    const { client, sent } = recorded(token ? { token: fixedHostToken('http://a.example', HEADERS) } : {});
    const thrown = await client.text({ url: 'http://a.example/x', ...request }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'HTTP_CLEAR_TEXT', message: expect.stringContaining('a.example') });
    expect(JSON.stringify(thrown)).not.toContain(SECRET);
    expect(sent).toEqual([]);
  });

  it('goes to this machine in clear text', async () => {
    const server = await serve(json(200, {}));
    await httpClient({ token: fixedHostToken(server.url, HEADERS) }).text({ url: server.url });
    expect(tokens(server)).toEqual([`Bearer ${SECRET}`]);
  });

  it.each([
    { given: 'once', reply: inTurn(plain(401), json(200, {})), status: 200, sent: ['Bearer old', 'Bearer new'] },
    { given: 'and not again', reply: plain(401), status: 401, sent: ['Bearer old', 'Bearer new'] },
  ])('that is refused is renewed $given', async ({ reply, status, sent }) => {
    const server = await serve(reply);
    const token: HostToken = {
      origin: server.url,
      headers: async () => ({ authorization: 'Bearer old' }),
      renewed: async () => ({ authorization: 'Bearer new' }),
    };
    expect((await httpClient({ token }).text({ url: server.url, method: 'POST' })).status).toBe(status);
    expect(tokens(server)).toEqual(sent);
  });

  it('that cannot be renewed is not sent twice', async () => {
    const server = await serve(plain(401));
    await httpClient({ token: fixedHostToken(server.url, HEADERS) }).text({ url: server.url });
    expect(server.seen).toHaveLength(1);
  });
});

describe('a redirect', () => {
  const to = (where: Redirects['to'], more: Partial<Redirects> = {}): Redirects => ({ most: 1, to: where, ...more });

  it.each<{ redirects: Redirects | undefined; other: 'with the token' | 'without the token' | 'not asked' }>([
    { redirects: undefined, other: 'not asked' },
    { redirects: to('same-origin'), other: 'not asked' },
    { redirects: to('anywhere'), other: 'without the token' },
    { redirects: to('same-host'), other: 'with the token' },
  ])('to another port with $redirects: $other', async ({ redirects, other }) => {
    const second = await serve(json(200, 'there'));
    const first = await serve(redirectTo(() => second.url));
    const token = fixedHostToken(first.url, HEADERS);
    const { status, hops } = await httpClient({ token, ...(redirects && { redirects }) }).text({ url: first.url });
    expect({ status, hops }).toEqual(other === 'not asked' ? { status: 302, hops: 0 } : { status: 200, hops: 1 });
    const expected = other === 'not asked' ? [] : [other === 'with the token' ? `Bearer ${SECRET}` : undefined];
    expect(tokens(second)).toEqual(expected);
  });

  it('within an origin takes the token along', async () => {
    const server = await serve(
      inTurn(
        redirectTo(() => '/other'),
        json(200, {}),
      ),
    );
    const token = fixedHostToken(server.url, HEADERS);
    await httpClient({ token, redirects: to('same-origin') }).text({ url: `${server.url}/x` });
    expect(server.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/x', `Bearer ${SECRET}`],
      ['/other', `Bearer ${SECRET}`],
    ]);
  });

  it.each([
    { given: 'too many', location: '/x' },
    { given: 'to another scheme', location: 'ftp://127.0.0.1/x', seen: 1 },
    { given: 'with a login', location: 'http://user:pass@127.0.0.1/x', seen: 1 },
    { given: 'to nowhere', location: 'http://[', seen: 1 },
  ])('$given is the answer', async ({ location, seen = 3 }) => {
    const server = await serve(redirectTo(() => location));
    const redirects = to('anywhere', { most: 2 });
    expect((await httpClient({ redirects }).text({ url: server.url })).status).toBe(302);
    expect(server.seen).toHaveLength(seen);
  });

  it.each([
    { given: 'a POST', confidential: false, redirects: to('anywhere'), seen: ['POST'] },
    { given: 'a POST, whole', confidential: false, redirects: to('anywhere', { whole: true }), seen: ['POST', 'POST'] },
    { given: 'a secret to anywhere', confidential: true, redirects: to('anywhere', { whole: true }), seen: ['POST'] },
    {
      given: 'a secret to the same host',
      ...{ confidential: true, redirects: to('same-host', { whole: true }), seen: ['POST', 'POST'] },
    },
  ])('of $given: $seen', async ({ confidential, redirects, seen }) => {
    const moved = redirectTo(() => '/other', 307);
    const server = await serve(inTurn(moved, json(200, {})));
    const body = { json: { a: 1 } };
    await httpClient({ redirects }).text({ url: server.url, method: 'POST', body, confidential });
    expect(server.seen.map(({ method, body: sent }) => ({ method, sent }))).toEqual(
      seen.map((method) => ({ method, sent: '{"a":1}' })),
    );
  });
});
