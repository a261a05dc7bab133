import { beforeEach, describe, expect, it } from 'vitest';
import { type ManualClock, manualClock } from '../clock.ts';
import type { FleetAccount } from '../fleet/fleet.ts';
import { Tokens } from './tokens.ts';

const START = new Date('2026-03-02T00:00:00Z');
const SERVICE: FleetAccount = {
  id: 'a1',
  username: 'service',
  role: 'service',
  organizationId: 'o1',
  clientId: 'client',
  clientSecret: 's3:cret/ä',
};
const PERSON: FleetAccount = {
  id: 'a2',
  username: 'pat',
  role: 'admin',
  organizationId: 'o1',
  offlineToken: 'offline',
};

let clock: ManualClock;
let tokens: Tokens;

beforeEach(() => {
  clock = manualClock(START);
  tokens = new Tokens([SERVICE, PERSON], clock);
});

const form = (fields: Record<string, string>): URLSearchParams => new URLSearchParams(fields);
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const grant = 'client_credentials';

describe('a token request', () => {
  it.each([
    {
      by: 'secret in the body',
      fields: { grant_type: grant, client_id: 'client', client_secret: 's3:cret/ä' },
      header: undefined,
    },
    { by: 'Basic', fields: { grant_type: grant }, header: basic('client:s3:cret/ä') },
    { by: 'encoded Basic', fields: { grant_type: grant }, header: basic(`client:${encodeURIComponent('s3:cret/ä')}`) },
    {
      by: 'offline token',
      fields: { grant_type: 'refresh_token', client_id: 'cloud-services', refresh_token: 'offline' },
      header: undefined,
    },
  ])('with $by gives a token for 15 minutes', ({ fields, header }) => {
    const { status, body } = tokens.grant(form(fields), header);
    expect([status, body['token_type'], body['expires_in']]).toEqual([200, 'Bearer', 900]);
    const claims = JSON.parse(Buffer.from(String(body['access_token']).split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({
      iat: START.getTime() / 1000,
      exp: START.getTime() / 1000 + 900,
      typ: 'Bearer',
      organization: { id: 'o1' },
    });
  });

  const refresh = (token: string, from = tokens) =>
    from.grant(form({ grant_type: 'refresh_token', refresh_token: token }), undefined);

  it('with the offline token of the fleet file gives one that is a JWT, as real clients require', () => {
    const jwt = String(refresh('offline').body['refresh_token']);
    const [header, claims] = jwt
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    expect(header).toMatchObject({ alg: 'HS256', typ: 'JWT' });
    expect(claims).toEqual({
      iss: 'redhat-external',
      sub: 'a2',
      typ: 'Offline',
      iat: START.getTime() / 1000,
      preferred_username: 'pat',
    });
    expect(tokens.offlineTokens()).toEqual([{ username: 'pat', token: jwt }]);
  });

  it('with such a JWT is granted, a month later and after a restart', () => {
    const [{ token } = { token: '' }] = tokens.offlineTokens();
    clock.advanceTo(new Date(START.getTime() + 30 * 86_400_000));
    expect([refresh(token).status, refresh(token, new Tokens([PERSON], clock)).status]).toEqual([200, 200]);
  });

  it('with such a JWT of another text in the fleet file is refused', () => {
    const [{ token } = { token: '' }] = new Tokens([{ ...PERSON, offlineToken: 'other' }], clock).offlineTokens();
    expect(refresh(token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it.each([
    {
      fields: { grant_type: grant, client_id: 'client', client_secret: 'wrong' },
      status: 401,
      error: 'invalid_client',
    },
    {
      fields: { grant_type: grant, client_id: 'nobody', client_secret: 's3:cret/ä' },
      status: 401,
      error: 'invalid_client',
    },
    { fields: { grant_type: grant }, status: 401, error: 'invalid_client' },
    { fields: { grant_type: 'refresh_token', refresh_token: 'wrong' }, status: 400, error: 'invalid_grant' },
    { fields: { grant_type: 'refresh_token' }, status: 400, error: 'invalid_grant' },
    { fields: { grant_type: 'password' }, status: 400, error: 'unsupported_grant_type' },
    { fields: {}, status: 400, error: 'invalid_request' },
  ])('with $fields is refused: $error', ({ fields, status, error }) => {
    const answer = tokens.grant(form({ ...fields }), undefined);
    expect(answer).toMatchObject({ status, body: { error } });
    expect(JSON.stringify(answer)).not.toContain('s3:cret');
  });
});

describe('a request to the API', () => {
  const token = (from = tokens): string =>
    String(from.grant(form({ grant_type: 'refresh_token', refresh_token: 'offline' }), undefined).body['access_token']);
  const reason = (authorization: string | undefined): string => {
    try {
      return tokens.verify('accounts_mgmt', authorization).username;
    } catch (thrown) {
      return String(thrown);
    }
  };

  it('is from whom the token is for', () => {
    expect(reason(`Bearer ${token()}`)).toBe('pat');
    expect(reason(`bearer ${token()}`)).toBe('pat');
  });

  it('is refused once the token is 15 minutes old', () => {
    const old = `Bearer ${token()}`;
    clock.advanceTo(new Date(START.getTime() + 899_000));
    expect(reason(old)).toBe('pat');
    clock.advanceTo(new Date(START.getTime() + 900_000));
    expect(reason(old)).toContain('Bearer token is expired');
  });

  it.each([
    { authorization: () => undefined, says: "Request doesn't contain the 'Authorization' header" },
    { authorization: () => 'Bearer', says: 'Authorization header is malformed' },
    { authorization: () => 'Basic abc', says: "Authentication type 'Basic' isn't supported" },
    { authorization: () => 'Bearer abc', says: 'Bearer token is malformed' },
    { authorization: () => 'Bearer a.b.c', says: 'Bearer token is malformed' },
    { authorization: () => `Bearer ${token()}x`, says: "Bearer token can't be verified" },
    { authorization: () => `Bearer ${token(new Tokens([PERSON], clock))}`, says: "Bearer token can't be verified" },
  ])('is refused: $says', ({ authorization, says }) => {
    expect(reason(authorization())).toContain(says);
  });
});
