import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { defined } from '../../src/base/index.ts';
import { type HeldRequests, holding, type Onward } from './fault-proxy-hold.ts';
import { type FailedAnswer, type Fault, type Match, striking } from './fault-proxy-rules.ts';
import { type SeenRequest, seenRequest } from './local-http.ts';

export type { HeldRequests } from './fault-proxy-hold.ts';
export { type Fault, type Match, WRITES } from './fault-proxy-rules.ts';

/** What the proxy stands in front of: a real API server with its authority and certificate, or a simulated one. */
export interface ProxiedServer {
  readonly server: string;
  /** PEM. Clients of the proxy trust the same. */
  readonly ca?: string;
  /** The server's own, which the proxy shows too. Without one, the proxy serves plain HTTP. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

export interface ProxiedRequest extends SeenRequest {
  /** Of the server's answer; undefined while the server has not seen the request, or not answered it. */
  status?: number;
  /** Resolves when the server has answered, or it is certain that it never will. */
  readonly answered: Promise<void>;
}

export interface AddedFault {
  /** The requests that it has struck. */
  readonly struck: readonly ProxiedRequest[];
  remove(): void;
}

/**
 * Stands in front of an API server, for one client, and disturbs the requests that a test chooses. There are no timers: what is
 * held stays held until it is released. Credentials are passed on as they come.
 */
export interface FaultProxy {
  /** To be used in place of the server's address. */
  readonly server: string;
  /** Every request, in order of arrival. */
  readonly requests: readonly ProxiedRequest[];
  /** How many connections its clients have open. */
  connections(): number;
  /** How much it has sent to its clients, on connections that are open and closed; encrypted where the server is. */
  bytesSent(): number;
  /** Of several that match, the oldest strikes. A function chooses the fault of each matching request, if any. */
  add(match: Match, fault: Fault | ((request: ProxiedRequest) => Fault | undefined)): AddedFault;
  /** Holds requests on their way to the server, or on the way back, when the server has carried them out. */
  hold(match: Match, on?: 'the way there' | 'the way back'): HeldRequests;
  /** Passes on the head of a response and nothing of its body, and keeps the connection open: events of a watch get lost. */
  swallow(match: Match): AddedFault;
  /**
   * Nothing comes through until it heals: connections are reset, or stay open without an answer. What is sent in the meantime is
   * lost. What is held is not: it can be released even then, and reaches the server.
   */
  partition(how: 'reset' | 'silent'): { heal(): void };
  close(): Promise<void>;
}

/** What happens to a request on its way there and back. */
interface Treatment {
  readonly there?: (request: ProxiedRequest) => Promise<Onward | FailedAnswer> | FailedAnswer | Onward;
  readonly back?: (request: ProxiedRequest) => Promise<Onward> | Onward;
  readonly swallows?: true;
}

type Rule = (request: ProxiedRequest) => Treatment | undefined;

