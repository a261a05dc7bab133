import { isIPv4, isIPv6, type Socket } from 'node:net';

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
export async function greetSocks(
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
