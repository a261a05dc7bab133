import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { GraphQLSchema } from 'graphql';
import { loadBundle } from './qontract-bundle.ts';
import { readConfs } from './qontract-confs.ts';
import { answerGraphql, type HttpAnswer, json, type QueryableBundle } from './qontract-graphql.ts';
import { buildQontractSchema } from './qontract-schema.ts';

export interface RecordedRequest {
  method: string;
  path: string;
  authorization: string | undefined;
  body: string;
}

export interface QontractServerOptions {
  /** The bundle's text; its sha256 is the bundle's identity. */
  bundle: string;
  /** Type configuration to use instead of each bundle's own. */
  graphqlConfs?: unknown;
  /** When set, a request without exactly this Authorization header is answered 401. */
  token?: string;
  /** Asked before anything else; `undefined` lets the server answer. */
  intercept?: (request: RecordedRequest) => Interception | Promise<Interception>;
}

type Interception = HttpAnswer | undefined;

export interface QontractServer {
  url: string;
  /** Of the latest bundle. */
  readonly sha256: string;
  /** Every request received, in order, refused and intercepted ones too. */
  requests: RecordedRequest[];
  /** Makes a bundle the latest; earlier ones stay available by sha. Returns its sha256. */
  reload(bundleText: string): string;
  /** Unloads a sha. The latest is still announced and served at /graphql, as with a replica that lags. */
  forget(sha: string): void;
  close(): Promise<void>;
}

interface Store {
  latest: QueryableBundle;
  bySha: Map<string, QueryableBundle>;
}

/** A qontract-server on a free local port, for tests of clients. */
export async function startQontractServer(options: QontractServerOptions): Promise<QontractServer> {
  const shared = options.graphqlConfs === undefined ? undefined : schemaOf(options.graphqlConfs);
  const first = queryable(shared, options.bundle);
  const store: Store = { latest: first, bySha: new Map([[first.bundle.sha256, first]]) };
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, response) => {
    respond(options, store, requests, incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get sha256() {
      return store.latest.bundle.sha256;
    },
    reload(bundleText) {
      store.latest = queryable(shared, bundleText);
      store.bySha.set(store.latest.bundle.sha256, store.latest);
      return store.latest.bundle.sha256;
    },
    forget: (sha) => void store.bySha.delete(sha),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

function queryable(shared: GraphQLSchema | undefined, bundleText: string): QueryableBundle {
  const bundle = loadBundle(bundleText);
  return { bundle, schema: shared ?? schemaOf(bundle.graphql) };
}

function schemaOf(confs: unknown): GraphQLSchema {
  return buildQontractSchema(readConfs(confs));
}

async function respond(
  options: QontractServerOptions,
  store: Store,
  requests: RecordedRequest[],
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url: path = '', headers } = incoming;
  const request = { method, path, authorization: headers.authorization, body: await text(incoming) };
  requests.push(request);
  const answer = (await options.intercept?.(request)) ?? (await answerRequest(options, store, request));
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

async function answerRequest(
  { token }: QontractServerOptions,
  store: Store,
  request: RecordedRequest,
): Promise<HttpAnswer> {
  if (token !== undefined && request.authorization !== token) return { status: 401, body: 'Unauthorized' };
  const [, endpoint = '', sha, ...rest] = new URL(request.path, 'http://localhost').pathname.split('/');
  if (rest.length > 0) return notFound();
  const target = sha === undefined ? store.latest : store.bySha.get(sha);
  return route(`${request.method} /${endpoint}${sha === undefined ? '' : '/:sha'}`, target, sha, request.body);
}

function route(
  name: string,
  target: QueryableBundle | undefined,
  sha: string | undefined,
  body: string,
): HttpAnswer | Promise<HttpAnswer> {
  switch (name) {
    case 'POST /graphql':
    case 'POST /graphqlsha/:sha':
      return target ? answerGraphql(target, body) : notFound();
    case 'GET /git-commit-info':
    case 'GET /git-commit-info/:sha':
      return target ? json(200, target.bundle.commit) : { status: 404, body: `Bundle ${sha} not found` };
    case 'GET /sha256':
      return { status: 200, body: target?.bundle.sha256 ?? '' };
    case 'GET /healthz':
      return { status: 200, body: '' };
    default:
      return notFound();
  }
}

function notFound(): HttpAnswer {
  return { status: 404, body: '<html><body>Not Found</body></html>' };
}