export async function startFaultProxy(target: ProxiedServer): Promise<FaultProxy> {
  const requests: ProxiedRequest[] = [];
  const rules = new Set<Rule>();
  const sockets = new Set<Socket>();
  const passing = new Set<IncomingMessage>();
  let away: 'reset' | 'silent' | undefined;
  let closedBytes = 0;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { promise: answered, resolve: settle } = Promise.withResolvers<void>();
    try {
      const request: ProxiedRequest = { ...(await seenRequest(incoming)), answered };
      requests.push(request);
      if (away === 'silent') return;
      await exchange(incoming, request, response, settle);
    } catch {
      response.destroy();
    } finally {
      settle();
    }
  }

  async function exchange(
    incoming: IncomingMessage,
    request: ProxiedRequest,
    response: ServerResponse,
    settle: () => void,
  ): Promise<void> {
    const { there, back, swallows } = ruling(rules, request) ?? {};
    const before = await there?.(request);
    if (before === 'reset') return void response.destroy();
    if (typeof before === 'object') return fail(response, before);
    const answer = await forward(target, incoming.url ?? '/', request);
    request.status = answer.statusCode ?? 0;
    settle();
    if ((await back?.(request)) === 'reset') return void answer.resume().once('close', () => response.destroy());
    if (swallows !== undefined) passOnHead(answer, response);
    else passOn(answer, response);
  }

  function passOnHead(answer: IncomingMessage, response: ServerResponse): void {
    response.writeHead(answer.statusCode ?? 0, answer.headers).flushHeaders();
    response.once('close', () => answer.destroy());
    answer.resume();
  }

  /** What arrives in a partition is lost, and so is what comes after it on the same connection. */
  function passOn(answer: IncomingMessage, response: ServerResponse): void {
    if (away !== undefined || response.destroyed) return void answer.destroy();
    passing.add(answer);
    answer.once('close', () => passing.delete(answer)).once('error', () => response.destroy());
    response.once('close', () => answer.destroy());
    response.writeHead(answer.statusCode ?? 0, answer.headers).flushHeaders();
    answer.pipe(response);
  }

  const listener = (incoming: IncomingMessage, response: ServerResponse): void => void serve(incoming, response);
  const { certificate } = target;
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  const resetAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => {
      closedBytes += socket.bytesWritten;
      sockets.delete(socket);
    });
    if (away === 'reset') socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    server: `${new URL(target.server).protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => sockets.size,
    bytesSent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, closedBytes),
    add(match, fault) {
      const strikes = striking(match);
      const struck: ProxiedRequest[] = [];
      const rule: Rule = (request) => {
        if (!strikes(request)) return undefined;
        const chosen = typeof fault === 'function' ? fault(request) : fault;
        if (chosen === undefined) return undefined;
        struck.push(request);
        return treatmentOf(chosen);
      };
      rules.add(rule);
      return { struck, remove: () => void rules.delete(rule) };
    },
    hold(match, on = 'the way there') {
      const strikes = striking(match);
      const { wait, requests: held } = holding(() => void rules.delete(rule));
      const treatment = on === 'the way there' ? { there: wait } : { back: wait };
      const rule: Rule = (request) => (strikes(request) ? treatment : undefined);
      rules.add(rule);
      return held;
    },
    swallow(match) {
      const strikes = striking(match);
      const struck: ProxiedRequest[] = [];
      const rule: Rule = (request) => {
        if (!strikes(request)) return undefined;
        struck.push(request);
        return { swallows: true };
      };
      rules.add(rule);
      return { struck, remove: () => void rules.delete(rule) };
    },
    partition(how) {
      away = how;
      if (how === 'reset') resetAll();
      for (const answer of passing) answer.unpipe().resume();
      return {
        heal: () => {
          away = undefined;
          resetAll();
        },
      };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        resetAll();
      }),
  };
}

function treatmentOf(fault: Fault): Treatment {
  return fault === 'lost response' ? { back: () => 'reset' } : { there: () => fault };
}

/** Of the oldest rule that has something to say. */
function ruling(rules: Iterable<Rule>, request: ProxiedRequest): Treatment | undefined {
  for (const rule of rules) {
    const said = rule(request);
    if (said !== undefined) return said;
  }
  return undefined;
}

/** A connection of its own for each request: one that is kept open may be closed by the server, which would be a fault not asked for. */
function forward(target: ProxiedServer, url: string, request: ProxiedRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = target.server.startsWith('https:') ? httpsRequest : httpRequest;
  const { connection: _, ...headers } = request.headers;
  const options: RequestOptions = { method: request.method, headers, ...defined({ ca: target.ca }), agent: false };
  send(new URL(url, target.server), options, resolve).on('error', reject).end(request.body);
  return promise;
}

function fail(response: ServerResponse, { status, headers = {}, message = 'injected', text }: FailedAnswer): void {
  if (text !== undefined)
    return void response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(text);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status }));
}
