import { afterEach, describe, expect, it } from 'vitest';
import { json, type LocalHttp, plain, type Reply, startLocalHttp } from '../../test/support/local-http.ts';
import type { OAuthCredentials } from './oauth.ts';
import { prometheusQuery } from './prometheus.ts';

const ROBOT: OAuthCredentials = { kind: 'client-credentials', clientId: 'robot', clientSecret: 'hush-hush' };
const SAMPLES = { data: { result: [{ metric: { _id: 'a' }, value: [1, '2'] }] } };

let server: LocalHttp;
afterEach(() => server.close());

/** Numbers its tokens; `answer` is asked for everything else. */
async function serve(answer: Reply, token: Reply = numbered()): Promise<LocalHttp> {
  server = await startLocalHttp((response, request) => (request.path === '/token' ? token : answer)(response, request));
  return server;
}

function numbered(): Reply {
  let count = 0;
  return (response, request) => {
    count += 1;
    return json(200, { access_token: `token-${count}`, expires_in: 900 })(response, request);
  };
}

function ask(credentials: () => OAuthCredentials = () => ROBOT) {
  return prometheusQuery({
    env: {},
    ...{ url: `${server.url}/query`, tokenUrl: `${server.url}/token`, credentials: async () => credentials() },
    signal: new AbortController().signal,
    clock: { now: () => new Date(0), sleep: async () => {} },
  });
}

const bearers = () => server.seen.filter(({ path }) => path === '/query').map(({ headers }) => headers.authorization);

describe('a query of a Prometheus', () => {
  it('has the token that was got once, and gives samples', async () => {
    await serve(json(200, SAMPLES));
    const query = ask();
    expect(await query('up')).toEqual([{ metric: { _id: 'a' }, value: 2 }]);
    await query('up');
    expect(server.seen.map(({ path, query: { query: text } }) => [path, text])).toEqual([
      ['/token', undefined],
      ['/query', 'up'],
      ['/query', 'up'],
    ]);
    expect(bearers()).toEqual(['Bearer token-1', 'Bearer token-1']);
  });

  it('gets another token when the first is refused', async () => {
    await serve((response, request) =>
      (request.headers.authorization === 'Bearer token-1' ? plain(401) : json(200, SAMPLES))(response, request),
    );
    expect(await ask()('up')).toHaveLength(1);
    expect(bearers()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('takes new credentials', async () => {
    await serve(json(200, SAMPLES));
    let clientSecret = 'old-secret';
    const query = ask(() => ({ kind: 'client-credentials', clientId: 'robot', clientSecret }));
    await query('up');
    clientSecret = 'new-secret';
    await query('up');
    expect(server.seen.filter(({ path }) => path === '/token').map(({ body }) => body)).toEqual([
      expect.stringContaining('old-secret'),
      expect.stringContaining('new-secret'),
    ]);
  });

  it('sends a fixed token, again also after a refusal', async () => {
    let status = 401;
    await serve((response, request) => (status === 401 ? plain(401) : json(200, SAMPLES))(response, request));
    const query = ask(() => ({ kind: 'access-token', token: 'a-fixed-token' }));
    await expect(query('up')).rejects.toMatchObject({
      code: 'TELEMETRY_FAILED',
      message: expect.stringContaining('the access token was rejected'),
    });
    status = 200;
    expect(await query('up')).toHaveLength(1);
    expect(bearers()).toEqual(['Bearer a-fixed-token', 'Bearer a-fixed-token']);
  });

  it.each([
    {
      given: 'a refusal of the expression',
      answer: json(400, { status: 'error', errorType: 'bad_data', error: 'parse error: unclosed left parenthesis' }),
      says: /it returned 400: parse error: unclosed left parenthesis$/,
    },
    { given: 'a fault', answer: plain(500), says: /it returned 500$/ },
    { given: 'something else', answer: json(200, {}), says: /the response is not that of a Prometheus$/ },
    { given: 'no token', token: plain(400), says: /issued no token: 400/ },
  ])('that gets $given says so', async ({ answer = json(200, SAMPLES), token, says }) => {
    await serve(answer, token);
    await expect(ask()('up')).rejects.toMatchObject({
      code: 'TELEMETRY_FAILED',
      message: expect.stringMatching(says),
    });
  });
});
