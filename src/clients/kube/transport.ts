import { defined } from '../../base/index.ts';
import {
  agentWire,
  type Backoff,
  type HttpRequest,
  httpClient,
  systemHttpClock,
  type WritePermit,
} from '../http/index.ts';
import type { KubeConnection } from './connection.ts';
import { answerError } from './kube-error.ts';
import { type KubeLogin, kubeLogin } from './login.ts';
import {
  answerOf,
  type KubeAnswer,
  type KubeCall,
  type KubeRequest,
  kubeFailure,
  MAX_RESPONSE_BYTES,
  mayTryAgain,
  urlOf,
} from './round-trip.ts';

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
export type KubeStream =
  | { readonly parts: AsyncIterable<Uint8Array> }
  | { readonly status: number; readonly refusal: Error };

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
  const login = kubeLogin(connection, concurrency);
  const common = { timeoutMs, maxBytes: MAX_RESPONSE_BYTES, clock: { ...systemHttpClock, sleep } };
  const wireOf = ({ agent }: KubeLogin) => agentWire({ agent, ...defined({ connectMs }) });
  const client = httpClient({ ...common, concurrency, wire: wireOf(login), ...defined({ readOnly, permit, random }) });
  const watching = kubeLogin(connection, Number.POSITIVE_INFINITY);
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
