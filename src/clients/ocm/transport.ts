import {
  defined,
  EchelonError,
  type EchelonErrorOptions,
  isJson,
  type Json,
  type Secrets,
  shortened,
} from '../../base/index.ts';
import {
  type HttpAnswer,
  type HttpClock,
  HttpFailure,
  type HttpMethod,
  httpClient,
  type ProxyEnv,
  type RetryPolicy,
  systemHttpClock,
  type WritePermit,
} from '../http/index.ts';
import {
  DEFAULT_TOKEN_URL,
  hostTokenFrom,
  type OAuthCredentials,
  OAuthFailure,
  type OAuthFailureKind,
  tokenSource as oauthTokens,
  type TokenOptions,
  type TokenSource,
} from '../oauth.ts';

/** One request that was sent, a repeated one each time. */
export interface OcmCall {
  readonly method: HttpMethod;
  /** `clusters`, `upgrade_policies`, …, and `token`: a small fixed set, no ids. */
  readonly collection: string;
  /** 0 when there was no response. */
  readonly status: number;
  readonly seconds: number;
}

export interface OcmOptions {
  /** `https://api.openshift.com` */
  readonly url: string;
  readonly credentials: OcmCredentials;
  readonly tokenUrl?: string;
  /** Of the process: which proxy leads to OCM and to its token endpoint. */
  readonly env: ProxyEnv;
  /** Refuses whatever is not a GET before anything is sent; tokens are got all the same. */
  readonly readOnly?: boolean;
  /** Every attempt of every write needs it; all are permitted when absent. */
  readonly permit?: () => WritePermit | undefined;
  /** Requests in flight at once. */
  readonly concurrency?: number;
  /** Per attempt. */
  readonly timeoutMs?: number;
  /** Of one response. */
  readonly maxBytes?: number;
  readonly clock?: HttpClock;
  readonly random?: () => number;
  readonly onCall?: (call: OcmCall) => void;
  /** Ends everything that is in flight, with its reason. */
  readonly signal?: AbortSignal;
  readonly userAgent?: string;
}

interface OcmRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly collection: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: Json;
  /** What may be retried; a GET after any failure. */
  readonly repeat?: RetryPolicy['when'];
}

export interface Transport {
  readonly clock: HttpClock;
  readonly random: () => number;
  readonly signal: AbortSignal | undefined;
  /** The body of a success. Anything else is an `OcmError`. */
  send(request: OcmRequest): Promise<unknown>;
  /** How messages name a request. */
  nameOf(request: Pick<OcmRequest, 'method' | 'path'>): string;
}

export const OCM_CONCURRENCY = 8;
const OCM_TIMEOUT_MS = 60_000;
const OCM_MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const OCM_ATTEMPTS = 4;

/** Requests to one OCM: authorization, limits, retries, counting; and in read-only mode nothing but reading. */
export function transportOf(options: OcmOptions): Transport {
  const { clock = systemHttpClock, random = Math.random, concurrency = OCM_CONCURRENCY } = options;
  const base = baseOf(options.url);
  const { origin } = new URL(base);
  const tokens = tokensOf(options, clock, random);
  const http = httpClient({
    ...{ clock, random, concurrency, env: options.env, timeoutMs: options.timeoutMs ?? OCM_TIMEOUT_MS },
    maxBytes: options.maxBytes ?? OCM_MAX_ANSWER_BYTES,
    ...defined({ signal: options.signal, readOnly: options.readOnly, permit: options.permit }),
  });
  const nameOf: Transport['nameOf'] = ({ method, path }) => `${method} ${base}${path}`;

  return {
    ...{ clock, random, nameOf, signal: options.signal },
    send: async ({ method, path, query, collection, json, repeat }) => {
      const answer = await http
        .json({
          ...{ url: urlOf(base, { path, query }), method, token: hostTokenFrom(tokens, origin) },
          headers: { 'user-agent': options.userAgent ?? 'echelon' },
          ...(json === undefined ? {} : { body: { json } }),
          retry: { attempts: OCM_ATTEMPTS, when: repeat ?? 'any-failure' },
          onAttempt: ({ status, seconds }) => options.onCall?.({ method, collection, status, seconds }),
        })
        .catch((thrown: unknown) => failed(nameOf({ method, path }), thrown));
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      throw refused(nameOf({ method, path }), answer, tokens.quote);
    },
  };
}

