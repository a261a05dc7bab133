import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { changedOnly, defined, EchelonError, isLoopbackHost } from '../../base/index.ts';
import { type HttpRequest, type HttpResponse, isRead, type LiveFeed, serve, type TlsFiles } from './server.ts';

export interface PageServer {
  /** With the actual port. */
  readonly url: string;
  close(): Promise<void>;
}

interface PageServerOptions extends Protection {
  readonly listen: ListenAddress;
  readonly respond: (request: Omit<HttpRequest, 'headers'>) => HttpResponse;
  readonly feed?: LiveFeed;
  /** Headers of every response; over HTTPS also those of `secure`. */
  readonly headers: Readonly<Record<'always' | 'secure', Readonly<Record<string, string>>>>;
  readonly onFault: (thrown: unknown) => void;
  readonly onProblem?: (message: string) => void;
  readonly requestTimeoutMs?: number;
}

const LIMITS = { headerBytes: 16 * 1024, requestMs: 10_000, requestsPerConnection: 1_000 };

const BIND_ERROR = {
  cannot: 'the console cannot listen on',
  hints: {
    inUse: 'pass another port with --listen, or 0 for a free one',
    denied: 'pass a port of 1024 or above with --listen',
    other: 'pass an address of this machine with --listen',
  },
};

/** Serves read-only pages to those who have access. */
export async function servePages(options: PageServerOptions): Promise<PageServer> {
  const { listen, tls, access, requestTimeoutMs, headers } = options;
  const server = await serve({
    ...options,
    gzip: true,
    limits: { ...LIMITS, ...defined({ requestMs: requestTimeoutMs }) },
    headers: tls === undefined ? headers.always : { ...headers.always, ...headers.secure },
    refuse: (request) => (isProbe(request) ? ALIVE : refusal(request.headers, access)),
    bindError: BIND_ERROR,
  });
  if (isLoopbackHost(listen.host) && !isLoopbackHost(server.address)) {
    await server.close();
    throw notLoopback(listen.host, server.address);
  }
  return { url: urlOf({ host: listen.host, port: server.port }, tls !== undefined), close: server.close };
}

/** Probes have no token, and the address of the pod as host; the response says nothing but that it is served. */
const ALIVE: HttpResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok\n' };

function isProbe({ method, target }: HttpRequest): boolean {
  return isRead(method) && target.split('?')[0] === '/healthz';
}

function notLoopback(host: string, address: string): EchelonError {
  return new EchelonError({
    code: 'CONSOLE_UNPROTECTED',
    message: `${host} resolves to ${address}, which is reachable from other machines`,
    hint: 'use --listen 127.0.0.1:8080',
  });
}

/** The folder of relative paths, and the redaction of secrets. */
interface ProtectionPorts {
  readonly cwd: string;
  readonly onSecret?: (secret: string) => void;
  /** Called when the token can no longer be read, once for each reason. */
  readonly onProblem?: (message: string) => void;
}

export interface ProtectionFlags {
  readonly tokenFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly clientCa?: string;
  readonly insecureHttpBehindProxy?: boolean;
  readonly hostName?: readonly string[];
}

/** Access control of a console. */
interface Protection {
  readonly access: AccessRules;
  /** Reads the files again. */
  readonly tls?: () => TlsFiles;
}

const SHORTEST_TOKEN = 16;

/** The access control set by the flags. Rejects open access and tokens in clear text. */
export function protectionOf(io: ProtectionPorts, flags: ProtectionFlags, listen: ListenAddress): Protection {
  refuseOpen(flags, listen);
  const tls = tlsOf(io, flags);
  const tokenDigest = flags.tokenFile === undefined ? undefined : tokenReader(io, flags.tokenFile);
  const hostNames = isLoopbackHost(listen.host) ? [...(flags.hostName ?? [])] : flags.hostName;
  return { access: defined({ hostNames, tokenDigest }), ...defined({ tls }) };
}

function refuseOpen(flags: ProtectionFlags, { host }: ListenAddress): void {
  const { tokenFile, tlsCert, clientCa, insecureHttpBehindProxy } = flags;
  if (isLoopbackHost(host)) return;
  if (tokenFile === undefined && clientCa === undefined)
    throw new EchelonError({
      code: 'CONSOLE_UNPROTECTED',
      message: `${host} is reachable from other machines and no access control is set`,
      hint: 'pass --token-file, or --tls-cert, --tls-key and --client-ca, or listen on 127.0.0.1',
    });
  if (tlsCert === undefined && insecureHttpBehindProxy !== true)
    throw new EchelonError({
      code: 'CONSOLE_UNENCRYPTED',
      message: `the token would be sent in clear text to ${host}`,
      hint: 'pass --tls-cert and --tls-key, or --insecure-http-behind-proxy behind a proxy with TLS',
    });
}

