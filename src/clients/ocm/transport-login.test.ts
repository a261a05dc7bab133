import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  hangUp,
  inTurn,
  json,
  type LocalHttp,
  plain,
  type Reply,
  startLocalHttp,
} from '../../../test/support/local-http.ts';
import type { TokenSource } from '../oauth.ts';
import { type OcmCredentials, tokenSource } from './transport.ts';

const SECRET = 'hush-hush-hush';
const ROBOT: OcmCredentials = { kind: 'client-credentials', clientId: 'robot', clientSecret: SECRET };
const PERSON: OcmCredentials = { kind: 'refresh-token', token: SECRET };

let server: LocalHttp;
let reply: Reply;
let now: number;
let sent: number[];

beforeEach(async () => {
  [now, sent] = [Date.parse('2026-03-01T12:00:00Z'), []];
  reply = granted({ expires_in: 900 });
  server = await startLocalHttp((response, request) => reply(response, request));
});
afterEach(() => server.close());

/** Numbers its tokens. */
function granted(more: object): Reply {
  let count = 0;
  return (response, request) => {
    count += 1;
    return json(200, { access_token: `token-${count}`, ...more })(response, request);
  };
}

function source(credentials: OcmCredentials = ROBOT): TokenSource {
  return tokenSource({
    env: {},
    ...{ credentials, tokenUrl: `${server.url}/token?realm=${SECRET}`, random: () => 1 },
    clock: { now: () => new Date(now), sleep: async () => {} },
    onAttempt: ({ status }) => sent.push(status),
  });
}

const forms = () => server.seen.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));

