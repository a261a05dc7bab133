import http from 'node:http';
import https from 'node:https';
import { defined, humanBytes, messageOf, Secrets } from '../../base/index.ts';
import {
  agentWire,
  exchange,
  HttpFailure,
  type HttpFault,
  refuseClearText,
  retryAfterMs,
  type Wire,
} from '../http/index.ts';
import type { Credentials, KubeConnection } from './connection.ts';
import { answerError, KubeError } from './kube-error.ts';

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Asking twice is as good as once, so an answer that got lost is asked for again. */
  readonly idempotent: boolean;
  /** Gives up waiting. Left out for what must not be cut short. */
  readonly signal?: AbortSignal;
}

export interface KubeAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** What happened on the wire, for metrics. */
export interface KubeCall {
  readonly cluster: string;
  readonly method: string;
  /** Absent when there was no answer. */
  readonly status?: number;
  readonly seconds: number;
}

export type Outcome = { readonly answer: KubeAnswer } | Failed;
export interface Failed {
  readonly error: KubeError;
  /** The server did nothing with the request. */
  readonly untouched: boolean;
  readonly transient: boolean;
  readonly retryAfterMs?: number;
}

export interface SendOptions {
  readonly concurrency: number;
  readonly timeoutMs?: number;
  readonly connectMs?: number;
  readonly onCall?: (call: KubeCall) => void;
}

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
export const LONGEST_RETRY_AFTER_MS = 30_000;

/** Sends one request once. */
export interface Sender {
  send(request: KubeRequest, renew: boolean): Promise<Outcome>;
  close(): void;
}

export function senderOf(connection: KubeConnection, options: SendOptions): Sender {
  let agent: http.Agent | undefined;
  let credentials: Credentials | undefined;
  const { timeoutMs = TIMEOUT_MS, connectMs } = options;
  const wire = agentWire({ agent: () => agent, ...defined({ connectMs }) });
  const login = async (renew: boolean): Promise<Credentials> => {
    const fresh = await connection.credentials(renew);
    if (agent === undefined || !same(fresh.cert, credentials?.cert) || !same(fresh.key, credentials?.key)) {
      if (agent !== undefined) retire(agent);
      agent = fresh.proxy ?? agentFor(connection, fresh, options.concurrency);
    }
    credentials = fresh;
    return fresh;
  };
  return {
    send: async (request, renew) => {
      const started = performance.now();
      const { headers } = await login(renew);
      const outcome = await send(connection, request, { headers, wire, timeoutMs });
      const status = 'answer' in outcome ? outcome.answer.status : outcome.error.status;
      options.onCall?.({
        cluster: connection.name,
        method: request.method,
        seconds: (performance.now() - started) / 1_000,
        ...defined({ status }),
      });
      return outcome;
    },
    close: () => agent?.destroy(),
  };
}

function same(a: string | Buffer | undefined, b: string | Buffer | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.from(a).equals(Buffer.from(b)));
}