function tlsOf(io: ProtectionPorts, { tlsCert, tlsKey, clientCa }: ProtectionFlags): (() => TlsFiles) | undefined {
  if ((tlsCert === undefined) !== (tlsKey === undefined) || (clientCa !== undefined && tlsCert === undefined))
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: '--tls-cert and --tls-key must be used together, and --client-ca requires both',
      hint: 'pass the certificate and the key of the server, as PEM',
    });
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return () => ({
    ...{ cert: read(io, '--tls-cert', tlsCert), key: read(io, '--tls-key', tlsKey) },
    ...(clientCa === undefined ? {} : { ca: read(io, '--client-ca', clientCa) }),
  });
}

/** Reads the token for every request, so that a new one counts at once. While it cannot be read, no one has access. */
function tokenReader(io: ProtectionPorts, file: string): () => Buffer | undefined {
  const report = changedOnly();
  const digest = (): Buffer => digestOf(tokenOf(io, file));
  digest();
  return () => {
    try {
      const read = digest();
      report([], () => undefined);
      return read;
    } catch (thrown) {
      if (!(thrown instanceof EchelonError)) throw thrown;
      report([{ message: thrown.message }], ({ message }) => io.onProblem?.(message));
      return undefined;
    }
  };
}

function tokenOf(io: ProtectionPorts, file: string): string {
  const token = read(io, '--token-file', file).toString('utf8').trim();
  if (token.length >= SHORTEST_TOKEN && !/\s/.test(token)) {
    io.onSecret?.(token);
    return token;
  }
  throw new EchelonError({
    code: 'TOKEN_INVALID',
    message: `the token in ${file} is shorter than ${SHORTEST_TOKEN} characters, or contains spaces`,
    hint: 'create one with: openssl rand -hex 32',
  });
}

function read(io: ProtectionPorts, flag: string, file: string): Buffer {
  try {
    return readFileSync(resolve(io.cwd, file));
  } catch (cause) {
    throw new EchelonError({
      code: 'FILE_UNREADABLE',
      message: `cannot read ${flag} ${file}: ${(cause as NodeJS.ErrnoException).code ?? 'unknown'}`,
      hint: 'pass a file that this user can read',
      cause,
    });
  }
}

/** Who may access a console. Client certificates are checked before, by TLS. */
interface AccessRules {
  /** Allowed values of `Host`; any when absent. Keeps other sites from reaching a loopback address by DNS rebinding. */
  readonly hostNames?: readonly string[];
  /** SHA-256 of the token as it is now, undefined when it cannot be read; no token is required when the function is absent. */
  readonly tokenDigest?: () => Buffer | undefined;
}

const TEXT = 'text/plain; charset=utf-8';
const CHALLENGE = 'Basic realm="echelon console", charset="UTF-8", Bearer realm="echelon console"';

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** The response to a request without access; undefined when access is allowed. */
function refusal(headers: HttpRequest['headers'], rules: AccessRules): HttpResponse | undefined {
  if (!isKnownHost(headers.host ?? '', rules))
    return { status: 421, type: TEXT, body: 'unknown host name; allow it with --host-name\n' };
  if (rules.tokenDigest === undefined) return undefined;
  const expected = rules.tokenDigest();
  if (expected === undefined)
    return { status: 503, type: TEXT, body: 'no access: the console cannot read its token\n' };
  if (holdsToken(headers.authorization ?? '', expected)) return undefined;
  return {
    status: 401,
    type: TEXT,
    body: 'token required: send it as Authorization: Bearer, or as the password of any user\n',
    headers: { 'www-authenticate': CHALLENGE },
  };
}

function isKnownHost(header: string, { hostNames }: AccessRules): boolean {
  if (hostNames === undefined) return true;
  const host = hostOf(header);
  return isLoopbackHost(host) || hostNames.some((name) => name.toLowerCase() === host);
}

/** Digests have the same length and are compared in constant time. */
function holdsToken(authorization: string, expected: Buffer): boolean {
  return timingSafeEqual(digestOf(shownToken(authorization)), expected);
}

/** The token of `Bearer TOKEN`, or of `Basic` with the token as the password, which browsers prompt for. */
function shownToken(authorization: string): string {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return '';
  const login = Buffer.from(value, 'base64').toString('utf8');
  return login.slice(login.indexOf(':') + 1);
}

/** The listen address of a console. */
interface ListenAddress {
  /** In the form of sockets: without brackets. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

const FORM = /^(?:\[([0-9a-f:.%]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i;
const LAST_PORT = 65_535;

/** `127.0.0.1:8080`, `[::1]:8080`, `0.0.0.0:8443`. */
export function parseListen(text: string): ListenAddress {
  const [, bracketed, plain, port] = FORM.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined && Number(port) <= LAST_PORT) return { host, port: Number(port) };
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--listen ${text} is not a valid address`,
    hint: 'use HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080; port 0 picks a free one',
  });
}

/** The host of a URL or of a `Host` header, in lower case and without port and brackets. */
export function hostOf(header: string): string {
  return header
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

export function urlOf({ host, port }: ListenAddress, secure: boolean): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${secure ? 'https' : 'http'}://${shown}:${port}/`;
}
