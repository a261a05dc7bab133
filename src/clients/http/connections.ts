import type http from 'node:http';
import type https from 'node:https';
import { connect as connectTcp, isIP, isIPv4, isIPv6, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { nodeHttp } from '../../base/index.ts';
import { type ProxyEnv, type ProxyServer, proxyFor, proxyName } from './proxy.ts';

/** Connections to one server. */
export interface Connections {
  readonly agent: http.Agent;
  /** The proxy that gets whole requests instead of tunnels, as it does for plain http. */
  readonly forwardedBy?: ProxyServer;
}

interface TunnelOptions {
  /** The server uses plain http. */
  readonly isPlain: boolean;
  readonly connectMs: number;
}

interface ConnectionsOptions extends TunnelOptions {
  readonly proxy: ProxyServer | undefined;
  readonly agent: https.AgentOptions;
}

/** The code of a connection that was not established; the server has seen nothing of the request. */
export const NOT_CONNECTED = 'NOT_CONNECTED';

/**
 * Connections to a server, direct or through a proxy. A tunnel is our own: the runtime's does not end while the proxy is
 * silent, whatever becomes of the request. A request gets a tunnel when it is ready to send, so that its permit is asked last.
 */
export function connectionsTo({ isPlain, proxy, connectMs, agent }: ConnectionsOptions): Connections {
  const { Agent } = isPlain ? nodeHttp() : process.getBuiltinModule('node:https');
  if (proxy === undefined) return { agent: new Agent(agent) };
  if (isPlain && !isSocks(proxy)) {
    return { agent: new Agent({ ...agent, proxyEnv: { HTTP_PROXY: proxy.url.href } }), forwardedBy: proxy };
  }
  return { agent: tunnelling(new Agent(agent), () => proxy, { isPlain, connectMs }) };
}

/** An agent for https servers of any name, each reached as the environment says. */
export function environmentAgent(env: ProxyEnv, agent: https.AgentOptions, connectMs: number): https.Agent {
  const { Agent } = process.getBuiltinModule('node:https');
  return tunnelling(new Agent(agent), (server) => proxyFor(server, env), { isPlain: false, connectMs });
}

/** Makes the agent connect through the proxy of each server; directly where it has none. */
function tunnelling<A extends http.Agent>(
  agent: A,
  proxyOf: (server: URL) => ProxyServer | undefined,
  how: TunnelOptions,
): A {
  const direct = agent.createConnection.bind(agent);
  const createConnection = (destination: Destination, done: Connected): ReturnType<typeof direct> => {
    const proxy = proxyOf(new URL(`https://${authorityOf(destination)}`));
    if (proxy === undefined) return direct(destination, done as never);
    tunnel(proxy, destination, how).then(
      (socket) => done(null, socket),
      (error: Error) => done(error, undefined as never),
    );
    return undefined;
  };
  return Object.assign(agent, { createConnection });
}

function authorityOf({ host, port }: Destination): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The value of Proxy-Authorization, a secret; undefined without a login. */
export function proxyAuthorization({ url }: ProxyServer): string | undefined {
  const { username, password } = loginOf(url);
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function isSocks({ url }: ProxyServer): boolean {
  return url.protocol.startsWith('socks');
}

interface Destination extends ConnectionOptions {
  readonly host: string;
  readonly port: number;
}

type Connected = (error: Error | null, socket: Socket) => void;

/** A connection to the destination, ready to send: CONNECT or SOCKS 5, then TLS unless the server uses plain http. */
async function tunnel(
  proxy: ProxyServer,
  destination: Destination,
  { isPlain, connectMs }: TunnelOptions,
): Promise<Socket> {
  const pending: { destroy(error: Error): unknown }[] = [];
  const onStart: OnStart = (started) => void pending.push(started);
  const late = notConnected(`no connection through the proxy ${proxyName(proxy)} within ${connectMs / 1000} s`);
  const timer = setTimeout(() => pending.at(-1)?.destroy(late), connectMs);
  try {
    const socket = await (isSocks(proxy) ? throughSocks : throughConnect)(proxy, destination, onStart).catch(
      (thrown: unknown) => {
        throw ofProxy(proxy, thrown);
      },
    );
    // Who uses it learns of an error by its end; until then nobody listens.
    socket.on('error', () => undefined);
    return isPlain ? socket : await secured(socket, destination, onStart);
  } finally {
    clearTimeout(timer);
  }
}

type OnStart = (started: { destroy(error: Error): unknown }) => void;

async function throughConnect(proxy: ProxyServer, destination: Destination, onStart: OnStart): Promise<Socket> {
  const path = authorityOf(destination);
  const authorization = proxyAuthorization(proxy);
  const headers = { host: path, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) };
  const { request } = proxy.url.protocol === 'https:' ? await import('node:https') : nodeHttp();
  return new Promise((done, fail) => {
    // Without the login, which the runtime would send as that of the destination.
    const asked = request(`${proxy.url.protocol}//${proxy.url.host}`, {
      method: 'CONNECT',
      path,
      headers,
      agent: false,
    });
    onStart(asked);
    asked.once('error', fail);
    asked.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return done(socket as Socket);
      socket.destroy();
      fail(proxyRefusal(proxy, statusCode));
    });
    asked.once('response', (response) => {
      response.destroy();
      fail(proxyRefusal(proxy, response.statusCode));
    });
    asked.end();
  });
}

