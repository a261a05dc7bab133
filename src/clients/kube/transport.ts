import type http from 'node:http';
import { defined, EchelonError, humanBytes, nodeHttp, type Quotation, Secrets } from '../../base/index.ts';
import {
  agentWire,
  type Backoff,
  CONNECT_MS,
  type Connections,
  connectionsTo,
  HttpFailure,
  type HttpRequest,
  type HttpText,
  httpClient,
  proxyAuthorization,
  systemHttpClock,
  type Tried,
  type WritePermit,
} from '../http/index.ts';
import type { Credentials, KubeConnection } from './connection.ts';
import { answerError, KubeError } from './kube-error.ts';

export interface TransportOptions {
  /** Refuses whatever is not a GET before anything is sent. */
  readonly readOnly?: boolean;
  /** Every attempt of every write needs it; all are permitted when absent. */
  readonly permit?: () => WritePermit | undefined;
  /** Requests in flight at once. */
  readonly concurrency?: number;
  readonly timeoutMs?: number;
  /** Time limit for establishing a connection. */
  readonly connectMs?: number;
  readonly onCall?: (call: KubeCall) => void;
  /** Waits between attempts; replaced in tests. */
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

export interface KubeTransport {
  readonly name: string;
  request(request: KubeRequest): Promise<KubeAnswer>;
  /** Opens a watch on a connection of its own, which takes no part in the limit of requests at once. */
  watch(request: WatchRequest): Promise<KubeStream>;
  close(): void;
}

export type WatchRequest = Pick<KubeRequest, 'path' | 'query'> & { readonly signal: AbortSignal };

/** What a server sends in a watch, or why it does not. */
type KubeStream = { readonly parts: AsyncIterable<Uint8Array> } | { readonly status: number; readonly refusal: Error };

export const DEFAULT_CONCURRENCY = 10;
const MAX_ATTEMPTS = 5;
const TIMEOUT_MS = 30_000;
/** A server opens a watch at once, and a pass may wait for it. */
const WATCH_HEAD_MS = 10_000;
/** Half of each pause is jitter. */
const BACKOFF: Backoff = { firstMs: 200, longestMs: 10_000, fixed: 0.5, longestRetryAfterMs: 30_000 };

/**
 * Requests to one API server: the HTTP client over keep-alive connections with the credentials of the cluster. Retried are
 * requests that the server did not process (429, no connection), and after other faults those that are idempotent.
 */
export function kubeTransport(connection: KubeConnection, options: TransportOptions = {}): KubeTransport {
  const { concurrency = DEFAULT_CONCURRENCY, timeoutMs = TIMEOUT_MS, sleep = systemHttpClock.sleep } = options;
  const { connectMs, readOnly, permit, random, onCall } = options;
  const login = kubeLogin(connection, concurrency, connectMs);
  const common = { timeoutMs, maxBytes: MAX_RESPONSE_BYTES, clock: { ...systemHttpClock, sleep } };
  const wireOf = ({ connections }: KubeLogin) => agentWire({ connections, ...defined({ connectMs }) });
  const client = httpClient({ ...common, concurrency, wire: wireOf(login), ...defined({ readOnly, permit, random }) });
  const watching = kubeLogin(connection, Number.POSITIVE_INFINITY, connectMs);
  const streams = httpClient({ ...common, timeoutMs: WATCH_HEAD_MS, wire: wireOf(watching) });
  return {
    name: connection.name,
    request: async (request) => {
      const sent = httpRequest(connection, request, login, onCall);
      const reply = await client.text(sent).catch((thrown: unknown) => {
        throw kubeFailure(connection, request, thrown);
      });
      return answerOf(connection, request, reply, login.quote);
    },
    watch: async (watch) => {
      const request = { ...watch, method: 'GET', idempotent: true } as const;
      const answer = await streams.stream(httpRequest(connection, request, watching, onCall));
      if ('parts' in answer) return answer;
      const { status, text } = answer;
      const named = { cluster: connection.name, method: 'WATCH', path: watch.path };
      return { status, refusal: answerError(named, status, text, watching.quote) };
    },
    close: () => {
      login.close();
      watching.close();
    },
  };
}

function httpRequest(
  connection: KubeConnection,
  request: KubeRequest,
  login: KubeLogin,
  onCall: TransportOptions['onCall'],
): HttpRequest {
  const { method, body, contentType = 'application/json', signal, isText } = request;
  const url = urlOf(connection, request);
  return {
    ...{ url, method, ...defined({ signal }) },
    token: {
      ...{ origin: url.origin, mayBeEmpty: true },
      headers: () => login.headers(false),
      renewed: () => login.headers(true),
    },
    headers: {
      ...{ accept: isText === true ? '*/*' : 'application/json', 'user-agent': 'echelon' },
      ...(body === undefined ? {} : { 'content-type': contentType }),
    },
    ...(body === undefined ? {} : { body: { json: body } }),
    retry: { attempts: MAX_ATTEMPTS, backoff: BACKOFF, when: (tried) => mayTryAgain(request, tried) },
    onAttempt: ({ status, seconds }) =>
      onCall?.({ cluster: connection.name, method, seconds, ...(status === 0 ? {} : { status }) }),
  };
}

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Sending it twice does no harm, so it is sent again when its response is lost. */
  readonly idempotent: boolean;
  /** Gives up waiting. Left out for what must not be cut short. */
  readonly signal?: AbortSignal;
  /** The response is plain text, such as a log. */
  readonly isText?: true;
}

