import type http from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { nodeHttp } from '../../base/index.ts';
import { openTunnel } from './proxy-tunnel.ts';

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