async function throughSocks(proxy: ProxyServer, destination: Destination, onStart: OnStart): Promise<Socket> {
  const socket = connectTcp(Number(proxy.url.port || 1080), proxy.url.hostname.replace(/^\[|\]$/g, ''));
  onStart(socket);
  try {
    await socksConnect(socket, destination, loginOf(proxy.url));
    return socket;
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
}

async function secured(socket: Socket, destination: Destination, onStart: OnStart): Promise<Socket> {
  const { connect } = await import('node:tls');
  const { host, servername = isIP(host) === 0 ? host : '' } = destination;
  return new Promise((done, fail) => {
    const secure = connect({ ...destination, socket, servername });
    const failed = (error: Error): void => {
      socket.destroy();
      fail(error);
    };
    onStart(secure);
    secure.once('error', failed);
    secure.once('secureConnect', () => {
      secure.off('error', failed);
      done(secure);
    });
  });
}

/** A proxy that does not let a request through; the server has seen nothing of it. */
export function proxyRefusal(proxy: ProxyServer, status = 0): Error {
  const why = status === 407 ? ': it requires a login, or another one' : '';
  return notConnected(`the proxy ${proxyName(proxy)} refused the connection with status ${status}${why}`);
}

/** An error of the way to the proxy, which it names. */
export function ofProxy(proxy: ProxyServer, thrown: unknown): Error {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (code === NOT_CONNECTED) return thrown as Error;
  return Object.assign(new Error(`the proxy ${proxyName(proxy)}: ${message || code}`), { code: NOT_CONNECTED });
}

function notConnected(message: string): Error {
  return Object.assign(new Error(message), { code: NOT_CONNECTED });
}

function loginOf({ username, password }: URL): SocksLogin {
  return { username: decoded(username), password: decoded(password) };
}

/** A password with a stray `%` is meant as it is written. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface SocksLogin {
  readonly username: string;
  readonly password: string;
}

type Take = (length: number) => Promise<Buffer>;

const VERSION = 5;
const NO_LOGIN = 0;
const WITH_PASSWORD = 2;
const FAILURES = new Map([
  [1, 'general failure'],
  [2, 'connection not allowed'],
  [3, 'network unreachable'],
  [4, 'host unreachable'],
  [5, 'connection refused'],
  [6, 'TTL expired'],
]);

/** Asks a SOCKS 5 proxy (RFC 1928, 1929) on this connection for one to the destination; the proxy resolves its name. */
async function socksConnect(
  socket: Socket,
  { host, port }: { readonly host: string; readonly port: number },
  login: SocksLogin,
): Promise<void> {
  const take = readExactly(socket);
  await negotiateAuth(socket, take, login);
  socket.write(Buffer.concat([Buffer.from([VERSION, 1, 0]), addressOf(host), Buffer.from([port >> 8, port & 255])]));
  const [, status = 1, , kind] = await take(4);
  if (status !== 0) throw new Error(FAILURES.get(status) ?? `failure ${status}`);
  const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await take(1))[0] ?? 0);
  await take(length + 2);
}

async function negotiateAuth(socket: Socket, take: Take, login: SocksLogin): Promise<void> {
  const wanted = login.username === '' ? NO_LOGIN : WITH_PASSWORD;
  socket.write(Buffer.from([VERSION, 1, wanted]));
  const [version, method] = await take(2);
  if (version !== VERSION) throw new Error('not a SOCKS 5 proxy');
  if (method !== wanted) throw new Error('the login method is not accepted');
  if (wanted === NO_LOGIN) return;
  socket.write(Buffer.concat([Buffer.from([1]), sized(login.username), sized(login.password)]));
  const [, refused] = await take(2);
  if (refused !== 0) throw new Error('the login was refused');
}

/** At most 255 bytes fit. */
function sized(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error('a name or password of more than 255 bytes');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function addressOf(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([1, ...host.split('.').map(Number)]);
  if (isIPv6(host)) return Buffer.concat([Buffer.from([4]), ipv6Bytes(host)]);
  return Buffer.concat([Buffer.from([3]), sized(host)]);
}

function ipv6Bytes(host: string): Buffer {
  const [head = '', tail] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Takes exactly so many bytes; what follows them stays in the socket. */
function readExactly(socket: Socket): Take {
  return (length) =>
    new Promise((done, fail) => {
      const end = (act: () => void): void => {
        socket.off('readable', read).off('error', failed).off('close', closed);
        act();
      };
      const failed = (error: Error): void => end(() => fail(error));
      const closed = (): void => failed(new Error('closed the connection'));
      const read = (): void => {
        const bytes = socket.read(length) as Buffer | null;
        if (bytes !== null && bytes.length === length) end(() => done(bytes));
        else if (bytes !== null) failed(new Error('closed the connection'));
      };
      socket.on('readable', read).on('error', failed).on('close', closed);
      read();
    });
}
