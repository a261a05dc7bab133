import { afterEach, describe, expect, it } from 'vitest';
import { hangUp, inTurn, json, neverAnswer, plain, type Reply } from '../../../test/support/local-http.ts';
import { nothing, type OcmServer, page, refusal, SECRET, startOcmServer } from '../../../test/support/scripted-ocm.ts';
import { createOcmClient, type OcmClient } from './index.ts';
import { OCM_CONCURRENCY, OcmError } from './transport.ts';

let server: OcmServer;
afterEach(() => server?.close());

const ACCOUNT = json(200, { id: 'a1', username: 'robot' });
const ACCOUNT_PATH = '/api/accounts_mgmt/v1/current_account';

async function start(reply: Reply, options = {}): Promise<OcmClient> {
  server = await startOcmServer(reply);
  return server.client(options);
}

async function fault(asking: Promise<unknown>): Promise<OcmError> {
  const thrown: unknown = await asking.then(
    () => new Error('there was an answer'),
    (error: unknown) => error,
  );
  if (thrown instanceof OcmError) return thrown;
  throw thrown;
}

describe('a request to OCM', () => {
  it('has a token, a name and what it accepts, and is counted', async () => {
    const client = await start(ACCOUNT, { userAgent: 'echelon/1.2.3' });
    await client.currentAccount();
    expect(server.asked()).toMatchObject([
      {
        ...{ method: 'GET', path: ACCOUNT_PATH },
        headers: { authorization: 'Bearer token-1', accept: 'application/json', 'user-agent': 'echelon/1.2.3' },
      },
    ]);
    expect(server.calls).toEqual([
      { method: 'POST', collection: 'token', status: 200, seconds: 0 },
      { method: 'GET', collection: 'current_account', status: 200, seconds: 0 },
    ]);
  });

  it('goes below an address that has a path', async () => {
    server = await startOcmServer(ACCOUNT);
    await server.client({ url: `${server.url}/proxy//` }).currentAccount();
    expect(server.asked().map(({ path }) => path)).toEqual([`/proxy${ACCOUNT_PATH}`]);
  });

  it('is tried again after faults that pass, and each try is counted', async () => {
    const client = await start(inTurn(plain(502, '<html>'), hangUp, plain(429, '', { 'retry-after': '2' }), ACCOUNT));
    await client.currentAccount();
    expect(server.calls.slice(1).map(({ status }) => status)).toEqual([502, 0, 429, 200]);
    expect(server.waits).toEqual([500, 1000, 2500]);
  });

  it(`is one of ${OCM_CONCURRENCY} under way, and never of more`, async () => {
    const held: (() => unknown)[] = [];
    let most = 0;
    const client = await start(async (response, request) => {
      if (request.path === '/ping') return nothing(response, request);
      held.push(() => ACCOUNT(response, request));
      most = Math.max(most, held.length);
      if (held.length !== OCM_CONCURRENCY) return;
      for (let ping = 0; ping < 10; ping += 1) await fetch(`${server.url}/ping`);
      for (const answer of held.splice(0)) answer();
    });
    await Promise.all(Array.from({ length: OCM_CONCURRENCY * 3 }, () => client.currentAccount()));
    expect(most).toBe(OCM_CONCURRENCY);
  });

  it('ends with the reason of who gives up', async () => {
    const reason = new Error('enough');
    const stop = new AbortController();
    const client = await start(() => stop.abort(reason), { signal: stop.signal });
    await expect(client.currentAccount()).rejects.toBe(reason);
  });
});

