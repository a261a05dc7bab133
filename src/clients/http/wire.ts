import type http from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { EchelonError, humanBytes, messageOf, nodeHttp } from '../../base/index.ts';
import { type Connections, connectionsTo, NOT_CONNECTED, ofProxy, proxyRefusal } from './connections.ts';
import { HttpFailure } from './http-error.ts';
import { type ProxyEnv, proxyFor } from './proxy.ts';

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request as it goes out. */
interface WireRequest {
  readonly url: URL;
  readonly method: HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Ends it, the reading of the body included. */
  readonly signal: AbortSignal;
  /** Asked again when the connection is there, as late as the wire can: connecting takes time. */
  readonly maySend?: () => boolean;
}

/** What is read of the headers of a response: a part of the runtime's own class, by names in any case. */
export type HttpHeaders = Pick<Headers, 'get' | 'has'> & Iterable<[string, string]>;

interface WireAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Decoded: what the server compressed is plain here. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends one request and gets the head of its answer. Follows no redirect, retries nothing. */
export type Wire = (request: WireRequest) => Promise<WireAnswer>;

/** A host that swallows packets gets less time than one that is slow to respond. */
export const CONNECT_MS = 5_000;
/** An idle connection is closed before most servers and gateways do. */
const IDLE_MS = 5_000;

/** Requests to any server, each over its own keep-alive connections, direct or through the proxy that the environment names. */
export function wireOf(env: ProxyEnv, connectMs = CONNECT_MS): Wire {
  const servers = new Map<string, Connections>();
  const agent = { keepAlive: true, scheduling: 'lifo', timeout: IDLE_MS } as const;
  const connections = (url: URL): Connections => {
    const { origin, protocol } = url;
    const isPlain = protocol === 'http:';
    const known = servers.get(origin) ?? connectionsTo({ isPlain, proxy: proxyFor(url, env), connectMs, agent });
    servers.set(origin, known);
    return known;
  };
  return agentWire({ connections, connectMs });
}

interface AgentWireOptions {
  /** Hold client certificate, authorities and proxy; asked for each request. */
  readonly connections: (url: URL) => Connections;
  /** Time limit for establishing a connection. */
  readonly connectMs?: number;
}

/** A wire over connections of the caller, such as with a client certificate. */
export function agentWire({ connections, connectMs = CONNECT_MS }: AgentWireOptions): Wire {
  return async (request) => {
    const { agent, forwardedBy } = connections(request.url);
    const response = await freshHead(request, agent, connectMs).catch((thrown: unknown) => {
      throw forwardedBy !== undefined && NEVER_ARRIVED.has(causeOf(thrown).code)
        ? ofProxy(forwardedBy, thrown)
        : thrown;
    });
    const head = { status: response.statusCode ?? 0, headers: headersOf(response) };
    if (forwardedBy !== undefined && head.status === 407) {
      response.destroy();
      throw proxyRefusal(forwardedBy, head.status);
    }
    const isEmpty = request.method === 'HEAD' || head.status === 204 || head.status === 304;
    if (isEmpty || response.headers['content-encoding'] !== 'gzip') return { ...head, body: response };
    return { ...head, body: await decoded(response) };
  };
}

/** Larger chunks: fewer thread-pool trips per list page. */
const UNZIPPED_BYTES = 64 * 1024;

/** The code of a request that might no longer be sent when its connection was there. */
const NOT_SENT = 'NOT_SENT';

/** Sends again when a kept connection had ended before anything was sent. Such a connection is not kept any longer. */
async function freshHead(request: WireRequest, agent: http.Agent, connectMs: number): Promise<http.IncomingMessage> {
  for (;;) {
    try {
      return await headOf(request, agent, connectMs);
    } catch (thrown) {
      if (!(thrown instanceof ConnectionEnded)) throw thrown;
    }
  }
}

/** A kept connection ended before anything was sent over it. */
class ConnectionEnded extends Error {}

async function headOf(
  { url, method, headers, body, signal, maySend }: WireRequest,
  agent: http.Agent,
  connectMs: number,
): Promise<http.IncomingMessage> {
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const sent = { method, agent, signal, headers: { ...headers, 'Accept-Encoding': 'gzip', ...length } };
  const { request } = url.protocol === 'http:' ? nodeHttp() : await import('node:https');
  return new Promise((resolve, reject) => {
    const out = request(url, sent, resolve);
    // Without a connection yet, the request itself does not end before there is one.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    out.on('socket', (socket) => {
      if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
      connectInTime(socket, out, connectMs);
    });
    let isSent = false;
    out.on('error', (error) => reject(out.reusedSocket && !isSent && !signal.aborted ? new ConnectionEnded() : error));
    /** Nothing of a request leaves before its end is written, so the permit is asked last here. */
    const send = (): void => {
      if (out.destroyed) return;
      isSent = true;
      if (maySend?.() === false)
        out.destroy(Object.assign(new Error('the request may not be sent any more'), { code: NOT_SENT }));
      else out.end(body);
    };
    out.on('socket', (socket) => (out.reusedSocket ? afterTurn(send) : onceConnected(socket, send)));
  });
}

