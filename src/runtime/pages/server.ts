import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { EchelonError, isLoopbackHost, messageOf, nodeHttp } from '../../base/index.ts';
import { limitConnections } from '../connection-limit.ts';
import { refusal } from './access.ts';
import { freshTlsServer } from './fresh-tls.ts';
import { type ListenAddress, urlOf } from './listen-address.ts';
import { type FeedReaders, feedReaders, type LiveFeed } from './live-feed.ts';
import type { PageRequest, PageResponse } from './page.ts';
import type { Protection } from './protection.ts';

type Headers = Readonly<Record<string, string>>;

export interface PageServer {
  /** With the actual port. */
  readonly url: string;
  close(): Promise<void>;
}

interface PageServerOptions extends Protection {
  readonly listen: ListenAddress;
  readonly respond: (request: PageRequest) => PageResponse;
  /** Tells open pages that there is something new. */
  readonly feed?: LiveFeed;
  /** Headers of every response; over HTTPS also those of `secure`. */
  readonly headers: { readonly always: Headers; readonly secure: Headers };
  /** Called with unexpected errors, which are bugs in Echelon. */
  readonly onFault: (thrown: unknown) => void;
  /** Called when the certificate can no longer be used, once for each reason. */
  readonly onProblem?: (message: string) => void;
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs?: number;
}

/** Beyond it the oldest waiting connection makes room for the new one. */
const MOST_CONNECTIONS = 256;
const MOST_HEADER_BYTES = 16 * 1024;
const MOST_REQUESTS_PER_CONNECTION = 1_000;
const REQUEST_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;
/** How often connections are checked for timeouts. */
const TIMEOUT_CHECK_MS = 1_000;
const LEAST_COMPRESSED_BYTES = 2_048;

function limitsOf({ requestTimeoutMs = REQUEST_TIMEOUT_MS }: PageServerOptions): ServerOptions {
  return {
    maxHeaderSize: MOST_HEADER_BYTES,
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    keepAliveTimeout: requestTimeoutMs,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  };
}

/** Serves read-only pages. */
export async function servePages(options: PageServerOptions): Promise<PageServer> {
  const { listen, tls } = options;
  const readers = options.feed === undefined ? undefined : feedReaders(options.feed);
  const server = serverFor(options, (request, response) => answer(options, request, response, readers));
  limitConnections(server, MOST_CONNECTIONS);
  server.maxRequestsPerSocket = MOST_REQUESTS_PER_CONNECTION;
  server.setTimeout(IDLE_TIMEOUT_MS);
  await bind(server, listen);
  const { address, port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      readers?.end();
      server.closeAllConnections();
    });
  if (isLoopbackHost(listen.host) && !isLoopbackHost(address)) {
    await close();
    throw notLoopback(listen.host, address);
  }
  return { url: urlOf({ host: listen.host, port }, tls !== undefined), close };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function serverFor(options: PageServerOptions, handler: Handler): Server {
  const { tls, onProblem = () => undefined } = options;
  if (tls === undefined) return nodeHttp().createServer(limitsOf(options), handler);
  return freshTlsServer(limitsOf(options), tls, onProblem).on('request', handler) as unknown as Server;
}

/** Probes have no token, and the address of the pod as host; the response says nothing but that it is served. */
const ALIVE: PageResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok\n' };

function isProbe(request: IncomingMessage): boolean {
  return isRead(request) && request.url?.split('?')[0] === '/healthz';
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function answer(
  options: PageServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  readers: FeedReaders | undefined,
): void {
  request.resume();
  const { method = '', url = '', headers } = request;
  const { always, secure } = options.headers;
  const all = options.tls === undefined ? always : { ...always, ...secure };
  let given: PageResponse;
  try {
    const refused = isProbe(request) ? ALIVE : refusal(headers, options.access);
    const isFeed = isRead(request) && url.split('?')[0] === options.feed?.path;
    if (refused === undefined && isFeed && readers !== undefined) {
      readers.serve(request, response, all);
      return;
    }
    given = refused ?? options.respond({ method, target: url });
  } catch (thrown) {
    options.onFault(thrown);
    given = { status: 500, type: 'text/plain; charset=utf-8', body: 'internal error: this is a bug in Echelon\n' };
  }
  send(given, request, response, all);
}

function send(given: PageResponse, request: IncomingMessage, response: ServerResponse, headers: Headers): void {
  const compressed = given.body.length >= LEAST_COMPRESSED_BYTES && acceptsGzip(request);
  const body = compressed ? gzipSync(given.body) : Buffer.from(given.body);
  response.writeHead(given.status, {
    ...headers,
    'content-type': given.type,
    'content-length': body.length,
    vary: 'accept-encoding',
    ...(compressed ? { 'content-encoding': 'gzip' } : {}),
    ...(isRead(request) ? {} : { connection: 'close' }),
    ...given.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /(?:^|[\s,])gzip(?:$|[\s,;])/.test(String(headers['accept-encoding'] ?? ''));
}

function bind(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(host, port, cause)));
    server.listen({ host, port }, () => {
      server.removeAllListeners('error').on('error', () => undefined);
      resolve();
    });
  });
}

const BIND_FAULTS: Readonly<Record<string, { readonly message: string; readonly hint: string }>> = {
  EADDRINUSE: {
    message: 'the port is in use',
    hint: 'pass another port with --listen, or 0 for a free one',
  },
  EACCES: { message: 'permission denied', hint: 'pass a port of 1024 or above with --listen' },
};

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): EchelonError {
  const fault = BIND_FAULTS[cause.code ?? ''] ?? {
    message: messageOf(cause),
    hint: 'pass an address of this machine with --listen',
  };
  return new EchelonError({
    code: 'PORT_UNAVAILABLE',
    message: `the console cannot listen on ${host} port ${port}: ${fault.message}`,
    hint: fault.hint,
    cause,
  });
}

function notLoopback(host: string, address: string): EchelonError {
  return new EchelonError({
    code: 'CONSOLE_UNPROTECTED',
    message: `${host} resolves to ${address}, which is reachable from other machines`,
    hint: 'use --listen 127.0.0.1:8080',
  });
}
