import type { IncomingMessage, ServerResponse } from 'node:http';
import { defined, messageOf } from '../../base/index.ts';
import type { BadImage } from './controllers/bad-images.ts';
import { Controllers } from './controllers/controllers.ts';
import { discover } from './http/discovery.ts';
import { Faults, type SimFault } from './http/faults.ts';
import { renderFor } from './http/negotiate.ts';
import { openApi } from './http/openapi.ts';
import { type ApiRequest, ResourceApi } from './http/resource-api.ts';
import { type Route, routeOf } from './http/route.ts';
import { type RunningServer, sendJson, sendText, serve } from './http/server.ts';
import { streamChanges } from './http/watch.ts';
import { Ids } from './ids.ts';
import { decodeProtobuf } from './protobuf.ts';
import { SimStore } from './sim-store.ts';
import { ApiError, unauthorized } from './status.ts';
import { Store } from './store.ts';
import { Writes } from './writes.ts';

export interface SimKubeOptions {
  /** Any free one when left out. */
  readonly port?: number;
  /** Requests have to bring it as a bearer token. */
  readonly token?: string;
  readonly clock?: () => Date;
  /** That exist from the start, besides `default` and those of the system. */
  readonly namespaces?: readonly string[];
  /** Namespaces come into being when something is created in them. */
  readonly anyNamespace?: boolean;
  /** Whether deployments get pods, and what is left without an owner goes; true when left out. */
  readonly controllers?: boolean;
  /** Images whose pods do not work. */
  readonly badImages?: readonly BadImage[];
  /** Of uids and generated names. */
  readonly seed?: number;
}

/** One request that was answered. */
interface SimRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly userAgent?: string;
}

export interface SimKube {
  readonly url: string;
  readonly requests: readonly SimRequest[];
  readonly store: SimStore;
  close(): Promise<void>;
  clearRequests(): void;
  addFault(fault: SimFault): void;
}

const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const HEALTH_PATHS = ['/healthz', '/readyz', '/livez'];
const WARNINGS_LIMIT = 50;
/** How kubectl sends what `kubectl create deployment` and its like make. */
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Starts a simulated Kubernetes API on the loopback interface. */
export async function startSimKube(options: SimKubeOptions = {}): Promise<SimKube> {
  const sim = new Simulation(options);
  const server = await serve(options.port ?? 0, (request, body, response) => sim.handle(request, body, response));
  return sim.start(server);
}

class Simulation {
  private readonly store = new Store();
  private readonly faults = new Faults();
  private readonly requests: SimRequest[] = [];
  private readonly api: ResourceApi;
  private readonly writes: Writes;
  private readonly controllers: Controllers | undefined;
  private readonly token: string | undefined;
  private host = '';
  private readonly clock: () => Date;

  constructor(options: SimKubeOptions) {
    const {
      token,
      clock = () => new Date(),
      namespaces = [],
      anyNamespace = false,
      controllers = true,
      badImages = [],
      seed = 1,
    } = options;
    const context = { store: this.store, ids: new Ids(seed), clock, anyNamespace };
    this.token = token;
    this.clock = clock;
    this.api = new ResourceApi(context);
    this.writes = new Writes(context);
    this.controllers = controllers ? new Controllers(context, badImages) : undefined;
    for (const name of [...SYSTEM_NAMESPACES, ...namespaces]) this.writes.addNamespace(name);
    this.settle();
  }

  start(server: RunningServer): SimKube {
    this.host = new URL(server.url).host;
    return {
      url: server.url,
      requests: this.requests,
      store: new SimStore(this.store, this.writes, () => this.settle()),
      close: () => server.close(),
      clearRequests: () => {
        this.requests.length = 0;
      },
      addFault: (fault) => this.faults.add(fault),
    };
  }

  private settle(): void {
    this.controllers?.run();
  }

  handle(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { method = 'GET', url = '/', headers } = request;
    const { pathname, searchParams, search } = new URL(url, 'http://sim');
    const log = (status: number): void => {
      const userAgent = headers['user-agent'];
      this.requests.push({
        method,
        path: pathname,
        query: search.slice(1),
        status,
        ...defined({ userAgent }),
      });
    };
    log(this.answer({ method, path: pathname, query: searchParams, headers, body, response }));
  }

  private answer(exchange: Exchange): number {
    try {
      const fault = this.faults.take(exchange.path, exchange.method, isWatch(exchange.query));
      if (fault !== undefined) throw fault;
      this.controllers?.tick();
      const answer = this.carryOut(exchange);
      this.settle();
      answer.send();
      return answer.code;
    } catch (error) {
      return fail(exchange, error);
    }
  }

  private carryOut(exchange: Exchange): { readonly code: number; readonly send: () => void } {
    const { method, path, query, headers, body, response } = exchange;
    if (this.token !== undefined && headers.authorization !== `Bearer ${this.token}`) throw unauthorized();
    if (HEALTH_PATHS.includes(path)) return { code: 200, send: () => sendText(response, 200, 'ok') };
    const found = method === 'GET' ? (discover(path, this.host) ?? openApi(path)) : undefined;
    if (found !== undefined) return { code: 200, send: () => sendJson(response, 200, found, {}) };
    const route = routeOf(method, path, isWatch(query));
    if (route === undefined) throw new ApiError(404, undefined, '404 page not found');
    const render = renderFor(headers.accept, route, query, this.clock);
    if (route.verb === 'watch')
      return { code: 200, send: () => streamChanges(this.store, { route, query, render }, response) };
    const userAgent = headers['user-agent'] ?? '';
    const answer = this.api.answer(route, { query, userAgent, ...contentOf(route, headers['content-type'], body) });
    const warnings = answer.warnings.slice(0, WARNINGS_LIMIT).map(warningText);
    const more = warnings.length === 0 ? {} : { Warning: warnings };
    return {
      code: answer.code,
      send: () => sendJson(response, answer.code, render(answer.body), more),
    };
  }
}

function fail({ response }: Exchange, error: unknown): number {
  const { code, status } = error instanceof ApiError ? error : internalFault(messageOf(error));
  if (status.message === '404 page not found') sendText(response, code, '404 page not found\n');
  else sendJson(response, code, status, {});
  return code;
}

/** A bug of the simulator; reported so that it is noticed. */
function internalFault(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** What protobuf says, as JSON; everything else as it came. */
function contentOf({ verb, resource }: Route, header = '', body: Buffer): Pick<ApiRequest, 'contentType' | 'body'> {
  const contentType = header.split(';')[0]?.trim() ?? '';
  if (contentType !== PROTOBUF || verb !== 'create') return { contentType, body: body.toString('utf8') };
  return { contentType: 'application/json', body: JSON.stringify(decodeProtobuf(body, resource.type)) };
}

/** As a header can carry it. */
function warningText(text: string): string {
  return `299 - ${JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, '?')}`;
}

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly response: ServerResponse;
}

function isWatch(query: URLSearchParams): boolean {
  return ['1', 'true'].includes(query.get('watch') ?? '');
}