interface KubeAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** One request as it was sent, for metrics. */
export interface KubeCall {
  readonly cluster: string;
  readonly method: string;
  /** Absent when there was no response. */
  readonly status?: number;
  readonly seconds: number;
}

const MAX_RESPONSE_BYTES = 128 * 1024 * 1024;
/** The library for TLS says on further lines where in its source it failed. */
const FIRST_LINE = { longest: 600, tidy: (text: string) => text.split('\n')[0] ?? '' };
const CHECK_ADDRESS = 'check that the URL is that of an API server, not of a proxy or console';

function urlOf(connection: KubeConnection, { path, query = {} }: KubeRequest): URL {
  const address = connection.server.replace(/\/+$/, '') + path;
  if (!URL.canParse(address)) throw unreachable(connection, '', 'the address is not a URL');
  const url = new URL(address);
  for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, value);
  return url;
}

/** Only the code of such an error is read. */
const UNNAMED = { cluster: '', method: '', path: '' };
const UNSAID = (): string => '';

/** Whether another attempt is safe and may succeed. */
function mayTryAgain({ idempotent, isText }: KubeRequest, tried: Tried): boolean {
  if ('fault' in tried) return !isTls(tried.code) && (idempotent || !tried.mayHaveArrived);
  if (isSuccess(tried.status)) return idempotent && isText !== true && !tried.text.trimStart().startsWith('{');
  const { code } = answerError(UNNAMED, tried.status, tried.text, UNSAID);
  return code === 'KUBE_THROTTLED' || (code === 'KUBE_SERVER_ERROR' && idempotent);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The parsed response; throws what any other status means. */
function answerOf(
  { name: cluster }: KubeConnection,
  { method, path, isText }: KubeRequest,
  { status, text }: HttpText,
  quote: Secrets['quote'],
): KubeAnswer {
  if (!isSuccess(status)) throw answerError({ cluster, method, path }, status, text, quote);
  if (isText === true) return { status, body: text };
  try {
    return { status, body: JSON.parse(text) };
  } catch {
    throw new KubeError({
      code: 'KUBE_ANSWER',
      message: `${cluster}: ${method} ${path}: the response is not JSON (${humanBytes(text.length)})`,
      hint: CHECK_ADDRESS,
    });
  }
}

/** A request without a usable response as a `KubeError`; whatever else was thrown, such as by a login, stays what it is. */
function kubeFailure(connection: KubeConnection, request: KubeRequest, thrown: unknown): unknown {
  const at = `${connection.name}: ${request.method} ${request.path}`;
  if (thrown instanceof HttpFailure) return ofHttp(connection, at, thrown);
  if (!(thrown instanceof EchelonError)) return thrown;
  if (thrown.code === 'HTTP_URL_INVALID') return unreachable(connection, '', thrown.message);
  if (thrown.code !== 'HTTP_HEADER_INVALID') return thrown;
  return new KubeError({ code: 'KUBE_UNAUTHORIZED', message: `${at}: ${thrown.message}`, hint: thrown.hint });
}

function ofHttp(
  connection: KubeConnection,
  at: string,
  { code, fault, message, hint, mayHaveArrived }: HttpFailure,
): KubeError {
  if (fault !== undefined) return ofFault(connection, at, fault);
  if (code === 'HTTP_CLEAR_TEXT') {
    return new KubeError({ code: 'KUBE_TLS', message: `${connection.name}: ${message}`, hint });
  }
  if (code === 'HTTP_READ_ONLY') {
    return new KubeError({ code: 'READ_ONLY', message: `${at} was refused: this is a dry run`, hint });
  }
  if (code === 'HTTP_NOT_PERMITTED') {
    const how = mayHaveArrived ? 'was cut short and may have been applied' : 'was not sent';
    return new KubeError({
      code: 'LEASE_LOST',
      message: `${at} ${how}: this process is not the leader any more`,
      hint,
    });
  }
  const tooLarge = `${at}: response larger than ${humanBytes(MAX_RESPONSE_BYTES)}`;
  return new KubeError({ code: 'KUBE_ANSWER', message: tooLarge, hint: CHECK_ADDRESS });
}

function ofFault(connection: KubeConnection, at: string, { code, text }: NonNullable<HttpFailure['fault']>): KubeError {
  if (code === 'TimeoutError') {
    const hint = 'the API server is slow or the network loses packets: try again later';
    return new KubeError({ code: 'KUBE_TIMEOUT', message: `${at}: ${text}`, hint });
  }
  if (code.startsWith('Z_')) {
    const message = `${at}: the response is marked as gzip but is not`;
    return new KubeError({ code: 'KUBE_ANSWER', message, hint: CHECK_ADDRESS });
  }
  return unreachable(connection, code, text);
}

function isTls(code: string): boolean {
  return /CERT|TLS|SSL|SELF_SIGNED|ALTNAME|UNABLE_TO|EPROTO/.test(code);
}

function unreachable({ name, server }: KubeConnection, code: string, why: string): KubeError {
  return new KubeError({
    code: isTls(code) ? 'KUBE_TLS' : 'KUBE_UNREACHABLE',
    message: `${name}: cannot reach ${hostOf(server)}: ${new Secrets().quote(why, FIRST_LINE)}`,
    hint: isTls(code)
      ? 'check the certificate authority of the cluster in the kubeconfig, or its serverUrl'
      : 'check the URL, the network and that the API server runs; other clusters continue',
  });
}

function hostOf(server: string): string {
  return (URL.canParse(server) ? new URL(server).host : '') || server;
}

/** The credentials of one cluster and the connections that are made with them. */
interface KubeLogin {
  /** The headers of the current credentials; with `renew` the server refused the last ones. */
  headers(renew: boolean): Promise<Readonly<Record<string, string>>>;
  /** A new client certificate brings new ones. */
  connections(): Connections;
  /** What the server said, without the credentials: something other than an API server may echo the request. */
  quote(text: string, quotation: Quotation): string;
  close(): void;
}

/** After so much silence the system asks whether the other side is still there; the first time, and each time it was. */
const PROBE_MS = 15_000;

function kubeLogin(connection: KubeConnection, concurrency: number, connectMs = CONNECT_MS): KubeLogin {
  let connections: Connections | undefined;
  let current: Credentials | undefined;
  /** The last two: a request that was under way when they changed had the first. */
  let sent: readonly Credentials[] = [];
  return {
    headers: async (renew) => {
      const fresh = await connection.credentials(renew);
      if (connections === undefined || !same(fresh.cert, current?.cert) || !same(fresh.key, current?.key)) {
        const retired = connections;
        connections = connectionsFor(connection, fresh, { concurrency, connectMs });
        if (retired !== undefined) retire(retired.agent);
      }
      if (fresh.headers['Authorization'] !== current?.headers['Authorization']) sent = [...sent.slice(-1), fresh];
      current = fresh;
      return fresh.headers;
    },
    connections: () => connections ?? { agent: nodeHttp().globalAgent },
    quote: (text, how) => secretsOf(connection, sent).quote(text, how),
    close: () => connections?.agent.destroy(),
  };
}

/** What of the credentials is sent to the server, or to a proxy on the way. */
function secretsOf({ proxy }: KubeConnection, sent: readonly Credentials[]): Secrets {
  const authorization = proxy && proxyAuthorization(proxy);
  return new Secrets([...sent.map(({ headers }) => headers['Authorization']), authorization]);
}

function same(a: string | Buffer | undefined, b: string | Buffer | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.from(a).equals(Buffer.from(b)));
}

/** Closes idle connections now, and busy ones when their request has ended. */
function retire(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

function connectionsFor(
  connection: KubeConnection,
  { cert, key, ca = connection.ca }: Credentials,
  { concurrency, connectMs }: { readonly concurrency: number; readonly connectMs: number },
): Connections {
  const isPlain = /^http:/i.test(connection.server);
  const agent = {
    ...{ keepAlive: true, keepAliveMsecs: PROBE_MS, maxSockets: concurrency },
    ...(isPlain ? {} : defined({ ca, cert, key, servername: connection.tlsServerName })),
    ...(connection.insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
  };
  return connectionsTo({ isPlain, proxy: connection.proxy, connectMs, agent });
}
