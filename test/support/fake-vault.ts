import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SECRET } from './vault-refusal.ts';

export const ROLE_ID = `role-${SECRET}`;
export const SECRET_ID = `id-${SECRET}`;
export const JWT = `jwt.${SECRET}`;
export const KUBE_ROLE = 'echelon';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly token: string | undefined;
  readonly namespace: string | undefined;
  readonly body: string;
}

type Data = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A refusal when absent. */
  readonly body?: object | string;
}

export type Fault = Answer | 'reset';

const KUBE_LOGIN = /^\/v1\/auth\/(?:kubernetes|clusters\/one)\/login$/;
const NOT_FOUND: Answer = { status: 404, body: { errors: [] } };

interface Mount {
  readonly version: 1 | 2;
  /** Versions of each secret, oldest first; null is one that was deleted. The first version of the engine keeps one. */
  readonly secrets: Record<string, readonly (Data | null)[]>;
}

/**
 * The part of Vault's HTTP API that reading needs, as it is documented. Every refusal repeats the token and the body of the
 * request, as no Vault does, so that a client that shows the text of an answer is found out.
 */
export class FakeVault {
  readonly seen: Seen[] = [];
  /** Requests in flight at once, at most. */
  mostAtOnce = 0;
  readonly mounts: Record<string, Mount> = {};
  /** Answered first, one for each request. */
  readonly faults: Fault[] = [];
  readonly tokens = new Set<string>();
  /** Answered with 403 whatever the token. */
  readonly forbidden = new Set<string>();
  leaseSeconds = 3600;
  /** What an old Vault (404), or one that does not let the token ask (403), answers about its mounts. */
  mountsStatus = 200;
  readonly #server: Server;
  #logins = 0;
  #running = 0;

  constructor() {
    this.#server = createServer(async (request, response) => {
      this.#running += 1;
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#running);
      const seen = await seenOf(request);
      this.seen.push(seen);
      // A turn of the event loop, in which all that are sent at once arrive.
      await new Promise(setImmediate);
      this.#running -= 1;
      send(response, this.#answer(seen));
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Paths asked for, without logins. */
  get asked(): string[] {
    return this.seen.filter(({ method }) => method === 'GET').map(({ url }) => url.replace('/v1/', ''));
  }

  get logins(): Seen[] {
    return this.seen.filter(({ method }) => method === 'POST');
  }

  #answer(seen: Seen): Fault {
    const fault = this.faults.shift();
    if (fault !== undefined)
      return fault === 'reset' || fault.body !== undefined ? fault : { ...refused(seen, 0), ...fault };
    return seen.method === 'POST' ? this.#login(seen) : this.#read(seen);
  }

  #login(seen: Seen): Answer {
    const given = JSON.parse(seen.body) as Record<string, string>;
    const role = given['role_id'] === ROLE_ID && given['secret_id'] === SECRET_ID;
    const account = given['role'] === KUBE_ROLE && given['jwt'] === JWT;
    const accepted = seen.url === '/v1/auth/approle/login' ? role : KUBE_LOGIN.test(seen.url) && account;
    if (!accepted) return refused(seen, 400);
    this.#logins += 1;
    const token = `hvs.${SECRET}-${this.#logins}`;
    this.tokens.add(token);
    return { status: 200, body: { auth: { client_token: token, lease_duration: this.leaseSeconds, renewable: true } } };
  }

  #read(seen: Seen): Answer {
    const { pathname, searchParams } = new URL(seen.url, this.address);
    const path = decodeURIComponent(pathname.replace('/v1/', ''));
    if (!this.tokens.has(seen.token ?? '') || this.forbidden.has(path)) return refused(seen, 403);
    const about = /^sys\/internal\/ui\/mounts\/(.*)$/.exec(path)?.[1];
    if (about !== undefined) return this.#describe(about, seen);
    const name = Object.keys(this.mounts).find((mount) => path.startsWith(`${mount}/`)) ?? '';
    const mount = this.mounts[name];
    const rest = path.slice(name.length + 1);
    if (mount === undefined) return { status: 404, body: { errors: [`no handler for route "${path}"`] } };
    return mount.version === 1
      ? readFirst(mount, rest)
      : readSecond(mount, rest, Number(searchParams.get('version') ?? 0));
  }

  #describe(name: string, seen: Seen): Answer {
    const mount = this.mounts[name];
    if (this.mountsStatus !== 200) return refused(seen, this.mountsStatus);
    if (mount === undefined) return refused(seen, 403);
    const options = mount.version === 2 ? { version: '2' } : null;
    return { status: 200, body: { data: { path: `${name}/`, type: 'kv', options } } };
  }
}

function readFirst(mount: Mount, name: string): Answer {
  const data = mount.secrets[name]?.[0];
  return data ? { status: 200, body: { lease_duration: 2764800, data } } : NOT_FOUND;
}

function readSecond(mount: Mount, path: string, wanted: number): Answer {
  const name = /^data\/(.*)$/.exec(path)?.[1];
  if (name === undefined)
    return { status: 404, body: { warnings: ['Invalid path for a versioned K/V secrets engine.'] } };
  const versions = mount.secrets[name] ?? [];
  const version = wanted === 0 ? versions.length : wanted;
  const data = versions[version - 1];
  if (data === undefined) return NOT_FOUND;
  const times = { created_time: '2024-01-01T00:00:00Z', deletion_time: data === null ? '2024-01-02T00:00:00Z' : '' };
  const metadata = { ...times, destroyed: false, version };
  return { status: data === null ? 404 : 200, body: { data: { data, metadata } } };
}

function refused({ token, body }: Seen, status: number): Answer {
  return { status, body: { errors: ['1 error occurred', token, body] } };
}

function send(response: ServerResponse, answer: Fault): void {
  if (answer === 'reset') {
    response.destroy();
    return;
  }
  const { status, headers = {}, body = '' } = answer;
  response.writeHead(status, headers);
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function seenOf(request: IncomingMessage): Promise<Seen> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { method = '', url = '', headers } = request;
  const [token, namespace] = [headers['x-vault-token'], headers['x-vault-namespace']].map((value) => value?.toString());
  return { method, url, token, namespace, body: Buffer.concat(parts).toString('utf8') };
}