/** Closes what waits for the next request now, and what is under way when it has ended. */
function retire(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

function agentFor(
  connection: KubeConnection,
  { cert, key, ca = connection.ca }: Credentials,
  concurrency: number,
): http.Agent {
  const shared = { keepAlive: true, maxSockets: concurrency };
  if (connection.server.startsWith('http:')) return new http.Agent(shared);
  return new https.Agent({
    ...shared,
    ...defined({ ca, cert, key, servername: connection.tlsServerName }),
    ...(connection.insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
  });
}

interface Means {
  readonly headers: Readonly<Record<string, string>>;
  readonly wire: Wire;
  readonly timeoutMs: number;
}

async function send(connection: KubeConnection, request: KubeRequest, means: Means): Promise<Outcome> {
  const asked = { cluster: connection.name, method: request.method, path: request.path };
  try {
    const reply = await exchange(sendingOf(connection, request, means));
    if ('fault' in reply) return unanswered(connection, request, reply);
    const { status, text } = reply;
    if (status >= 200 && status < 300) return { answer: { status, body: bodyOf(text) } };
    const error = answerError(asked, status, hidden(text, means.headers));
    const after = retryAfterMs(reply.retryAfter, new Date(), LONGEST_RETRY_AFTER_MS);
    return {
      error,
      transient: error.code === 'KUBE_THROTTLED' || error.code === 'KUBE_SERVER_ERROR',
      untouched: status === 429,
      ...(after ? { retryAfterMs: after } : {}),
    };
  } catch (thrown) {
    request.signal?.throwIfAborted();
    return unusable(connection, request, thrown);
  }
}

function sendingOf(connection: KubeConnection, request: KubeRequest, means: Means): Parameters<typeof exchange>[0] {
  const { method, body, contentType = 'application/json' } = request;
  const { headers, wire, timeoutMs } = means;
  const url = new URL(connection.server.replace(/\/+$/, '') + request.path);
  for (const [key, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, value);
  }
  if (Object.keys(headers).length > 0) refuseClearText(`${method} ${request.path}`, url);
  const own = { Accept: 'application/json', 'User-Agent': 'echelon' };
  return {
    ...{ url, method, wire, timeoutMs, maxBytes: MAX_ANSWER_BYTES, signal: request.signal },
    headers: { ...headers, ...own, ...(body === undefined ? {} : { 'Content-Type': contentType }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** Something other than an API server may answer with the request that it got. */
function hidden(text: string, headers: Readonly<Record<string, string>>): string {
  const secrets = new Secrets();
  for (const value of Object.values(headers)) secrets.add(value.replace(/^(?:Bearer|Basic) /, ''));
  return secrets.redact(text);
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new KubeError({
      code: 'KUBE_ANSWER',
      message: `the answer is not JSON (${humanBytes(text.length)})`,
      hint: 'check that the address is that of an API server, not of a proxy or console',
      cause: thrown,
    });
  }
}

/** An answer that came and is of no use, or a request that could not be made. */
function unusable(connection: KubeConnection, request: KubeRequest, thrown: unknown): Failed {
  const { name } = connection;
  const at = `${name}: ${request.method} ${request.path}`;
  if (thrown instanceof HttpFailure && thrown.code === 'HTTP_CLEAR_TEXT') {
    const { message, hint } = thrown;
    const error = new KubeError({ code: 'KUBE_TLS', message: `${name}: ${message}`, hint });
    return { error, transient: false, untouched: true };
  }
  const known = thrown instanceof HttpFailure ? tooLarge() : thrown;
  if (known instanceof KubeError) {
    const { code, message, hint } = known;
    const error = new KubeError({ code: code as 'KUBE_ANSWER', message: `${at}: ${message}`, hint });
    return { error, transient: true, untouched: false };
  }
  const code = String((thrown as { code?: unknown }).code ?? '');
  return unreachable(connection, { code, fault: messageOf(thrown), mayHaveArrived: true, thrown });
}

function unanswered(connection: KubeConnection, request: KubeRequest, fault: HttpFault): Failed {
  if (fault.code === 'TimeoutError') return unusable(connection, request, timedOut(fault.fault));
  if (fault.code.startsWith('Z_')) return unusable(connection, request, notGzip());
  return unreachable(connection, fault);
}

function unreachable({ name, server }: KubeConnection, { code, fault, mayHaveArrived, thrown }: HttpFault): Failed {
  const tls = /CERT|TLS|SSL|SELF_SIGNED|ALTNAME|UNABLE_TO|EPROTO/.test(code);
  const error = new KubeError({
    code: tls ? 'KUBE_TLS' : 'KUBE_UNREACHABLE',
    message: `${name}: ${hostOf(server)} cannot be reached: ${fault.split('\n')[0]}`,
    hint: tls
      ? 'check the certificate authority of the cluster in the kubeconfig, or its serverUrl'
      : 'check the address, the network and that the API server runs; other clusters go on',
    cause: thrown,
  });
  return { error, transient: !tls && code !== 'ERR_INVALID_URL', untouched: !mayHaveArrived };
}

function hostOf(server: string): string {
  return (URL.canParse(server) ? new URL(server).host : '') || server;
}

function timedOut(message: string): KubeError {
  return new KubeError({
    code: 'KUBE_TIMEOUT',
    message,
    hint: 'the API server is slow or the network loses packets: try again later',
  });
}

function tooLarge(): KubeError {
  return new KubeError({
    code: 'KUBE_ANSWER',
    message: `the answer is larger than ${humanBytes(MAX_ANSWER_BYTES)}`,
    hint: 'this is no page of a list: check the address',
  });
}

function notGzip(): KubeError {
  return new KubeError({
    code: 'KUBE_ANSWER',
    message: 'the answer says that it is gzip, but is not',
    hint: 'check that the address is that of an API server, not of a proxy or console',
  });
}
