import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { AUTHORITY } from './local-https.ts';

export interface ForwardProxy {
  /** `127.0.0.1:3128` */
  readonly host: string;
  /** What it was asked for: `CONNECT kube.test:1234`, `GET http://kube.test:1234/path`. */
  readonly asked: string[];
  /** Logins that came along, in order. */
  readonly logins: string[];
  close(): Promise<void>;
}

interface ForwardProxyOptions {
  /** `user:password` that it requires. */
  readonly login?: string;
  /** Refuses every request with it. */
  readonly refusal?: number;
  /** Accepts requests and never answers. */
  readonly silent?: boolean;
}

/** A forward proxy for tunnels and whole requests. It resolves every name to this machine, so that only it knows the way. */
export async function startForwardProxy(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const [asked, logins]: [string[], string[]] = [[], []];
  const sockets = new Set<Socket>();
  const refusalOf = (incoming: IncomingMessage): number | undefined => {
    const login = Buffer.from(
      (incoming.headers['proxy-authorization'] ?? '').replace('Basic ', ''),
      'base64',
    ).toString();
    asked.push(`${incoming.method} ${incoming.url}`);
    if (login !== '') logins.push(login);
    if (options.login !== undefined && login !== options.login) return 407;
    return options.refusal;
  };
  const server = createServer((incoming, response) => {
    const status = refusalOf(incoming);
    if (options.silent === true) return;
    if (status !== undefined)
      return void response.writeHead(status).end(`no, ${incoming.headers['proxy-authorization']}`);
    forward(incoming, response);
  });
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    const status = refusalOf(incoming);
    if (options.silent === true) return;
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    const onward = connect(Number(new URL(`http://${incoming.url}`).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ asked, logins },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = incoming;
  const { port, pathname, search } = new URL(incoming.url ?? '');
  const onward = request({ host: '127.0.0.1', port, method, path: `${pathname}${search}`, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
}

/** Lets this process trust the authority of `startLocalHttps`, until the returned function is called. */
export function trustTestAuthority(): () => void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, AUTHORITY]);
  return () => setDefaultCACertificates(before);
}
