import { EchelonError, isClearText } from '../../base/index.ts';
import { HttpFailure } from './http-error.ts';
import type { ProxyEnv } from './proxy.ts';
import { type HttpClock, type RetryPolicy, systemHttpClock } from './retry.ts';
import { type HttpMethod, type HttpReply, nameOf, type Wire } from './wire.ts';

/** The permission to write, such as that of a leader while its lease lasts. Once it has ended it does not come back. */
export interface WritePermit {
  mayWrite(): boolean;
  /** Aborted when it ends: nothing that changes something may be in flight later. */
  readonly signal: AbortSignal;
}

/** What is the same for all requests to one server. */
export interface HttpClientOptions {
  /** Refuses whatever changes something, before anything is sent. */
  readonly readOnly?: boolean;
  /** Asked once for each request that changes something; every attempt of it needs the permit that it began with. */
  readonly permit?: () => WritePermit | undefined;
  readonly token?: HostToken;
  /** None is followed when absent. */
  readonly redirects?: Redirects;
  /** Requests in flight at once; any number when absent. */
  readonly concurrency?: number;
  /** Per attempt. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Ends everything that is in flight, also a pause between attempts, with its reason. */
  readonly signal?: AbortSignal;
  readonly clock?: HttpClock;
  readonly random?: () => number;
  /** Of the process: which proxy leads to a server. Without it every server is reached directly. */
  readonly env?: ProxyEnv;
  /** In place of connections that the environment describes. */
  readonly wire?: Wire;
}

type RequestBody = { readonly json: unknown } | { readonly form: Readonly<Record<string, string>> };

export interface HttpRequest {
  readonly url: string | URL;
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** A POST that changes nothing, such as a query: read-only clients send it too. */
  readonly onlyReads?: boolean;
  /** The body holds a secret: as a token, it goes to no other host, nor to another machine in clear text. */
  readonly confidential?: boolean;
  /** In place of that of the client. */
  readonly token?: HostToken;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Ends this request, as the signal of the client ends all of them. */
  readonly signal?: AbortSignal;
  /** A GET is retried after any failure, anything else never, unless the caller says what is safe. */
  readonly retry?: RetryPolicy;
  readonly onAttempt?: (attempt: HttpAttempt) => void;
}

/** One request as it was sent, for counting. */
export interface HttpAttempt {
  /** 1 for the first. */
  readonly attempt: number;
  /** 0 when there was no response. */
  readonly status: number;
  readonly seconds: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
const DEFAULT_ATTEMPTS = 4;

/** A request with everything that its client says about it. */
export interface PlannedRequest {
  readonly name: string;
  readonly url: URL;
  readonly method: HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly token: HostToken | undefined;
  readonly redirects: Redirects | undefined;
  readonly limits: { readonly timeoutMs: number; readonly maxBytes: number };
  readonly retry: RetryPolicy;
  readonly onAttempt: (attempt: HttpAttempt) => void;
  readonly signal: AbortSignal | undefined;
  readonly permit: WritePermit | undefined;
  readonly clock: HttpClock;
  readonly random: () => number;
  readonly wire: Wire;
}

/** What may not be sent is refused here, before any login. Headers of the request replace the given ones. */
export function plannedRequest(
  request: HttpRequest,
  options: HttpClientOptions & { readonly wire: Wire },
  headers: Readonly<Record<string, string>> = {},
): PlannedRequest {
  const { method = 'GET', body, token = options.token, confidential = false } = request;
  const url = urlOf(request.url);
  const name = nameOf({ method, url });
  const isWrite = !isReading(method, request);
  if (options.readOnly === true && isWrite) throw readOnly(name);
  if (confidential || (token?.origin === url.origin && token.mayBeEmpty !== true)) refuseClearText(name, url);
  const { clock = systemHttpClock, random = Math.random, wire } = options;
  const permit = isWrite ? options.permit?.() : undefined;
  const signal = firstOf(request.signal, options.signal, permit?.signal);
  return {
    ...{ name, url, method, token, signal, permit, clock, random, wire },
    redirects: confidential && options.redirects?.to === 'anywhere' ? undefined : options.redirects,
    headers: checkedHeaders({ 'user-agent': 'echelon', ...headers, ...contentType(body), ...request.headers }),
    body: body === undefined ? undefined : bytesOf(body),
    limits: limitsOf(request, options),
    retry: request.retry ?? defaultPolicy(method),
    onAttempt: request.onAttempt ?? (() => {}),
  };
}

function firstOf(...given: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const signals = given.filter((signal) => signal !== undefined);
  return signals.length < 2 ? signals[0] : AbortSignal.any(signals);
}

function isReading(method: HttpMethod, { onlyReads }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD' || onlyReads === true;
}

function limitsOf(request: HttpRequest, options: HttpClientOptions): PlannedRequest['limits'] {
  return {
    timeoutMs: request.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxBytes: request.maxBytes ?? options.maxBytes ?? DEFAULT_MAX_BYTES,
  };
}

function defaultPolicy(method: HttpMethod): RetryPolicy {
  return { attempts: DEFAULT_ATTEMPTS, when: method === 'GET' || method === 'HEAD' ? 'any-failure' : 'never' };
}

function urlOf(given: string | URL): URL {
  const url = typeof given === 'string' ? URL.parse(given) : given;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  throw new EchelonError({
    code: 'HTTP_URL_INVALID',
    message: 'the request URL is not an http or https URL, or contains a user name or password',
    hint: 'use a URL such as https://api.example.com',
  });
}

/** Checked here and reported without the value: the runtime would repeat it in its own message. */
export function checkedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    throw new EchelonError({
      code: 'HTTP_HEADER_INVALID',
      message: `the header ${name} contains a line break or another character not allowed in a header`,
      hint: 'check the token: it must be one line of printable characters',
    });
  }
  return headers;
}