function tokensOf(options: OcmOptions, clock: HttpClock, random: () => number): TokenSource {
  const { credentials, tokenUrl = DEFAULT_TOKEN_URL, timeoutMs = OCM_TIMEOUT_MS, onCall } = options;
  checkedUrl('the token endpoint of OCM', tokenUrl);
  return tokenSource({
    ...{ credentials, tokenUrl, clock, random, timeoutMs, env: options.env },
    ...defined({ signal: options.signal }),
    onAttempt: ({ status, seconds }) => onCall?.({ method: 'POST', collection: 'token', status, seconds }),
  });
}

function baseOf(url: string): string {
  const { origin, pathname } = checkedUrl('OCM', url);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

function checkedUrl(what: string, url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '')
    return parsed;
  throw new OcmError({
    code: 'OCM_URL_INVALID',
    message: `the URL of ${what} is invalid, or contains a user name or password`,
    hint: 'use a URL such as https://api.openshift.com',
  });
}

function urlOf(base: string, { path, query = {} }: { path: string; query: OcmRequest['query'] }): URL {
  const search = new URLSearchParams(query).toString();
  return new URL(search === '' ? `${base}${path}` : `${base}${path}?${search}`);
}

function failed(request: string, thrown: unknown): never {
  if (!(thrown instanceof HttpFailure)) throw thrown;
  const { message, hint, mayHaveArrived } = thrown;
  if (thrown.code === 'HTTP_READ_ONLY') throw readOnly(request);
  if (thrown.code === 'HTTP_CLEAR_TEXT') throw new OcmError({ code: 'OCM_URL_INVALID', message, hint });
  const code = CODES[thrown.code] ?? 'OCM_ANSWER';
  throw new OcmError({ code, message, hint, mayHaveArrived, tooLarge: thrown.code === 'HTTP_ANSWER_TOO_LARGE' });
}

const CODES: Readonly<Record<string, 'OCM_UNREACHABLE' | 'LEASE_LOST'>> = {
  HTTP_UNREACHABLE: 'OCM_UNREACHABLE',
  HTTP_NOT_PERMITTED: 'LEASE_LOST',
};

function readOnly(request: string): OcmError {
  return new OcmError({
    code: 'READ_ONLY',
    message: `${request} was refused: this is a dry run`,
    hint: 'this is a bug in Echelon: a dry run must not write; report it',
  });
}

/** The body of an answer that must be a mapping. */
export function mappingIn(request: string, body: unknown): Json {
  if (isJson(body)) return body;
  throw new OcmError({
    code: 'OCM_ANSWER',
    message: `${request} did not return a JSON object`,
    hint: 'check that the URL is that of the OCM API',
    mayHaveArrived: true,
  });
}

export type OcmCredentials = OAuthCredentials;

const LOGIN_CODES = {
  'token-refused': 'OCM_UNAUTHORIZED',
  credentials: 'OCM_CREDENTIALS',
  unavailable: 'OCM_UNAVAILABLE',
  unreachable: 'OCM_UNREACHABLE',
  answer: 'OCM_ANSWER',
  insecure: 'OCM_URL_INVALID',
} as const satisfies Record<OAuthFailureKind, string>;

/** Access tokens of OCM; what goes wrong is an `OcmError`. */
export function tokenSource(options: TokenOptions): TokenSource {
  const tokens = oauthTokens(options);
  return { ...tokens, token: () => tokens.token().catch(loginFailed) };
}

function loginFailed(thrown: unknown): never {
  if (!(thrown instanceof OAuthFailure)) throw thrown;
  const { kind, message, hint } = thrown;
  throw new OcmError({ code: LOGIN_CODES[kind], hint, message: kind === 'token-refused' ? REFUSED : message });
}

const REFUSED = 'OCM rejected the access token: it has expired, or is for another OCM';

type OcmErrorCode =
  | 'OCM_URL_INVALID'
  | 'OCM_CREDENTIALS'
  | 'OCM_UNAUTHORIZED'
  | 'OCM_FORBIDDEN'
  | 'OCM_NOT_FOUND'
  | 'OCM_REFUSED'
  | 'OCM_UNAVAILABLE'
  | 'OCM_UNREACHABLE'
  | 'OCM_ANSWER'
  | 'OCM_LIST_INCOMPLETE'
  | 'OCM_LIST_TOO_LONG'
  | 'OCM_SEARCH_TOO_LONG'
  | 'OCM_ID_INVALID'
  | 'READ_ONLY'
  | 'LEASE_LOST';

