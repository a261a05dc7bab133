import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { changedOnly, defined, EchelonError, messageOf, nodeHttp } from '../../base/index.ts';

type Headers = Readonly<Record<string, string>>;

/** The part of a request that responses depend on. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
}

export interface HttpResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Headers;
}

interface ServeOptions {
  readonly listen: {
    /** All IPv6 and IPv4 addresses of the machine when absent. */
    readonly host?: string | undefined;
    /** 0 picks a free one. */
    readonly port: number;
  };
  /** Serves HTTPS; reads the files for every new connection. */
  readonly tls?: (() => TlsFiles) | undefined;
  readonly limits: ServerLimits;
  /** Headers of every response. */
  readonly headers: Headers;
  readonly respond: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
  /** Answers before the feed and `respond`: probes, and requests without access. */
  readonly refuse?: (request: HttpRequest) => HttpResponse | undefined;
  /** Notifies open pages of new content. */
  readonly feed?: LiveFeed | undefined;
  /** Compresses large responses for clients that accept it. */
  readonly gzip?: boolean;
  /** Called with unexpected errors, which are bugs in Echelon. */
  readonly onFault?: (thrown: unknown) => void;
  /** Called when the certificate can no longer be used, once for each reason. */
  readonly onProblem?: ((message: string) => void) | undefined;
  readonly bindError: BindErrorTexts;
}

interface ServerLimits {
  readonly headerBytes: number;
  /** How long a request may take to arrive. */
  readonly requestMs: number;
  readonly requestsPerConnection?: number;
}

/** Texts of the error for an address that cannot be listened on. */
interface BindErrorTexts {
  /** The message up to the address. */
  readonly cannot: string;
  /** What to do when the port is in use, when permission is denied, and for any other reason. */
  readonly hints: { readonly inUse: string; readonly denied: string; readonly other: string };
}

export interface HttpServer {
  /** The address and port that were bound. */
  readonly address: string;
  readonly port: number;
  /** Ends open connections, too. */
  close(): Promise<void>;
}

/** Beyond it the oldest waiting connection makes room for the new one. */
const MOST_CONNECTIONS = 256;
/** For a client that does not read its response. */
const IDLE_TIMEOUT_MS = 30_000;
/** How often connections are checked for timeouts. */
const TIMEOUT_CHECK_MS = 1_000;
const LEAST_COMPRESSED_BYTES = 2_048;

/** A read-only HTTP server with limits on connections, headers and time. */
export async function serve(options: ServeOptions): Promise<HttpServer> {
  const { headerBytes, requestMs, requestsPerConnection } = options.limits;
  const readers = options.feed === undefined ? undefined : feedReaders(options.feed);
  const settings = {
    maxHeaderSize: headerBytes,
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    keepAliveTimeout: requestMs,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  };
  const { tls, onProblem = () => undefined } = options;
  const server =
    tls === undefined
      ? nodeHttp().createServer(settings)
      : (freshTlsServer(settings, tls, onProblem) as unknown as Server);
  server.on('request', (request, response) => {
    answer(options, request, response, readers).catch(() => response.destroy());
  });
  limitConnections(server, MOST_CONNECTIONS);
  if (requestsPerConnection !== undefined) server.maxRequestsPerSocket = requestsPerConnection;
  server.setTimeout(IDLE_TIMEOUT_MS);
  await bind(server, options);
  const { address, port } = server.address() as AddressInfo;
  return {
    address,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        readers?.end();
        server.closeAllConnections();
      }),
  };
}

async function answer(
  options: ServeOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  readers: FeedReaders | undefined,
): Promise<void> {
  incoming.resume();
  const { method = '', url = '', headers } = incoming;
  const request = { method, target: url, headers };
  let given: HttpResponse;
  try {
    const refused = options.refuse?.(request);
    const isFeed = isRead(method) && url.split('?')[0] === options.feed?.path;
    if (refused === undefined && isFeed && readers !== undefined) {
      readers.serve(incoming, outgoing, options.headers);
      return;
    }
    given = refused ?? (await options.respond(request));
  } catch (thrown) {
    options.onFault?.(thrown);
    given = { status: 500, type: 'text/plain; charset=utf-8', body: 'internal error: this is a bug in Echelon\n' };
  }
  send(given, incoming, outgoing, options);
}

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function send(
  given: HttpResponse,
  { method = '', headers }: IncomingMessage,
  outgoing: ServerResponse,
  options: ServeOptions,
): void {
  const { gzip = false } = options;
  const compressed = gzip && given.body.length >= LEAST_COMPRESSED_BYTES && acceptsGzip(headers);
  const body = compressed ? gzipSync(given.body) : Buffer.from(given.body);
  outgoing.writeHead(given.status, {
    ...options.headers,
    'content-type': given.type,
    'content-length': body.length,
    ...(gzip ? { vary: 'accept-encoding' } : {}),
    ...(compressed ? { 'content-encoding': 'gzip' } : {}),
    ...(isRead(method) ? {} : { connection: 'close' }),
    ...given.headers,
  });
  outgoing.end(method === 'HEAD' ? undefined : body);
}

function acceptsGzip(headers: IncomingMessage['headers']): boolean {
  return /(?:^|[\s,])gzip(?:$|[\s,;])/.test(String(headers['accept-encoding'] ?? ''));
}

function bind(server: Server, { listen: { host, port }, bindError }: ServeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const { reason, hint } = bindFault(cause, bindError.hints);
      const address = host === undefined ? `port ${port}` : `${host} port ${port}`;
      const message = `${bindError.cannot} ${address}: ${reason}`;
      reject(new EchelonError({ code: 'PORT_UNAVAILABLE', message, hint, cause }));
    });
    server.listen({ port, ...defined({ host }) }, () => {
      server.removeAllListeners('error').on('error', () => undefined);
      resolve();
    });
  });
}

function bindFault(cause: NodeJS.ErrnoException, hints: BindErrorTexts['hints']): { reason: string; hint: string } {
  if (cause.code === 'EADDRINUSE') return { reason: 'the port is in use', hint: hints.inUse };
  if (cause.code === 'EACCES') return { reason: 'permission denied', hint: hints.denied };
  return { reason: messageOf(cause), hint: hints.other };
}

/** Tells browsers that there is something new, as server-sent events. */
export interface LiveFeed {
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

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** When set, every client needs a certificate signed by this CA. */
  readonly ca?: Buffer;
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
function limitConnections(server: Server, most: number): void {
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