describe('a token that OCM does not take', () => {
  const expired = refusal(401, "Authorization header 'Bearer token-2' is expired");

  it('is replaced once, and the request repeated once', async () => {
    const client = await start(inTurn(expired, ACCOUNT));
    expect(await client.currentAccount()).toMatchObject({ username: 'robot' });
    expect(server.calls.map(({ collection, status }) => [collection, status])).toEqual([
      ...[
        ['token', 200],
        ['current_account', 401],
        ['token', 200],
        ['current_account', 200],
      ],
    ]);
  });

  it('is an error the second time, which does not show it', async () => {
    const client = await start(expired);
    expect(await fault(client.currentAccount())).toMatchObject({
      code: 'OCM_UNAUTHORIZED',
      message: `GET ${server.url}${ACCOUNT_PATH} answered 401: Authorization header 'Bearer ***' is expired (CLUSTERS-MGMT-401, operation op-1)`,
    });
    expect(server.asked()).toHaveLength(2);
  });

  it('is replaced once for all who were refused with it', async () => {
    const client = await start((response, request) =>
      (request.headers.authorization === 'Bearer token-1' ? expired : ACCOUNT)(response, request),
    );
    await Promise.all(Array.from({ length: 5 }, () => client.currentAccount()));
    expect(server.calls.filter(({ collection }) => collection === 'token')).toHaveLength(2);
    expect(server.asked()).toHaveLength(10);
  });

  it('was not acted on: a POST is repeated too', async () => {
    const client = await start(inTurn(expired, json(200, {})));
    await client.createLabel({ kind: 'organization', id: 'o1' }, { key: 'k', value: 'v' });
    expect(server.asked().map(({ method, body }) => [method, JSON.parse(body).key])).toEqual([
      ['POST', 'k'],
      ['POST', 'k'],
    ]);
  });
});

describe('a refusal', () => {
  it.each([
    { status: 403, code: 'OCM_FORBIDDEN' },
    { status: 404, code: 'OCM_NOT_FOUND' },
    { status: 400, code: 'OCM_REFUSED' },
    { status: 409, code: 'OCM_REFUSED' },
    { status: 503, code: 'OCM_UNAVAILABLE' },
    { status: 429, code: 'OCM_UNAVAILABLE' },
  ])('with status $status is $code and says why', async ({ status, code }) => {
    const client = await start(refusal(status, 'because'));
    expect(await fault(client.currentAccount())).toMatchObject({
      ...{ code, mayHaveArrived: status >= 500 },
      message: `GET ${server.url}${ACCOUNT_PATH} answered ${status}: because (CLUSTERS-MGMT-${status}, operation op-1)`,
      refusal: { status, code: `CLUSTERS-MGMT-${status}`, reason: 'because', operationId: 'op-1', missingGates: [] },
    });
  });

  it.each([
    { given: 'a page of a proxy', reply: plain(403, '<html>'), says: 'answered 403: no reason given' },
    { given: 'a redirection', reply: plain(307, '', { location: '/x' }), says: 'answered 307: it redirects elsewhere' },
    {
      given: 'an operation id in the header only',
      reply: json(400, { reason: 'no' }, { 'x-operation-id': 'op-2' }),
      says: 'answered 400: no (operation op-2)',
    },
    {
      given: 'a reason without end',
      reply: refusal(400, 'x'.repeat(9999)),
      says: `answered 400: ${'x'.repeat(500)}… (`,
    },
    { given: 'a list', reply: json(400, ['no']), says: 'answered 400: no reason given' },
    {
      given: 'the secret',
      reply: refusal(400, `client robot:${SECRET} has no organization`),
      says: 'answered 400: client robot:*** has no organization',
    },
  ])('may be $given', async ({ reply, says }) => {
    const client = await start(reply);
    expect((await fault(client.currentAccount())).message).toContain(says);
  });
});

describe('no answer', () => {
  it.each([
    { given: 'a server that hangs up', reply: hangUp, options: {}, code: 'OCM_UNREACHABLE' },
    { given: 'a server that is silent', reply: neverAnswer, options: { timeoutMs: 500 }, code: 'OCM_UNREACHABLE' },
    { given: 'a page', reply: plain(200, '<html>'), options: {}, code: 'OCM_ANSWER' },
    { given: 'a list', reply: json(200, []), options: {}, code: 'OCM_ANSWER' },
    { given: 'nothing', reply: nothing, options: {}, code: 'OCM_ANSWER' },
    { given: 'something else', reply: json(200, { id: 7 }), options: {}, code: 'OCM_ANSWER' },
  ])('of $given: $code', async ({ reply, options, code }) => {
    server = await startOcmServer(reply);
    const credentials = { kind: 'access-token', token: SECRET } as const;
    const error = await fault(server.client({ ...options, credentials }).currentAccount());
    expect(error).toMatchObject({ code, mayHaveArrived: true, message: expect.stringContaining(ACCOUNT_PATH) });
    expect(`${error}${JSON.stringify(error)}${error.stack}`).not.toContain(SECRET);
  });
});

