import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defined, EchelonError, messageOf, nodeHttp } from '../base/index.ts';
import { limitConnections } from './connection-limit.ts';
import type { Health, HealthState } from './health.ts';
import type { Metrics } from './metrics.ts';

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