/** After a whole turn of the event loop, in which the end of a kept connection is noticed that has arrived by now. */
function afterTurn(act: () => void): void {
  setImmediate(() => setImmediate(act));
}

/** An idle socket without an error listener would crash the process. */
function ignore(): void {}

function onceConnected(socket: Socket, act: () => void): void {
  if (socket.connecting) socket.once('encrypted' in socket ? 'secureConnect' : 'connect', act);
  else act();
}

function connectInTime(socket: Socket, out: http.ClientRequest, limit: number): void {
  if (!socket.connecting) return;
  const giveUp = (): void => {
    const error = new Error(`no connection within ${limit / 1_000} s`);
    out.destroy(Object.assign(error, { code: NOT_CONNECTED }));
  };
  const timer = setTimeout(giveUp, limit);
  for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
}

/** Not the runtime's own class, which loads another HTTP client: see `nodeHttp`. */
function headersOf({ headersDistinct }: http.IncomingMessage): HttpHeaders {
  const known = new Map(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]));
  return {
    get: (name) => known.get(name.toLowerCase()) ?? null,
    has: (name) => known.has(name.toLowerCase()),
    [Symbol.iterator]: () => known[Symbol.iterator](),
  };
}

/** An error of the connection becomes an error of the body. */
async function decoded(response: http.IncomingMessage): Promise<WireAnswer['body']> {
  const { createGunzip } = await import('node:zlib');
  return pipeline(response, createGunzip({ chunkSize: UNZIPPED_BYTES }), () => {});
}

interface Sending extends Omit<WireRequest, 'signal'> {
  readonly wire: Wire;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly headers: HttpHeaders;
  readonly text: string;
}

/** Why there was no response. */
export interface HttpFault {
  readonly fault: string;
  /** `ECONNREFUSED`, or the name of what was thrown where it has no code. */
  readonly code: string;
  readonly mayHaveArrived: boolean;
}

export type Exchanged = HttpReply | HttpFault;

/** Faults while connecting: the server has seen nothing of the request. */
const NEVER_ARRIVED = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', NOT_CONNECTED, NOT_SENT],
]);

const TIMED_OUT = new Error('no response in time');

/**
 * Sends once and reads the whole response, within the limits. Rejects with the reason of the caller's signal. Timer and
 * listener end with the request: those of `AbortSignal.timeout` and `any` would stay until the time limit has passed.
 */
export async function exchange({ wire, timeoutMs, maxBytes, signal: stop, ...request }: Sending): Promise<Exchanged> {
  stop?.throwIfAborted();
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(TIMED_OUT), timeoutMs);
  const stopped = (): void => ended.abort(stop?.reason);
  stop?.addEventListener('abort', stopped);
  try {
    const { status, headers, body } = await wire({ ...request, signal: ended.signal });
    const text = await limitedText(body, maxBytes);
    if (text === undefined) throw tooLarge(nameOf(request), maxBytes);
    return { status, headers, retryAfter: headers.get('retry-after'), text };
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    if (stop?.aborted) throw stop.reason;
    if (ended.signal.aborted) return timedOut(timeoutMs);
    const { code, message } = causeOf(thrown);
    return { fault: message, code, mayHaveArrived: !NEVER_ARRIVED.has(code) };
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', stopped);
  }
}

/** `GET https://host/path`: how messages name a request. No query, no login. */
export function nameOf({ method, url }: Pick<Sending, 'method' | 'url'>): string {
  return `${method} ${url.origin}${url.pathname}`;
}

function timedOut(timeoutMs: number): HttpFault {
  return { fault: `no response within ${timeoutMs / 1000} s`, code: 'TimeoutError', mayHaveArrived: true };
}

function tooLarge(name: string, maxBytes: number): HttpFailure {
  return new HttpFailure({
    code: 'HTTP_ANSWER_TOO_LARGE',
    message: `${name}: response larger than ${humanBytes(maxBytes)}`,
    hint: 'check that the URL is that of the API',
    mayHaveArrived: true,
  });
}

/** The runtime wraps what happened; an attempt on several addresses has an empty message and a code. */
export function causeOf(thrown: unknown): { code: string; message: string } {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const code = String((cause as { code?: unknown } | null)?.code ?? '');
  const name = cause instanceof Error ? cause.name : 'no answer';
  return {
    code: /^[A-Z]/.test(code) ? code : name,
    message: messageOf(cause) || code || 'the connection failed',
  };
}

/** The whole of a body as text; undefined as soon as it has more bytes than that, and nothing more of it is read. */
export async function limitedText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.byteLength;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
