import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { gunzip } from 'node:zlib';
import { defined, humanBytes, messageOf, Secrets } from '../../base/index.ts';
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

/** Sends one request once. */
export interface Sender {
  send(request: KubeRequest, renew: boolean): Promise<Outcome>;
  close(): void;
}

export function senderOf(connection: KubeConnection, options: SendOptions): Sender {
  let agent: http.Agent | undefined;
  let credentials: Credentials | undefined;
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
      const outcome = await exchange(connection, request, { headers, agent, options });
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

interface Exchange {
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: http.Agent | undefined;
  readonly options: SendOptions;
}

async function exchange(connection: KubeConnection, request: KubeRequest, means: Exchange): Promise<Outcome> {
  const asked = { cluster: connection.name, method: request.method, path: request.path };
  try {
    const { status, text, retryAfterMs } = await roundTrip(connection, request, means);
    if (status >= 200 && status < 300) return { answer: { status, body: bodyOf(text) } };
    const error = answerError(asked, status, hidden(text, means.headers));
    return {
      error,
      transient: error.code === 'KUBE_THROTTLED' || error.code === 'KUBE_SERVER_ERROR',
      untouched: status === 429,
      ...defined({ retryAfterMs }),
    };
  } catch (thrown) {
    request.signal?.throwIfAborted();
    return noAnswer(connection, request, thrown);
  }
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

function noAnswer({ name, server }: KubeConnection, { method, path }: KubeRequest, thrown: unknown): Failed {
  const code = (thrown as { code?: unknown }).code;
  const before = typeof code === 'string' && BEFORE_SENDING.has(code);
  if (thrown instanceof KubeError) {
    const { message, hint } = thrown;
    const error = new KubeError({
      code: thrown.code as 'KUBE_ANSWER',
      message: `${name}: ${method} ${path}: ${message}`,
      hint,
    });
    return { error, transient: true, untouched: false };
  }
  const tls = typeof code === 'string' && /CERT|TLS|SSL|SELF_SIGNED|ALTNAME|UNABLE_TO|EPROTO/.test(code);
  const error = new KubeError({
    code: tls ? 'KUBE_TLS' : 'KUBE_UNREACHABLE',
    message: `${name}: ${hostOf(server)} cannot be reached: ${messageOf(thrown).split('\n')[0]}`,
    hint: tls
      ? 'check the certificate authority of the cluster in the kubeconfig, or its serverUrl'
      : 'check the address, the network and that the API server runs; other clusters go on',
    cause: thrown,
  });
  return { error, transient: !tls && code !== 'ERR_INVALID_URL', untouched: before };
}

function hostOf(server: string): string {
  return (URL.canParse(server) ? new URL(server).host : '') || server;
}

/** A host that swallows packets is not waited for as long as one that thinks. */
const CONNECT_MS = 5_000;
const NOT_CONNECTED = 'NOT_CONNECTED';

function connectInTime(socket: Socket, out: http.ClientRequest, limit: number): void {
  if (!socket.connecting) return;
  const giveUp = (): void => {
    const error = new Error(`no connection within ${limit / 1_000} s`);
    out.destroy(Object.assign(error, { code: NOT_CONNECTED }));
  };
  const timer = setTimeout(giveUp, limit);
  for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
}

const BEFORE_SENDING: ReadonlySet<string> = new Set([
  NOT_CONNECTED,
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs?: number;
}

async function roundTrip(connection: KubeConnection, request: KubeRequest, means: Exchange): Promise<Reply> {
  const { agent, headers, options } = means;
  const url = new URL(connection.server.replace(/\/+$/, '') + request.path);
  for (const [key, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, value);
  }
  const payload = request.body === undefined ? undefined : JSON.stringify(request.body);
  const timeout = options.timeoutMs ?? TIMEOUT_MS;
  const signal = AbortSignal.any([
    AbortSignal.timeout(timeout),
    ...(request.signal === undefined ? [] : [request.signal]),
  ]);
  const sent = {
    method: request.method,
    agent,
    signal,
    headers: {
      ...headers,
      Accept: 'application/json',
      'Accept-Encoding': 'gzip',
      'User-Agent': 'echelon',
      ...(payload === undefined
        ? {}
        : { 'Content-Type': request.contentType ?? 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
    },
  };
  return new Promise((resolve, reject) => {
    const onResponse = (response: http.IncomingMessage): void => {
      collect(response).then(resolve, reject);
    };
    const out = url.protocol === 'http:' ? http.request(url, sent, onResponse) : https.request(url, sent, onResponse);
    out.on('socket', (socket) => connectInTime(socket, out, options.connectMs ?? CONNECT_MS));
    out.on('error', (error) => reject(signal.reason?.name === 'TimeoutError' ? timedOut(timeout) : error));
    out.end(payload);
  });
}

function timedOut(timeout: number): KubeError {
  return new KubeError({
    code: 'KUBE_TIMEOUT',
    message: `no answer within ${timeout / 1_000} s`,
    hint: 'the API server is slow or the network loses packets: try again later',
  });
}

async function collect(response: http.IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) {
      response.destroy();
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  const whole = Buffer.concat(chunks);
  const plain = response.headers['content-encoding'] === 'gzip' ? await unzipped(whole) : whole;
  const after = Number(response.headers['retry-after']);
  return {
    status: response.statusCode ?? 0,
    text: plain.toString('utf8'),
    ...(Number.isFinite(after) && after > 0 ? { retryAfterMs: after * 1_000 } : {}),
  };
}

function unzipped(data: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(data, { maxOutputLength: MAX_ANSWER_BYTES }, (error, plain) => {
      if (error === null) resolve(plain);
      else reject((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : notGzip());
    });
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
