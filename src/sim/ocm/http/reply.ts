import type { ServerResponse } from 'node:http';

/** A response on the wire. */
export interface Reply {
  readonly status: number;
  readonly type: 'json' | 'html';
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function jsonReply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, type: 'json', text: body === undefined ? '' : JSON.stringify(body), headers };
}

/** Gateways in front of OCM respond in HTML. */
export function gatewayReply(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, type: 'html', text: `<html><body><h1>${status}</h1></body></html>\n`, headers };
}

const TYPES = { json: 'application/json', html: 'text/html' } as const;

/** Writes a response with the date of the simulated world. Clients require the type of every response, of a 204 too. */
export function send(response: ServerResponse, reply: Reply, now: Date): void {
  const body = Buffer.from(reply.text);
  response.sendDate = false;
  response.writeHead(reply.status, {
    ...reply.headers,
    date: now.toUTCString(),
    'content-type': TYPES[reply.type],
    ...(reply.status === 204 ? {} : { 'content-length': String(body.length) }),
  });
  response.end(reply.status === 204 ? undefined : body);
}

/** Declares the length of the whole body, sends half of it, and closes the connection. */
export function sendHalf(response: ServerResponse, reply: Reply): void {
  const body = Buffer.from(reply.text);
  response.writeHead(reply.status, { 'content-type': TYPES[reply.type], 'content-length': String(body.length) });
  // Ended, not destroyed: a reset may discard the half that was sent, and a client may then repeat the request.
  response.write(body.subarray(0, body.length >> 1), () => response.socket?.end());
}
