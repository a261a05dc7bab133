import * as z from 'zod';
import { defined, EchelonError, type EchelonErrorOptions, type Quotation, Secrets } from '../base/index.ts';
import {
  type HostToken,
  type HttpAnswer,
  type HttpAttempt,
  type HttpClock,
  HttpFailure,
  httpClient,
  type ProxyEnv,
} from './http/index.ts';

export type OAuthCredentials =
  | {
      readonly kind: 'client-credentials';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope?: string;
    }
  /** An offline or refresh token, as a person gets it. */
  | { readonly kind: 'refresh-token'; readonly token: string; readonly clientId?: string }
  /** Used as it is until it expires. */
  | { readonly kind: 'access-token'; readonly token: string };

export interface TokenOptions {
  readonly credentials: OAuthCredentials;
  readonly tokenUrl: string;
  /** Of the process: which proxy leads to the token endpoint. */
  readonly env: ProxyEnv;
  readonly clock: HttpClock;
  readonly random: () => number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onAttempt: (attempt: HttpAttempt) => void;
}

export interface TokenSource {
  /** A token that is valid for a while yet; concurrent callers get the same one. */
  token(): Promise<string>;
  /** Says that a server did not take this token; the next one is new. */
  refuse(token: string): void;
  /** What a server said that was sent a token, without any secret of this source. */
  quote(text: string, quotation: Quotation): string;
}

export const DEFAULT_TOKEN_URL = 'https://sso.redhat.com/auth/realms/redhat-external/protocol/openid-connect/token';
const DEFAULT_CLIENT_ID = 'cloud-services';
const ATTEMPTS = 4;
const RENEW_BEFORE_MS = 60_000;
/** Access and refresh tokens of the last renewals. */
const SENT_TOKENS = 8;
const ASSUMED_LIFETIME_S = 300;

interface AccessToken {
  readonly value: string;
  readonly renewAt: number;
  readonly expiresAt: number;
}

const TOKEN_ANSWER = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});

/** Gets access tokens, keeps them, and renews them before they expire, one renewal at a time. */
export function tokenSource(options: TokenOptions): TokenSource {
  const { credentials } = options;
  if (credentials.kind === 'access-token') return fixedToken(credentials.token);
  let refreshToken = credentials.kind === 'refresh-token' ? credentials.token : '';
  let current: AccessToken | undefined;
  let renewal: Promise<AccessToken> | undefined;
  /** The last tokens: an answer to an earlier request may quote one that was replaced meanwhile. */
  let sent: readonly string[] = [];
  const fixed = 'clientSecret' in credentials ? credentials.clientSecret : credentials.token;
  const quote: TokenSource['quote'] = (text, how) => new Secrets([fixed, refreshToken, ...sent]).quote(text, how);

  const renew = async (): Promise<AccessToken> => {
    const asked = options.clock.now().getTime();
    const answer = await askFor(options, formOf(credentials, refreshToken));
    const { access_token, refresh_token, expires_in } = granted(options, answer, quote);
    refreshToken = refresh_token ?? refreshToken;
    sent = [access_token, refreshToken, ...sent].slice(0, SENT_TOKENS);
    const lifetime = (expires_in ?? ASSUMED_LIFETIME_S) * 1000;
    const renewAt = asked + lifetime - Math.min(RENEW_BEFORE_MS, lifetime / 2);
    current = { value: access_token, renewAt, expiresAt: asked + lifetime };
    return current;
  };
  const renewOnce = (): Promise<AccessToken> => {
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
    return renewal;
  };

  return {
    quote,
    refuse: (token) => {
      if (current?.value === token) current = undefined;
    },
    token: async () => {
      const now = options.clock.now().getTime();
      const kept = current;
      if (kept !== undefined && now < kept.renewAt) return kept.value;
      try {
        return (await renewOnce()).value;
      } catch (thrown) {
        if (kept !== undefined && kept === current && now < kept.expiresAt) return kept.value;
        throw thrown;
      }
    },
  };
}

/** The token for one request to an origin; when it is refused, a new one is got unless another caller did so. */
export function hostTokenFrom(tokens: TokenSource, origin: string): HostToken {
  let used = '';
  const headers = async (): Promise<Record<string, string>> => {
    used = await tokens.token();
    return { authorization: `Bearer ${used}` };
  };
  return {
    ...{ origin, headers },
    renewed: () => {
      tokens.refuse(used);
      return headers();
    },
  };
}

