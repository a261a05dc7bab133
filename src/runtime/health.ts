import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defined, EchelonError, messageOf, nodeHttp } from '../base/index.ts';
import type { SteadyClock } from './clock.ts';
import { limitConnections } from './http/server.ts';
import type { Metrics } from './metrics.ts';

export interface HealthState {
  readonly ok: boolean;
  /** One line of plain text. */
  readonly reason: string;
}

/** What probes check. */
interface Health {
  /** Whether the loop is still running; if not, only a restart helps. */
  live(): HealthState;
  /** Whether the process is working, or on standby. */
  ready(): HealthState;
}

/** What the loop reports. */
export interface LoopHealth extends Health {
  /** A pass started or ended, successfully or not. */
  beat(): void;
  /** A pass succeeded. */
  succeeded(): void;
  /** On standby, such as for the lease, until the next beat. */
  waiting(reason: string): void;
  /** Why this process cannot lead, until it is undefined: it is not ready then, but a restart does not help either. */
  hindered(problem: string | undefined): void;
}

const SHORTEST_LIMIT_SECONDS = 30 * 60;
const POLLS = 3;

/** How long a pass that has timed out may take to end. */
const STOPPING_SECONDS = 60;

/** How long the loop may be silent: a pass over a large fleet takes minutes, and polls may be far apart. */
export function silenceLimitSeconds(pollSeconds: number, timeoutSeconds = 0): number {
  return Math.max(SHORTEST_LIMIT_SECONDS, POLLS * pollSeconds, timeoutSeconds + STOPPING_SECONDS);
}

export function createHealth(clock: Pick<SteadyClock, 'steady'>, limitSeconds = SHORTEST_LIMIT_SECONDS): LoopHealth {
  let last = clock.steady();
  let ready = false;
  let waiting: string | undefined;
  let problem: string | undefined;
  const beat = (): void => {
    last = clock.steady();
    waiting = undefined;
  };
  return {
    beat,
    succeeded: () => {
      beat();
      ready = true;
    },
    waiting: (reason) => {
      beat();
      waiting = reason;
    },
    hindered: (why) => {
      problem = why;
    },
    live: () => {
      if (waiting !== undefined) return { ok: true, reason: waiting };
      const silent = Math.floor((clock.steady() - last) / 1000);
      return silent <= limitSeconds
        ? { ok: true, reason: `last activity ${silent} s ago` }
        : { ok: false, reason: `no activity for ${silent} s, limit ${limitSeconds} s` };
    },
    ready: () => {
      if (problem !== undefined) return { ok: false, reason: problem };
      if (waiting !== undefined) return { ok: true, reason: waiting };
      return ready ? { ok: true, reason: 'ready' } : { ok: false, reason: 'no pass has succeeded yet' };
    },
  };
}

export interface HealthServerOptions {
  /** 0 is any free one. */
  readonly port: number;
  /** All IPv6 and IPv4 addresses of the machine when absent. */
  readonly host?: string | undefined;
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>;
  readonly health: Health;
}

export interface HealthServer {
  readonly port: number;
  /** Closes open connections too. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const REQUEST_TIMEOUT_MS = 5_000;
/** How often connections are checked for timeouts. */
const TIMEOUT_CHECK_MS = 1_000;
/** Beyond it the oldest waiting connection makes room for the new one. */
const MOST_CONNECTIONS = 256;
const MOST_HEADER_BYTES = 8 * 1024;
/** For a client that does not read its response. */
const IDLE_TIMEOUT_MS = 30_000;
const TEXT = 'text/plain; charset=utf-8';

/** Serves `/metrics`, `/healthz` and `/readyz`: read-only, and nothing in them is secret. */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const limits = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    maxHeaderSize: MOST_HEADER_BYTES,
  };
  const server = nodeHttp().createServer(limits, (request, response) => {
    answer(options, request).then(
      (given) => send(request, response, given),
      () => response.destroy(),
    );
  });
  limitConnections(server, MOST_CONNECTIONS);
  server.setTimeout(IDLE_TIMEOUT_MS);
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer({ metrics, health }: HealthServerOptions, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { status: 405, body: 'method not allowed: use GET or HEAD\n', headers: { allow: 'GET, HEAD' } };
  }
  switch (request.url?.split('?')[0]) {
    case '/metrics':
      return metricsPage(metrics);
    case '/healthz':
      return statePage(health.live());
    case '/readyz':
      return statePage(health.ready());
    default:
      return { status: 404, body: 'not found: use /metrics, /healthz or /readyz\n' };
  }
}

async function metricsPage(metrics: HealthServerOptions['metrics']): Promise<Answer> {
  try {
    return { status: 200, body: await metrics.render(), type: metrics.contentType };
  } catch {
    return { status: 500, body: 'cannot collect metrics\n' };
  }
}

function statePage({ ok, reason }: HealthState): Answer {
  return { status: ok ? 200 : 503, body: `${reason}\n` };
}

function send(request: IncomingMessage, response: ServerResponse, { status, body, type, headers }: Answer): void {
  response.writeHead(status, {
    'content-type': type ?? TEXT,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function listen(server: Server, { port, host }: HealthServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(port, host, cause)));
    server.listen({ port, ...defined({ host }) }, () => {
      server.removeAllListeners('error').on('error', () => undefined);
      resolve();
    });
  });
}

const BIND_FAULTS: Readonly<Record<string, { readonly message: string; readonly hint: string }>> = {
  EADDRINUSE: {
    message: 'the port is in use',
    hint: 'stop the other process, or set PROMETHEUS_PORT to another port',
  },
  EACCES: { message: 'permission denied', hint: 'set PROMETHEUS_PORT to 1024 or above' },
};

function cannotListen(port: number, host: string | undefined, cause: NodeJS.ErrnoException): EchelonError {
  const fault = BIND_FAULTS[cause.code ?? ''] ?? {
    message: messageOf(cause),
    hint: 'set PROMETHEUS_PORT to a port that this process can listen on',
  };
  const place = host === undefined ? `port ${port}` : `${host} port ${port}`;
  return new EchelonError({
    code: 'PORT_UNAVAILABLE',
    message: `cannot serve metrics and health on ${place}: ${fault.message}`,
    hint: fault.hint,
    cause,
  });
}
