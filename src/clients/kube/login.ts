import type http from 'node:http';
import https from 'node:https';
import { defined, nodeHttp, type Quotation, Secrets } from '../../base/index.ts';
import type { Credentials, KubeConnection } from './connection.ts';

/** The credentials of one cluster and the connections that are made with them. */
export interface KubeLogin {
  /** The headers of the current credentials; with `renew` the server refused the last ones. */
  headers(renew: boolean): Promise<Readonly<Record<string, string>>>;
  /** Holds the connections; a new client certificate brings a new one. */
  agent(): http.Agent | undefined;
  /** What the server said, without the credentials: something other than an API server may echo the request. */
  quote(text: string, quotation: Quotation): string;
  close(): void;
}

/** After so much silence the system asks whether the other side is still there; the first time, and each time it was. */
const PROBE_MS = 15_000;

export function kubeLogin(connection: KubeConnection, concurrency: number): KubeLogin {
  let agent: http.Agent | undefined;
  let current: Credentials | undefined;
  /** The last two: a request that was under way when they changed had the first. */
  let sent: readonly Credentials[] = [];
  return {
    headers: async (renew) => {
      const fresh = await connection.credentials(renew);
      if (agent === undefined || !same(fresh.cert, current?.cert) || !same(fresh.key, current?.key)) {
        if (agent !== undefined) retire(agent);
        agent = await agentFor(connection, fresh, concurrency);
      }
      if (fresh.headers['Authorization'] !== current?.headers['Authorization']) sent = [...sent.slice(-1), fresh];
      current = fresh;
      return fresh.headers;
    },
    agent: () => agent,
    quote: (text, how) => secretsOf(connection, sent).quote(text, how),
    close: () => agent?.destroy(),
  };
}

/** What of the credentials is sent to the server, or to a proxy on the way. */
function secretsOf({ proxy }: KubeConnection, sent: readonly Credentials[]): Secrets {
  const password = proxy === undefined ? undefined : decodeURIComponent(proxy.password);
  return new Secrets([...sent.map(({ headers }) => headers['Authorization']), password]);
}

function same(a: string | Buffer | undefined, b: string | Buffer | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.from(a).equals(Buffer.from(b)));
}

/** Closes idle connections now, and busy ones when their request has ended. */
function retire(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

async function agentFor(
  connection: KubeConnection,
  { cert, key, ca = connection.ca }: Credentials,
  concurrency: number,
): Promise<http.Agent> {
  const isPlain = /^http:/i.test(connection.server);
  const options = {
    ...{ keepAlive: true, keepAliveMsecs: PROBE_MS, maxSockets: concurrency },
    ...(isPlain ? {} : defined({ ca, cert, key, servername: connection.tlsServerName })),
    ...(connection.insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
  };
  if (connection.proxy !== undefined) {
    const { proxyAgent } = await import('./proxy-agent.ts');
    return proxyAgent(connection.proxy, isPlain, options);
  }
  return isPlain ? new (nodeHttp().Agent)(options) : new https.Agent(options);
}