function fixedToken(token: string): TokenSource {
  let refused = false;
  return {
    quote: (text, how) => new Secrets([token]).quote(text, how),
    refuse: () => {
      refused = true;
    },
    token: async () => {
      if (!refused) return token;
      throw new OAuthFailure({
        kind: 'token-refused',
        message: 'the access token was rejected: it has expired, or is for another server',
        hint: 'get a new one, or use an offline token or a service account, which are renewed automatically',
      });
    },
  };
}

function formOf(credentials: Exclude<OAuthCredentials, { kind: 'access-token' }>, refreshToken: string) {
  if (credentials.kind === 'refresh-token') {
    const client_id = credentials.clientId ?? DEFAULT_CLIENT_ID;
    return { grant_type: 'refresh_token', client_id, refresh_token: refreshToken };
  }
  const { clientId, clientSecret, scope } = credentials;
  const client = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  return scope === undefined ? client : { ...client, scope };
}

/** Asking twice for a token does no harm. */
async function askFor(options: TokenOptions, form: Record<string, string>): Promise<HttpAnswer> {
  const { tokenUrl, clock, random, timeoutMs, env, onAttempt } = options;
  try {
    return await httpClient({ clock, random, env, ...defined({ timeoutMs, signal: options.signal }) }).json({
      ...{ url: tokenUrl, method: 'POST', body: { form }, confidential: true, onAttempt },
      retry: { attempts: ATTEMPTS, when: 'any-failure' },
    });
  } catch (thrown) {
    if (!(thrown instanceof HttpFailure)) throw thrown;
    const { code, message, hint } = thrown;
    throw new OAuthFailure({ kind: code === 'HTTP_CLEAR_TEXT' ? 'insecure' : 'unreachable', message, hint });
  }
}

function granted(
  { tokenUrl }: TokenOptions,
  { status, body }: HttpAnswer,
  quote: TokenSource['quote'],
): z.infer<typeof TOKEN_ANSWER> {
  const { origin, pathname } = new URL(tokenUrl);
  const request = `POST ${origin}${pathname}`;
  if (status >= 400) throw notGranted(request, status, whyNot(body, quote));
  const parsed = TOKEN_ANSWER.safeParse(body);
  if (parsed.success && status < 300) return parsed.data;
  throw new OAuthFailure({
    kind: 'answer',
    message: `${request} returned ${status} without an access token`,
    hint: 'check the URL of the token endpoint',
  });
}

const LONGEST_REASON = 300;

function whyNot(body: unknown, quote: TokenSource['quote']): string {
  const { error, error_description } = (body ?? {}) as { error?: unknown; error_description?: unknown };
  const said = [error, error_description].filter((text) => typeof text === 'string' && text !== '');
  return said.map((text) => quote(String(text), { longest: LONGEST_REASON })).join(', ') || 'no reason given';
}

function notGranted(request: string, status: number, reason: string): OAuthFailure {
  const passing = status === 429 || status >= 500;
  return new OAuthFailure({
    kind: passing ? 'unavailable' : 'credentials',
    message: `${request} issued no token: ${status}, ${reason}`,
    hint: passing ? 'try again later' : 'check the client id and secret, or get a new offline token',
  });
}

/**
 * `token-refused`: the only token that there is was not accepted. `credentials`: the endpoint does not accept what it was
 * given. `unavailable`: it cannot answer now. `insecure`: it is asked over a clear line.
 */
export type OAuthFailureKind = 'token-refused' | 'credentials' | 'unavailable' | 'unreachable' | 'answer' | 'insecure';

/** No access token. It has no cause: what is below may quote a secret. */
export class OAuthFailure extends EchelonError {
  override readonly name = 'OAuthFailure';
  readonly kind: OAuthFailureKind;

  constructor({ kind, ...options }: Omit<EchelonErrorOptions, 'code' | 'cause'> & { readonly kind: OAuthFailureKind }) {
    super({ code: 'OAUTH_FAILED', ...options });
    this.kind = kind;
  }
}
