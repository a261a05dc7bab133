import { createOcmClient, type OcmCall, type OcmClient } from '../../src/clients/ocm/index.ts';
import type { OcmOptions } from '../../src/clients/ocm/transport.ts';
import { json, type LocalHttp, plain, type Reply, type SeenRequest, startLocalHttp } from './local-http.ts';

export const SECRET = 'hush-hush-hush';

/** What the tests of the client talk to: an endpoint of numbered tokens, and one reply for everything else. */
export interface OcmServer extends LocalHttp {
  readonly calls: OcmCall[];
  readonly waits: number[];
  /** Requests other than those for tokens. */
  asked(): SeenRequest[];
  client(options?: Partial<OcmOptions>): OcmClient;
}

export async function startOcmServer(reply: Reply): Promise<OcmServer> {
  let tokens = 0;
  const grant: Reply = (response, request) => {
    tokens += 1;
    return json(200, { access_token: `token-${tokens}`, expires_in: 900, token_type: 'bearer' })(response, request);
  };
  const server = await startLocalHttp((response, request) =>
    (request.path === '/token' ? grant : reply)(response, request),
  );
  const calls: OcmCall[] = [];
  const waits: number[] = [];
  const clock = {
    now: () => new Date('2026-03-01T12:00:00Z'),
    sleep: async (ms: number) => void waits.push(ms),
  };
  return {
    ...{ ...server, calls, waits },
    asked: () => server.seen.filter(({ path }) => path !== '/token'),
    client: (options = {}) =>
      createOcmClient({
        env: {},
        ...{ url: server.url, tokenUrl: `${server.url}/token`, clock, random: () => 1 },
        credentials: { kind: 'client-credentials', clientId: 'robot', clientSecret: SECRET },
        onCall: (call) => calls.push(call),
        ...options,
      }),
  };
}

/** A page as the services write it. */
export function page(items: readonly unknown[], total = items.length, number = 1): Reply {
  return json(200, { kind: 'List', page: number, size: items.length, total, items });
}

export function refusal(status: number, reason: string, more: object = {}): Reply {
  const code = `CLUSTERS-MGMT-${status}`;
  return json(status, { kind: 'Error', id: String(status), code, reason, operation_id: 'op-1', ...more });
}

/** Replies by method and path, `GET /api/…`; anything else is not there. */
export function routes(table: Readonly<Record<string, Reply>>): Reply {
  return (response, request) => {
    const reply = table[`${request.method} ${request.path}`] ?? refusal(404, `no ${request.method} ${request.path}`);
    return reply(response, request);
  };
}

export const nothing = plain(204);
