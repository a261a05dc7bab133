import https from 'node:https';
import { connect, type Socket } from 'node:net';
import { nodeHttp } from '../../base/index.ts';
import { CONNECT_MS, NOT_CONNECTED } from '../http/index.ts';
import { greetSocks } from './socks.ts';

export interface TunnelEnd {
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
