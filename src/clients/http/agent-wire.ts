import type http from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { nodeHttp } from '../../base/index.ts';
import type { HttpHeaders, Wire, WireAnswer, WireRequest } from './wire.ts';

interface AgentWireOptions {
  /** Holds connections, client certificate, authorities and proxy; asked for each request. */
  readonly agent: () => http.Agent | undefined;
  /** Time limit for establishing a connection. */
  readonly connectMs?: number;
}

/** A host that swallows packets gets less time than one that is slow to respond. */
export const CONNECT_MS = 5_000;

/** A page of a list has a megabyte: each chunk of it is a trip to another thread and back. */
const UNZIPPED_BYTES = 64 * 1024;

/** The code of a connection that was not established in time. */
export const NOT_CONNECTED = 'NOT_CONNECTED';
/** The code of a request that might no longer be sent when its connection was there. */
export const NOT_SENT = 'NOT_SENT';

/**
 * A wire over its own connections: with a client certificate, a private authority, a TLS server name, or a proxy. What
 * only this wire needs of the runtime is loaded by its first request.
 */
export function agentWire({ agent, connectMs = CONNECT_MS }: AgentWireOptions): Wire {
  return async (request) => {
    const response = await headOf(request, agent(), connectMs);
    const head = { status: response.statusCode ?? 0, headers: headersOf(response) };
    if (response.headers['content-encoding'] !== 'gzip') return { ...head, body: response };
    return { ...head, body: await decoded(response) };
  };
}

async function headOf(
  { url, method, headers, body, signal, maySend }: WireRequest,
  agent: http.Agent | undefined,
  connectMs: number,
): Promise<http.IncomingMessage> {
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const sent = { method, agent, signal, headers: { ...headers, 'Accept-Encoding': 'gzip', ...length } };
  const { request } = url.protocol === 'http:' ? nodeHttp() : await import('node:https');
  return new Promise((resolve, reject) => {
    const out = request(url, sent, resolve);
    out.on('socket', (socket) => {
      if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
      connectInTime(socket, out, connectMs);
    });
    out.on('error', reject);
    if (maySend === undefined) out.end(body);
    else out.on('socket', (socket) => onceConnected(socket, () => sendIf(maySend(), out, body)));
  });
}

/**
 * Between the end of a response and the return of its connection to the agent, nobody else listens to the connection: a request
 * that is given up just then would end the process. Everybody else hears the error too.
 */
function ignore(): void {}

/** Nothing of a request leaves before its end is written, so asking here is asking last. */
function sendIf(may: boolean, out: http.ClientRequest, body: string | undefined): void {
  if (may) out.end(body);
  else out.destroy(Object.assign(new Error('the request may not be sent any more'), { code: NOT_SENT }));
}

function onceConnected(socket: Socket, act: () => void): void {
  if (socket.connecting) socket.once('encrypted' in socket ? 'secureConnect' : 'connect', act);
  else act();
}

function connectInTime(socket: Socket, out: http.ClientRequest, limit: number): void {
  if (!socket.connecting) return;
  const giveUp = (): void => {
    const error = new Error(`no connection within ${limit / 1_000} s`);
    out.destroy(Object.assign(error, { code: NOT_CONNECTED }));
  };
  const timer = setTimeout(giveUp, limit);
  for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
}

/** Not the runtime's own class, which loads another HTTP client: see `nodeHttp`. */
function headersOf({ headersDistinct }: http.IncomingMessage): HttpHeaders {
  const known = new Map(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]));
  return {
    get: (name) => known.get(name.toLowerCase()) ?? null,
    has: (name) => known.has(name.toLowerCase()),
    [Symbol.iterator]: () => known[Symbol.iterator](),
  };
}

/** An error of the connection becomes an error of the body. */
async function decoded(response: http.IncomingMessage): Promise<WireAnswer['body']> {
  const { createGunzip } = await import('node:zlib');
  return pipeline(response, createGunzip({ chunkSize: UNZIPPED_BYTES }), () => {});
}
