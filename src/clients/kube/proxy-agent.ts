import type http from 'node:http';
import https from 'node:https';
import { connect, isIP, isIPv4, isIPv6, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { nodeHttp } from '../../base/index.ts';
import { CONNECT_MS, NOT_CONNECTED } from '../http/index.ts';

interface Destination extends ConnectionOptions {
  readonly host: string;
  readonly port: number;
}

type Connected = (error: Error | null, socket: Socket) => void;

/** Holds connections that go through a proxy. A request gets one when it is ready to send, so that it is asked last. */
export function proxyAgent(proxy: URL, isPlain: boolean, options: https.AgentOptions): http.Agent {
  const agent = isPlain ? new (nodeHttp().Agent)(options) : new https.Agent(options);
  const connect = (destination: Destination, done: Connected): void => {
    openTunnel(proxy, destination)
      .then((socket) => (isPlain ? socket : secured(socket, destination)))
      .then(
        (socket) => done(null, socket),
        (error: Error) => done(error, undefined as never),
      );
  };
  return Object.assign(agent, { createConnection: connect });
}

function secured(socket: Socket, destination: Destination): Promise<Socket> {
  const { host, servername = isIP(host) === 0 ? host : '' } = destination;
  return new Promise((done, fail) => {
    const secure = connectTls({ ...destination, socket, servername });
    const refused = (error: Error): void => {
      socket.destroy();
      fail(error);
    };
    secure.once('error', refused);
    secure.once('secureConnect', () => {
      secure.off('error', refused);
      done(secure);
    });
  });
}

interface TunnelEnd {
  readonly host: string;
  readonly port: number;
}

/** A connection to the destination through the proxy: CONNECT, or SOCKS 5 where the proxy is `socks5://`. */
export async function openTunnel(proxy: URL, destination: TunnelEnd, limitMs = CONNECT_MS): Promise<Socket> {
  let pending: { destroy(error: Error): unknown } | undefined;
  const late = notConnected(`no connection through the proxy ${proxy.host} within ${limitMs / 1000} s`);
  const timer = setTimeout(() => pending?.destroy(late), limitMs);
  const onStart = (started: NonNullable<typeof pending>): void => {
    pending = started;
  };
  try {
    const open = proxy.protocol.startsWith('socks') ? throughSocks : throughConnect;
    const socket = await open(proxy, destination, onStart);
    // Who uses it learns of an error by its end; until then nobody listens.
    return socket.on('error', () => undefined);
  } finally {
    clearTimeout(timer);
  }
}

type OnStart = (started: { destroy(error: Error): unknown }) => void;

function throughConnect(proxy: URL, { host, port }: TunnelEnd, onStart: OnStart): Promise<Socket> {
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const headers = {
    host: path,
    ...(login === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
  };
  const { request } = proxy.protocol === 'https:' ? https : nodeHttp();
  return new Promise((done, fail) => {
    // Without the login, which the runtime would send as that of the destination.
    const asked = request(new URL(proxy.origin), { method: 'CONNECT', path, headers, agent: false });
    onStart(asked);
    asked.once('error', fail);
    asked.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return done(socket as Socket);
      socket.destroy();
      fail(notConnected(`the proxy ${proxy.host} refused the connection with status ${statusCode}`));
    });
    asked.end();
  });
}

async function throughSocks(proxy: URL, destination: TunnelEnd, onStart: OnStart): Promise<Socket> {
  const socket = connect(Number(proxy.port || 1080), proxy.hostname.replace(/^\[|\]$/g, ''));
  onStart(socket);
  try {
    await greetSocks(socket, destination, {
      username: decodeURIComponent(proxy.username),
      password: decodeURIComponent(proxy.password),
    });
    return socket;
  } catch (thrown) {
    socket.destroy();
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === NOT_CONNECTED) throw thrown;
    throw Object.assign(new Error(`the proxy ${proxy.host}: ${message}`), { code: code ?? NOT_CONNECTED });
  }
}

/** The server has seen nothing of the request. */
function notConnected(message: string): Error {
  return Object.assign(new Error(message), { code: NOT_CONNECTED });
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
async function greetSocks(
  socket: Socket,
  { host, port }: { readonly host: string; readonly port: number },
  login: SocksLogin,
): Promise<void> {
  const take = takenFrom(socket);
  await introduce(socket, take, login);
  socket.write(Buffer.concat([Buffer.from([VERSION, 1, 0]), addressOf(host), Buffer.from([port >> 8, port & 255])]));
  const [, status = 1, , kind] = await take(4);
  if (status !== 0) throw new Error(FAILURES.get(status) ?? `failure ${status}`);
  const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await take(1))[0] ?? 0);
  await take(length + 2);
}

async function introduce(socket: Socket, take: Take, login: SocksLogin): Promise<void> {
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
function takenFrom(socket: Socket): Take {
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