describe('a client that only reads', () => {
  const OWNER = { kind: 'subscription', id: 's1' } as const;
  const CLASSIC = { kind: 'classic', clusterId: 'c1' } as const;
  const LOG = { clusterUuid: 'u1', serviceName: 'n', severity: 'Info', summary: 's', description: 'd' } as const;
  it.each<{ what: string; act: (client: OcmClient) => Promise<unknown> }>([
    { what: 'createLabel', act: (client) => client.createLabel(OWNER, { key: 'k', value: 'v' }) },
    { what: 'updateLabel', act: (client) => client.updateLabel(OWNER, { key: 'k', value: 'v' }) },
    { what: 'deleteLabel', act: (client) => client.deleteLabel(OWNER, 'k') },
    { what: 'switchChannel', act: (client) => client.switchChannel('c1', 'stable-4.16') },
    {
      what: 'createUpgradePolicy',
      act: (client) => client.createUpgradePolicy(CLASSIC, { version: '4.16.1', nextRun: '2026-03-01T13:00:00Z' }),
    },
    { what: 'deleteUpgradePolicy', act: (client) => client.deleteUpgradePolicy(CLASSIC, 'p1') },
    { what: 'createGateAgreement', act: (client) => client.createGateAgreement('c1', 'g1') },
    { what: 'createServiceLog', act: (client) => client.createServiceLog(LOG) },
  ])('refuses $what and sends nothing', async ({ act }) => {
    const client = await start(json(200, {}), { readOnly: true });
    expect(await fault(act(client))).toMatchObject({
      code: 'READ_ONLY',
      message: expect.stringMatching(/was refused: this is a dry run$/),
    });
    expect(server.seen).toEqual([]);
  });

  it('still reads', async () => {
    const client = await start(page([]), { readOnly: true });
    expect(await client.listClusters({})).toEqual({ items: [], problems: [] });
  });
});

describe('a client of a leader whose lease ended', () => {
  const ended = { mayWrite: () => false, signal: AbortSignal.abort(new Error('the lease was taken')) };

  it.each([
    { what: 'createGateAgreement', act: (client: OcmClient) => client.createGateAgreement('c1', 'g1') },
    { what: 'switchChannel', act: (client: OcmClient) => client.switchChannel('c1', 'stable-4.16') },
  ])('sends no $what', async ({ act }) => {
    const client = await start(json(200, {}), { permit: () => ended });
    expect(await fault(act(client))).toMatchObject({ code: 'LEASE_LOST', mayHaveArrived: false });
    expect(server.asked()).toEqual([]);
  });

  it('still reads', async () => {
    const client = await start(page([]), { permit: () => ended });
    expect(await client.listClusters({})).toEqual({ items: [], problems: [] });
  });
});

describe('an address', () => {
  it.each(['nowhere', 'ftp://example.com', `https://robot:${SECRET}@example.com`])('such as %s is refused', (url) => {
    const [good, credentials] = ['https://example.com', { kind: 'access-token', token: 'x' } as const];
    for (const options of [
      { url, credentials },
      { url: good, tokenUrl: url, credentials },
    ]) {
      expect(() => createOcmClient({ ...options, env: {} })).toThrow(
        expect.objectContaining({ code: 'OCM_URL_INVALID' }),
      );
      expect(() => createOcmClient({ ...options, env: {} })).not.toThrow(SECRET);
    }
  });
});
