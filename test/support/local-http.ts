import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Reply = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

export interface LocalHttp {
  readonly url: string;
  /** Every request, in order of arrival. */
  readonly seen: SeenRequest[];
  close(): Promise<void>;
}

/** A server on a free local port that answers as the test says. A reply that throws is answered 500 with its message. */
export async function startLocalHttp(reply: Reply): Promise<LocalHttp> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await seenRequest(incoming);
    seen.push(request);
    try {
      await reply(response, request);
    } catch (thrown) {
      response.writeHead(500).end(String(thrown));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Replies in turn; the last one stays. */
export function inTurn(...replies: readonly Reply[]): Reply {
  let next = 0;
  return (response, request) => {
    const reply = replies[Math.min(next, replies.length - 1)];
    next += 1;
    return reply?.(response, request);
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return plain(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

export function plain(status: number, body = '', headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

export const hangUp: Reply = (response) => void response.destroy();
export const neverAnswer: Reply = () => {};
export const cutShort: Reply = (response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"items":', () => response.destroy());
};

export async function seenRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://local');
  const { method = '', headers } = incoming;
  return { method, path: pathname, query: Object.fromEntries(searchParams), headers, body: await text(incoming) };
}
