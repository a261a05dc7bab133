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
  close(): void;
}

export const DEFAULT_CONCURRENCY = 10;
const MAX_ATTEMPTS = 5;
const TIMEOUT_MS = 30_000;
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
  const client = httpClient({
    ...{ concurrency, timeoutMs, maxBytes: MAX_RESPONSE_BYTES, clock: { ...systemHttpClock, sleep } },
    wire: agentWire({ agent: login.agent, ...defined({ connectMs }) }),
    ...defined({ readOnly, permit, random }),
  });
  return {
    name: connection.name,
    request: async (request) => {
      const sent = httpRequest(connection, request, login, onCall);
      const reply = await client.text(sent).catch((thrown: unknown) => {
        throw kubeFailure(connection, request, thrown);
      });
      return answerOf(connection, request, reply, login.redact);
    },
    close: login.close,
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
