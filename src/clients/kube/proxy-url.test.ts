import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startForwardProxy } from '../../../test/support/forward-proxy.ts';
import { json, startLocalHttp } from '../../../test/support/local-http.ts';
import { AUTHORITY, startLocalHttps } from '../../../test/support/local-https.ts';
import { type KubeConnection, tokenConnection } from './connection.ts';
import { kubeClient } from './kube-client.ts';
import { kubeTransport } from './transport.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Proxy {
  readonly host: string;
  /** The destinations that it was asked for, each with the login. */
  readonly asked: string[];
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function join(socket: Socket, port: number, then: (onward: Socket) => void): void {
  const onward = connect(port, '127.0.0.1', () => {
    then(onward);
    socket.pipe(onward).pipe(socket);
  });
  onward.on('error', () => socket.destroy());
  socket.on('close', () => onward.destroy());
}

async function httpProxy(status = 200): Promise<Proxy> {
  const asked: string[] = [];
  const server = createServer().on('connect', (request, socket: Socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trimEnd());
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const { port } = new URL(`http://${request.url}`);
    join(socket, Number(port), () => socket.write('HTTP/1.1 200 Connection Established\r\n\r\n'));
  });
  return { host: await listening(server), asked };
}

async function forwardProxy(): Promise<Proxy> {
  const proxy = await startForwardProxy();
  open.push(proxy);
  return proxy;
}

/** Sends its answers byte by byte: nobody may count on whole messages. */
async function socksProxy({ status = 0, version = 5 } = {}): Promise<Proxy> {
  const asked: string[] = [];
  const server = createTcp((socket) => {
    const say = (...bytes: number[]): void => bytes.forEach((byte) => void socket.write(Buffer.from([byte])));
    const request = (login: string) => (bytes: Buffer) => {
      const host = bytes[3] === 1 ? bytes.subarray(4, 8).join('.') : bytes.subarray(5, 5 + (bytes[4] ?? 0)).toString();
      const port = bytes.readUInt16BE(bytes.length - 2);
      asked.push(`${host}:${port} ${login}`.trimEnd());
      if (status !== 0) return say(5, status, 0, 1, 0, 0, 0, 0, 0, 0);
      join(socket, port, () => say(5, 0, 0, 3, 2, 97, 98, 0, 0));
    };
    socket.once('data', ([, , method = 0]) => {
      say(version, method);
      if (method === 0) return void socket.once('data', request(''));
      socket.once('data', (bytes) => {
        const [, user = 0] = bytes;
        const name = bytes.subarray(2, 2 + user).toString();
        const password = bytes.subarray(3 + user).toString();
        say(1, password === 'secret' ? 0 : 1);
        socket.once('data', request(`${name}:${password}`));
      });
    });
  });
  return { host: await listening(server), asked };
}

const secure = async (proxy: string, port?: string): Promise<KubeConnection> => {
  const server = await startLocalHttps(json(200, { items: [] }));
  open.push(server);
  const place = tokenConnection({
    ...{ name: 'x', server: port === undefined ? server.url : `https://kube.test:${new URL(server.url).port}` },
    ...{ ca: AUTHORITY, token: async () => 't' },
  });
  return { ...place, tlsServerName: 'kube.test', proxy: { url: new URL(proxy), from: 'proxy-url' } };
};

const list = (connection: KubeConnection): Promise<unknown> => {
  const client = kubeClient(connection, { sleep: async () => undefined });
  open.push(client);
  return client.list('Pod');
};

describe('a server is reached through a proxy', () => {
  const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  it.each([
    { scheme: 'http://', start: httpProxy, login: '' },
    { scheme: 'http://me:secret@', start: httpProxy, login: basic },
    { scheme: 'socks5://', start: socksProxy, login: '' },
    { scheme: 'socks5://me:secret@', start: socksProxy, login: 'me:secret' },
  ])('of $scheme, by address and by name', async ({ scheme, start, login }) => {
    const proxy = await start();
    for (const by of [undefined, 'name']) {
      const connection = await secure(`${scheme}${proxy.host}`, by);
      expect(await list(connection)).toEqual([]);
      expect(proxy.asked.pop()).toBe(`${new URL(connection.server).host} ${login}`.trimEnd());
    }
  });

  it.each([
    { scheme: 'http', start: forwardProxy, asked: (url: string) => `GET ${url}/api/v1/pods?limit=100` },
    { scheme: 'socks5', start: socksProxy, asked: (url: string) => new URL(url).host },
  ])(
    'of $scheme, also in clear text on this machine: http forwards, socks5 tunnels',
    async ({ scheme, start, asked }) => {
      const proxy = await start();
      const server = await startLocalHttp(json(200, { items: [] }));
      open.push(server);
      const place = tokenConnection({ name: 'x', server: server.url, token: async () => 't' });
      const url = new URL(`${scheme}://${proxy.host}`);
      expect(await list({ ...place, proxy: { url, from: 'proxy-url' } })).toEqual([]);
      expect(proxy.asked).toEqual([asked(server.url)]);
    },
  );

  it('whose connections are kept', async () => {
    const proxy = await httpProxy();
    const client = kubeClient(await secure(`http://${proxy.host}`));
    open.push(client);
    for (const _ of [1, 2, 3]) await client.list('Pod');
    expect(proxy.asked).toHaveLength(1);
  });
});

describe('a proxy that', () => {
  it.each([
    { does: 'refuses', start: () => httpProxy(403), scheme: 'http://', why: 'refused the connection with status 403' },
    { does: 'cannot reach it', start: () => socksProxy({ status: 4 }), scheme: 'socks5://', why: 'host unreachable' },
    {
      does: 'speaks another version',
      start: () => socksProxy({ version: 4 }),
      scheme: 'socks5://',
      why: 'not a SOCKS 5',
    },
    {
      does: 'refuses the login',
      start: () => socksProxy(),
      scheme: 'socks5://me:wrong@',
      why: 'the login was refused',
    },
    { does: 'is another service', start: () => httpProxy(), scheme: 'socks5://', why: '' },
  ])('$does is told, without the login', async ({ start, scheme, why }) => {
    const { host } = await start();
    const failing = list(await secure(`${scheme}${host}`));
    await expect(failing).rejects.toMatchObject({ code: 'KUBE_UNREACHABLE', message: expect.stringContaining(why) });
    await expect(failing).rejects.not.toMatchObject({ message: expect.stringContaining('wrong') });
  });

  it.each(['http', 'socks5'])('does not run is told (%s)', async (scheme) => {
    const { host } = await httpProxy();
    await open.pop()?.close();
    await expect(list(await secure(`${scheme}://${host}`))).rejects.toMatchObject({
      code: 'KUBE_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it.each(['http', 'socks5'])('accepts connections and says nothing is given up (%s)', async (scheme) => {
    const host = await listening(createTcp());
    const transport = kubeTransport(await secure(`${scheme}://${host}`), {
      connectMs: 1,
      sleep: async () => undefined,
    });
    open.push(transport);
    const asked = transport.request({ method: 'GET', path: '/', idempotent: true });
    await expect(asked).rejects.toMatchObject({
      code: 'KUBE_UNREACHABLE',
      message: expect.stringContaining(`no connection through the proxy ${host} (proxy-url) within 0.001 s`),
    });
  });

  it('gives way to another server is found out by its certificate', async () => {
    const proxy = await httpProxy();
    const connection = { ...(await secure(`http://${proxy.host}`)), tlsServerName: 'other.test' };
    await expect(list(connection)).rejects.toMatchObject({ code: 'KUBE_TLS' });
  });
});