/** What OCM said when it did not do what was asked. */
export interface OcmRefusal {
  readonly status: number;
  /** `CLUSTERS-MGMT-400`; undefined when the answer came from something in between. */
  readonly code: string | undefined;
  readonly reason: string;
  readonly operationId: string | undefined;
  /** Gates without an agreement, by id, where that is why. */
  readonly missingGates: readonly string[];
}

interface OcmErrorOptions extends Omit<EchelonErrorOptions, 'code' | 'cause'> {
  readonly code: OcmErrorCode;
  readonly refusal?: OcmRefusal;
  readonly mayHaveArrived?: boolean;
  readonly tooLarge?: boolean;
}

/** What went wrong with one request to OCM. It has no cause: what is below may quote a header. */
export class OcmError extends EchelonError {
  override readonly name = 'OcmError';
  readonly refusal: OcmRefusal | undefined;
  /** Whether OCM may have acted on the request all the same. */
  readonly mayHaveArrived: boolean;
  /** The response is over the size limit: fewer rows at once may not be. */
  readonly tooLarge: boolean;

  constructor(options: OcmErrorOptions) {
    super(options);
    this.refusal = options.refusal;
    this.mayHaveArrived = options.mayHaveArrived ?? false;
    this.tooLarge = options.tooLarge ?? false;
  }
}

export function isNotFound(thrown: unknown): boolean {
  return thrown instanceof OcmError && thrown.code === 'OCM_NOT_FOUND';
}

const LONGEST_REASON = 500;

/** The error of an answer that is not a success; `quote` takes out what a server may quote of a request. */
function refused(request: string, answer: HttpAnswer, quote: Secrets['quote']): OcmError {
  const refusal = refusalOf(answer, quote);
  const { code, hint } = kindOf(answer.status);
  const details = [refusal.code, refusal.operationId && `operation ${refusal.operationId}`].filter(Boolean).join(', ');
  return new OcmError({
    ...{ code, hint, refusal, mayHaveArrived: answer.status >= 500 },
    message: `${request} answered ${answer.status}: ${refusal.reason}${details && ` (${details})`}`,
  });
}

function refusalOf({ status, headers, body }: HttpAnswer, quote: Secrets['quote']): OcmRefusal {
  const error = isJson(body) ? body : {};
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value !== '' ? quote(value, { longest: LONGEST_REASON }) : undefined;
  return {
    status,
    code: text(error['code']),
    reason: text(error['reason']) ?? (status >= 300 && status < 400 ? 'it redirects elsewhere' : 'no reason given'),
    operationId: text(error['operation_id']) ?? text(headers.get('x-operation-id')),
    missingGates: gatesIn(error['details']).flatMap((id) => text(id) ?? []),
  };
}

/** The details of a refusal are gates when agreements to them are missing; otherwise they can be anything. */
function gatesIn(details: unknown): string[] {
  const gates = Array.isArray(details) ? details.filter(isJson) : [];
  return gates.flatMap(({ kind, id }) => (kind === 'VersionGate' && typeof id === 'string' ? [id] : []));
}

function kindOf(status: number): { code: OcmErrorCode; hint: string } {
  if (status === 401) return { code: 'OCM_UNAUTHORIZED', hint: 'check the credentials and that they are for this OCM' };
  if (status === 403)
    return { code: 'OCM_FORBIDDEN', hint: 'grant the account of these credentials a role that allows this' };
  if (status === 404) return { code: 'OCM_NOT_FOUND', hint: 'check the id; the object may no longer exist' };
  if (status === 429 || status >= 500)
    return { code: 'OCM_UNAVAILABLE', hint: 'try again later; check the OCM status page' };
  if (status < 400) return { code: 'OCM_REFUSED', hint: 'check that the URL is that of the OCM API' };
  return { code: 'OCM_REFUSED', hint: 'see the reason: the request is not valid in the current state' };
}

export const ACCOUNTS = '/api/accounts_mgmt/v1';
export const CLUSTERS = '/api/clusters_mgmt/v1';
export const SERVICE_LOGS = '/api/service_logs/v1';

const LONGEST_ID = 255;

/** An id as one segment of a path; `..` or a slash would make it another path. */
export function segment(id: string): string {
  if (id !== '' && id !== '.' && id !== '..' && id.length <= LONGEST_ID) return encodeURIComponent(id);
  throw new OcmError({
    code: 'OCM_ID_INVALID',
    message: `"${shortened(id)}" is not a valid OCM id or label key`,
    hint: 'correct the id',
  });
}