function contentType(body: RequestBody | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { 'content-type': 'json' in body ? 'application/json' : 'application/x-www-form-urlencoded' };
}

function bytesOf(body: RequestBody): string {
  return 'json' in body ? JSON.stringify(body.json) : new URLSearchParams(body.form).toString();
}

function readOnly(name: string): HttpFailure {
  return new HttpFailure({
    code: 'HTTP_READ_ONLY',
    message: `${name} was refused: this client is read-only`,
    hint: 'this is a bug in Echelon: a dry run must not write; report it',
    mayHaveArrived: false,
  });
}

/** Secret headers and the one origin that may receive them. No other host does, not even by a redirect. */
export interface HostToken {
  readonly origin: string;
  /** There may be no headers, such as with a client certificate: only headers are a secret that clear text would show. */
  readonly mayBeEmpty?: boolean;
  /** Called before each attempt. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** New ones, after the server refused the last ones with 401. Absent where there are no others. */
  renewed?(): Promise<Readonly<Record<string, string>>>;
}

/** A token that never changes. */
export function fixedHostToken(origin: string, headers: Readonly<Record<string, string>>): HostToken {
  return { origin, headers: async () => headers };
}

/** A secret goes to another machine over TLS only. */
export function refuseClearText(name: string, url: URL): void {
  if (!isClearText(url)) return;
  throw new HttpFailure({
    code: 'HTTP_CLEAR_TEXT',
    message: `${name} is not sent: ${url.host} uses plain http, which would expose the credentials`,
    hint: 'use the https URL; over plain http credentials are sent to this machine (127.0.0.1, localhost) only',
    mayHaveArrived: false,
  });
}

export interface Redirects {
  /** How many in a row are followed; the one after that is the answer. */
  readonly most: number;
  /** Where to. The token goes along within its own origin, and with `same-host` also to another port of its host. */
  readonly to: 'same-origin' | 'same-host' | 'anywhere';
  /** Also what is not a GET, sent again as it is. */
  readonly whole?: boolean;
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** The address that an answer sends its client to, where that may be followed. */
export function redirectedTo(
  { status, headers }: HttpReply,
  { url, method }: { readonly url: URL; readonly method: HttpMethod },
  redirects: Redirects | undefined,
): URL | undefined {
  if (redirects === undefined || !REDIRECTS.includes(status)) return undefined;
  if (method !== 'GET' && method !== 'HEAD' && redirects.whole !== true) return undefined;
  const location = headers.get('location');
  const next = location === null ? null : URL.parse(location, url.href);
  return next !== null && isKnown(next) && isAllowed(url, next, redirects.to) ? next : undefined;
}

function isKnown({ protocol, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

function isAllowed(from: URL, next: URL, to: Redirects['to']): boolean {
  if (to === 'same-origin') return next.origin === from.origin;
  if (to === 'anywhere') return true;
  return next.hostname === from.hostname && (next.protocol === 'https:' || from.protocol === 'http:');
}