describe('a token is asked for', () => {
  it.each([
    {
      given: 'client credentials',
      credentials: ROBOT,
      form: { grant_type: 'client_credentials', client_id: 'robot', client_secret: SECRET },
    },
    {
      given: 'client credentials with a scope',
      credentials: { ...ROBOT, scope: 'api.ocm' },
      form: { grant_type: 'client_credentials', client_id: 'robot', client_secret: SECRET, scope: 'api.ocm' },
    },
    {
      given: 'an offline token',
      credentials: PERSON,
      form: { grant_type: 'refresh_token', client_id: 'cloud-services', refresh_token: SECRET },
    },
    {
      given: 'an offline token of another client',
      credentials: { ...PERSON, clientId: 'ocm-cli' },
      form: { grant_type: 'refresh_token', client_id: 'ocm-cli', refresh_token: SECRET },
    },
  ] as const)('with $given', async ({ credentials, form }) => {
    expect(await source(credentials).token()).toBe('token-1');
    expect(forms()).toEqual([form]);
    expect(server.seen).toMatchObject([
      { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' } },
    ]);
  });

  it('not at all with an access token', async () => {
    expect(await source({ kind: 'access-token', token: 'mine' }).token()).toBe('mine');
    expect(server.seen).toEqual([]);
  });

  it('once, by however many at a time', async () => {
    const tokens = source();
    expect(await Promise.all([tokens.token(), tokens.token(), tokens.token()])).toEqual([
      'token-1',
      'token-1',
      'token-1',
    ]);
    expect(server.seen).toHaveLength(1);
  });

  it('again with the refresh token that came with the last one', async () => {
    reply = granted({ expires_in: 900, refresh_token: 'second' });
    const tokens = source(PERSON);
    await tokens.token();
    now += 900_000;
    expect(await tokens.token()).toBe('token-2');
    expect(forms().map(({ refresh_token }) => refresh_token)).toEqual([SECRET, 'second']);
  });

  it('again after faults that pass', async () => {
    reply = inTurn(plain(503), hangUp, json(429, {}), json(200, { access_token: 'late' }));
    expect(await source().token()).toBe('late');
    expect(sent).toEqual([503, 0, 429, 200]);
  });
});

describe('a token is kept', () => {
  it.each([
    { given: 'a minute and more before it ends', more: { expires_in: 900 }, after: 839_999, tokens: 1 },
    { given: 'not for its last minute', more: { expires_in: 900 }, after: 840_000, tokens: 2 },
    { given: 'half of a short life', more: { expires_in: 20 }, after: 9_999, tokens: 1 },
    { given: 'no more than half of a short life', more: { expires_in: 20 }, after: 10_000, tokens: 2 },
    { given: 'four minutes of a life that is not told', more: {}, after: 239_999, tokens: 1 },
    { given: 'no more than that', more: {}, after: 240_000, tokens: 2 },
    { given: 'as one that says nonsense of its life', more: { expires_in: -1 }, after: 239_999, tokens: 1 },
    { given: 'for what a text says', more: { expires_in: '900' }, after: 839_999, tokens: 1 },
  ])('$given', async ({ more, after, tokens }) => {
    reply = granted(more);
    const tokenOf = source();
    await tokenOf.token();
    now += after;
    expect(await tokenOf.token()).toBe(`token-${tokens}`);
  });

  it('until it really ends when there is no new one', async () => {
    const tokens = source();
    await tokens.token();
    reply = plain(503);
    now += 899_999;
    expect(await tokens.token()).toBe('token-1');
    now += 1;
    await expect(tokens.token()).rejects.toMatchObject({ code: 'OCM_UNAVAILABLE' });
  });

  it('no longer when a server refuses it', async () => {
    const tokens = source();
    tokens.refuse(await tokens.token());
    expect(await tokens.token()).toBe('token-2');
  });

  it('when a server refuses the one before it', async () => {
    const tokens = source();
    const old = await tokens.token();
    tokens.refuse(old);
    await tokens.token();
    tokens.refuse(old);
    expect(await tokens.token()).toBe('token-2');
    expect(server.seen).toHaveLength(2);
  });
});

describe('no token', () => {
  const description = `Client ${SECRET} is not allowed`;
  it.each([
    {
      given: 'refused credentials',
      answer: json(401, { error: 'invalid_client', error_description: description }),
      ...{ code: 'OCM_CREDENTIALS', says: 'issued no token: 401, invalid_client, Client *** is not allowed' },
    },
    {
      given: 'a bad request',
      answer: json(400, { error: 'invalid_grant' }),
      code: 'OCM_CREDENTIALS',
      says: '400, invalid_grant',
    },
    {
      given: 'a page of a proxy',
      answer: plain(403, '<html>'),
      code: 'OCM_CREDENTIALS',
      says: '403, no reason given',
    },
    { given: 'a fault that stays', answer: plain(500), code: 'OCM_UNAVAILABLE', says: '500, no reason given' },
    { given: 'no answer', answer: hangUp, code: 'OCM_UNREACHABLE', says: 'no response after 4 attempts' },
    {
      given: 'an answer without one',
      answer: json(200, { token: 'x' }),
      code: 'OCM_ANSWER',
      says: 'returned 200 without an access token',
    },
    { given: 'a redirection', answer: plain(302), code: 'OCM_ANSWER', says: 'returned 302 without an access token' },
  ])('after $given: $code', async ({ answer, code, says }) => {
    reply = answer;
    const error: unknown = await source()
      .token()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining(says) });
    expect(`${error}${JSON.stringify(error)}`).not.toContain(SECRET);
  });

  it('when an access token is refused', async () => {
    const tokens = source({ kind: 'access-token', token: SECRET });
    tokens.refuse(await tokens.token());
    await expect(tokens.token()).rejects.toMatchObject({ code: 'OCM_UNAUTHORIZED' });
  });
});

describe('a quotation', () => {
  it('has no secret, also none that was replaced since', async () => {
    reply = granted({ refresh_token: 'second-refresh-token' });
    const tokens = source(PERSON);
    tokens.refuse(await tokens.token());
    await tokens.token();
    const said = [SECRET, 'second-refresh-token', 'token-1', 'token-2', 'no such cluster'].join(', ');
    expect(tokens.quote(said, { longest: 100 })).toBe('***, ***, ***, ***, no such cluster');
  });
});
