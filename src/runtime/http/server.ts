import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { createServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { changedOnly, EchelonError, isLoopbackHost, messageOf, nodeHttp } from '../../base/index.ts';
import {
  type ListenAddress,
  type PageRequest,
  type PageResponse,
  type Protection,
  refusal,
  type TlsFiles,
  urlOf,
} from './access.ts';

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

/** Tells browsers that there is something new, as server-sent events. */
interface LiveFeed {
  readonly path: string;
  /** Names what is shown now. */
  current(): string;
  /** Calls the listener with each new name, until it is called off. */
  subscribe(listener: (current: string) => void): () => void;
}

/** Each holds a connection; further readers are told to reload by themselves. */
const MOST_READERS = 100;
/** Shorter than a connection may be idle. */
const HEARTBEAT_MS = 15_000;

/** Streams a feed to its readers, and ends them all. */
interface FeedReaders {
  serve(request: IncomingMessage, response: ServerResponse, headers: Headers): void;
  end(): void;
}

function feedReaders(feed: LiveFeed): FeedReaders {
  const readers = new Set<ServerResponse>();
  return {
    serve: (request, response, headers) => {
      if (readers.size >= MOST_READERS) {
        response.writeHead(503, { ...headers, 'content-type': 'text/plain; charset=utf-8', 'content-length': '17' });
        response.end('too many readers\n');
        return;
      }
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      readers.add(response);
      const say = (current: string): void => void response.write(`data: ${current}\n\n`);
      const stop = feed.subscribe(say);
      const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS);
      response.once('close', () => {
        clearInterval(heartbeat);
        stop();
        readers.delete(response);
      });
      say(feed.current());
    },
    end: () => {
      for (const response of readers) response.end();
    },
  };
}

const OLDEST = { minVersion: 'TLSv1.2' } as const;

/** A server for HTTPS whose new connections use what the files have at that time; while those are invalid, what they had before. */
function freshTlsServer(
  options: Parameters<typeof createServer>[0],
  read: () => TlsFiles,
  onProblem: (message: string) => void,
): SecureServer {
  let used = read();
  const clients = used.ca === undefined ? {} : { requestCert: true, rejectUnauthorized: true };
  const server = valid(() => createServer({ ...options, ...used, ...clients, ...OLDEST }));
  const report = changedOnly();
  server.prependListener('connection', () => {
    try {
      const now = read();
      if (!isSame(now, used)) valid(() => server.setSecureContext({ ...now, ...OLDEST }));
      used = now;
      report([], () => undefined);
    } catch (thrown) {
      report([{ message: messageOf(thrown) }], ({ message }) => onProblem(message));
    }
  });
  return server;
}

function isSame(a: TlsFiles, b: TlsFiles): boolean {
  return a.cert.equals(b.cert) && a.key.equals(b.key) && (a.ca ?? a.cert).equals(b.ca ?? b.cert);
}

function valid<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new EchelonError({
      code: 'TLS_INVALID',
      message: `invalid certificate or key: ${messageOf(cause)}`,
      hint: 'pass matching PEM files with --tls-cert, --tls-key and --client-ca',
      cause,
    });
  }
}

/**
 * At most so many connections: a further one closes the oldest that is not being answered, else the oldest. Node's own
 * limit turns the newest away, so that slow or idle connections keep everybody else out until they time out.
 */
export function limitConnections(server: Server, most: number): void {
  const open = new Map<string, Socket>();
  const answering = new Set<string>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    open.set(peer, socket);
    socket.once('close', () => {
      if (open.get(peer) === socket) open.delete(peer);
    });
    if (open.size > most) evict(open, answering);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const peer = peerOf(socket);
    answering.add(peer);
    response.once('close', () => answering.delete(peer));
  });
}

function evict(open: Map<string, Socket>, answering: ReadonlySet<string>): void {
  const [oldest] = open.keys();
  const peer = open.keys().find((candidate) => !answering.has(candidate)) ?? oldest ?? '';
  open.get(peer)?.destroy();
  open.delete(peer);
}

/** The same for a TLS connection and the one below it. */
function peerOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
