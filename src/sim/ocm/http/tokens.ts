import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { defined, isJson, type Json } from '../../../base/index.ts';
import type { SimClock } from '../clock.ts';
import type { FleetAccount } from '../fleet/fleet.ts';
import { type Service, SimOcmError } from '../ocm-error.ts';

export const TOKEN_PATH = '/auth/realms/redhat-external/protocol/openid-connect/token';
/** Lifetime of an access token, on the simulated clock. */
const TOKEN_LIFETIME_SECONDS = 15 * 60;
const ISSUER_NAME = 'redhat-external';

/** What a user logs in with, a JWT that does not expire. */
export interface OfflineToken {
  readonly username: string;
  readonly token: string;
}

interface TokenAnswer {
  readonly status: number;
  readonly body: Json;
}

/** Issues and verifies access tokens. */
export class Tokens {
  readonly #accounts: readonly FleetAccount[];
  readonly #clock: SimClock;
  readonly #secret = randomBytes(32);
  readonly #started: number;

  constructor(accounts: readonly FleetAccount[], clock: SimClock) {
    this.#accounts = accounts;
    this.#clock = clock;
    this.#started = this.#seconds();
  }

  /** The response to a token request: client credentials in the body or as Basic, or an offline token. */
  grant(form: URLSearchParams, authorization: string | undefined): TokenAnswer {
    const grant = form.get('grant_type');
    if (grant === 'client_credentials') return this.#byClient(form, authorization);
    if (grant === 'refresh_token') return this.#byOfflineToken(form.get('refresh_token'));
    if (grant === null) return problem(400, 'invalid_request', 'the field grant_type is missing');
    return problem(400, 'unsupported_grant_type', `${grant} is not supported here`);
  }

  offlineTokens(): readonly OfflineToken[] {
    return this.#accounts.flatMap((account) =>
      account.offlineToken === undefined
        ? []
        : [{ username: account.username, token: this.#offlineToken(account, account.offlineToken) }],
    );
  }

  /** The caller of a request; throws like OCM for unknown callers. */
  verify(service: Service, authorization: string | undefined): FleetAccount {
    const refuse = (reason: string): SimOcmError => new SimOcmError(service, 'unauthenticated', reason);
    if (authorization === undefined) throw refuse("Request doesn't contain the 'Authorization' header");
    const [, type = '', token = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
    if (token === '') throw refuse('Authorization header is malformed');
    if (type.toLowerCase() !== 'bearer') throw refuse(`Authentication type '${type}' isn't supported`);
    const claims = claimsIn(token);
    if (claims === undefined) throw refuse('Bearer token is malformed');
    const account = this.#accounts.find(({ id }) => id === claims['sub']);
    if (!this.#isOurs(token) || account === undefined) throw refuse("Bearer token can't be verified");
    if (!(Number(claims['exp']) > this.#seconds())) throw refuse('Bearer token is expired');
    return account;
  }

  #byClient(form: URLSearchParams, authorization: string | undefined): TokenAnswer {
    const { id, secret } = credentialsIn(form, authorization);
    const account = this.#accounts.find(({ clientId }) => clientId !== undefined && clientId === id);
    if (account === undefined || !same(account.clientSecret, secret))
      return problem(401, 'invalid_client', 'unknown client or invalid secret');
    return { status: 200, body: this.#tokenFor(account) };
  }

  /** The text of the fleet file, or the JWT that is made of it. */
  #byOfflineToken(token: string | null): TokenAnswer {
    const account = this.#accounts.find((each) => token !== null && isOfflineTokenOf(each, token));
    if (account?.offlineToken === undefined) return problem(400, 'invalid_grant', 'unknown offline token');
    return {
      status: 200,
      body: { ...this.#tokenFor(account), refresh_token: this.#offlineToken(account, account.offlineToken) },
    };
  }

  #offlineToken({ id, username }: FleetAccount, secret: string): string {
    const claims = { iss: ISSUER_NAME, sub: id, typ: 'Offline', iat: this.#started, preferred_username: username };
    const head = `${encoded({ alg: 'HS256', typ: 'JWT', kid: 'simulated' })}.${encoded(claims)}`;
    return `${head}.${signature(secret, head)}`;
  }

  #tokenFor(account: FleetAccount): Json {
    const issued = this.#seconds();
    const claims = {
      iss: ISSUER_NAME,
      sub: account.id,
      typ: 'Bearer',
      iat: issued,
      exp: issued + TOKEN_LIFETIME_SECONDS,
      scope: 'openid api.ocm',
      preferred_username: account.username,
      ...defined({ clientId: account.clientId }),
      ...(account.organizationId === undefined ? {} : { organization: { id: account.organizationId } }),
    };
    const head = `${encoded({ alg: 'HS256', typ: 'JWT', kid: 'simulated' })}.${encoded(claims)}`;
    return {
      access_token: `${head}.${signature(this.#secret, head)}`,
      expires_in: TOKEN_LIFETIME_SECONDS,
      token_type: 'Bearer',
      scope: 'openid api.ocm',
    };
  }

  #isOurs(token: string): boolean {
    return isSigned(this.#secret, token);
  }

  #seconds(): number {
    return Math.floor(this.#clock.now().getTime() / 1000);
  }
}

/** The key of an offline token is the account's text in the fleet file, so that it is good after a restart. */
function isOfflineTokenOf({ id, offlineToken }: FleetAccount, token: string): boolean {
  if (offlineToken === undefined) return false;
  return same(offlineToken, token) || (claimsIn(token)?.['sub'] === id && isSigned(offlineToken, token));
}

function isSigned(key: string | Buffer, token: string): boolean {
  const dot = token.lastIndexOf('.');
  return same(signature(key, token.slice(0, dot)), token.slice(dot + 1));
}

function signature(key: string | Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function credentialsIn(form: URLSearchParams, authorization: string | undefined): { id: string; secret: string } {
  const basic = /^basic +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined) return { id: form.get('client_id') ?? '', secret: form.get('client_secret') ?? '' };
  const [id = '', ...secret] = Buffer.from(basic, 'base64').toString('utf8').split(':');
  return { id: decoded(id), secret: decoded(secret.join(':')) };
}

/** Clients differ in whether they percent-encode the two halves. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function claimsIn(token: string): Json | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isJson(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function same(expected: string | undefined, given: string): boolean {
  if (expected === undefined) return false;
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function problem(status: number, error: string, description: string): TokenAnswer {
  return { status, body: { error, error_description: description } };
}
