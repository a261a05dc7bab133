import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJson, type Json } from '../../../base/index.ts';
import type { SimClock } from '../clock.ts';
import { SECOND } from '../instants.ts';
import type { Account } from '../model.ts';
import { type Service, SimOcmError } from '../ocm-error.ts';
import type { World } from '../world/world.ts';
import type { Effect, Faults } from './faults.ts';
import { projected } from './projection.ts';
import { gatewayReply, jsonReply, type Reply, send, sendHalf } from './reply.ts';
import { serviceOf } from './request.ts';
import type { RequestLog } from './requests.ts';
import { collectionAt, findRoute, type Match } from './router.ts';
import { TELEMETRY_PATH, telemetry } from './telemetry.ts';
import { TOKEN_PATH, type Tokens } from './tokens.ts';

/** The parts of one served environment. */
export interface Site {
  readonly world: World;
  readonly clock: SimClock;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly requests: RequestLog;
  readonly latencyMs: number;
  /** Longer request lines are rejected, as by a gateway; 0: no limit. */
  readonly maxUrlBytes: number;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly authorization: string | undefined;
  readonly service: Service;
  readonly operationId: string;
}

/** Serves one request, or applies a fault to it. */
export async function serve(
  site: Site,
  incoming: IncomingMessage,
  response: ServerResponse,
  body: string,
): Promise<void> {
  const call = callOf(incoming, body);
  const note = site.requests.add({
    environment: site.world.environment,
    method: call.method,
    path: call.path,
    query: call.query.toString(),
    collection: collectionOf(call),
    at: site.clock.now(),
  });
  const effect = site.faults.pick(site.world.environment, call.method, call.path);
  const outcome = handle(site, call, effect, incoming.url ?? '');
  const pause = site.latencyMs + (effect?.kind === 'delay' ? effect.ms : 0);
  if (pause > 0) await sleep(pause);
  if (outcome === 'no-answer') return;
  if (outcome === 'hang-up') {
    response.destroy();
    return;
  }
  note(outcome.status);
  if (effect?.kind === 'truncated') sendHalf(response, outcome);
  else send(response, outcome, site.clock.now());
}

type Outcome = Reply | 'hang-up' | 'no-answer';

/** Everything between reading the request and the response happens at one moment of the world. */
function handle(site: Site, call: Call, effect: Effect | undefined, url: string): Outcome {
  if (site.maxUrlBytes > 0 && requestLineBytes(call.method, url) > site.maxUrlBytes) return gatewayReply(414);
  const early = instead(call, effect);
  if (early !== undefined) return early;
  site.world.advanceTo(site.clock.now());
  const reply = replyTo(site, call, effect);
  return afterwards(call, effect, reply);
}

/** Gateways limit the whole line, with its method, protocol and end. */
function requestLineBytes(method: string, url: string): number {
  return Buffer.byteLength(`${method} ${url} HTTP/1.1\r\n`);
}

/** The response of a fault without executing the request. */
function instead(call: Call, effect: Effect | undefined): Outcome | undefined {
  if (effect?.kind === 'expired-token' && call.path !== TOKEN_PATH)
    return refusal(call, new SimOcmError(call.service, 'unauthenticated', 'Bearer token is expired'));
  if (effect?.kind === 'status' && effect.committed !== true) return faultReply(call, effect);
  if ((effect?.kind === 'hang-up' || effect?.kind === 'no-answer') && !effect.committed) return effect.kind;
  return undefined;
}

/** Applies a fault to the response of an executed request. */
function afterwards(call: Call, effect: Effect | undefined, reply: Reply): Outcome {
  switch (effect?.kind) {
    case 'hang-up':
    case 'no-answer':
      return effect.kind;
    case 'status':
      return faultReply(call, effect);
    case 'garbage':
      return { ...gatewayReply(reply.status === 204 ? 200 : reply.status), headers: reply.headers };
    case 'short-page':
      return { ...reply, text: shortened(reply.text) };
    default:
      return reply;
  }
}

function replyTo(site: Site, call: Call, effect: Effect | undefined): Reply {
  if (call.path === TOKEN_PATH) return tokenReply(site, call);
  if (call.path === TELEMETRY_PATH) return jsonReply(200, telemetry(site.world, expressionIn(call)));
  try {
    return apiReply(site, call, effect);
  } catch (thrown) {
    if (thrown instanceof SimOcmError) return refusal(call, thrown);
    throw thrown;
  }
}

function tokenReply({ tokens }: Site, { method, body, authorization }: Call): Reply {
  if (method !== 'POST') return jsonReply(405, { error: 'invalid_request', error_description: 'only POST is allowed' });
  const { status, body: answer } = tokens.grant(new URLSearchParams(body), authorization);
  return jsonReply(status, answer, { 'cache-control': 'no-store' });
}

function apiReply(site: Site, call: Call, effect: Effect | undefined): Reply {
  const account = site.tokens.verify(call.service, call.authorization);
  const asRead = readInBody(call);
  const match = findRoute(call.service, asRead === undefined ? call.method : 'GET', call.path);
  const { status, body } = answer(site, call, match, { account, effect, query: asRead ?? call.query });
  return jsonReply(status, projected(body, call.query.get('fields')), { 'x-operation-id': call.operationId });
}

interface Asker {
  readonly account: Account;
  readonly effect: Effect | undefined;
  readonly query: URLSearchParams;
}

function answer({ world, clock }: Site, call: Call, { route, params }: Match, { account, effect, query }: Asker) {
  const { service } = call;
  if (route.method !== 'GET') return route.answer(world.as(account), { service, params, query, body: bodyIn(call) });
  const reads =
    effect?.kind === 'stale'
      ? world.asOf(new Date(clock.now().getTime() - effect.seconds * SECOND), account)
      : world.as(account);
  return { status: 200, body: route.answer(reads, { service, params, query, body: {} }) };
}

/** `POST …?method=get` reads, with a query in the body that would be too long for a URL. */
function readInBody(call: Call): URLSearchParams | undefined {
  if (call.method !== 'POST' || call.query.get('method') !== 'get') return undefined;
  const query = new URLSearchParams(call.query);
  for (const [name, value] of Object.entries(bodyIn(call))) query.set(name, String(value));
  return query;
}

function bodyIn({ body, method, service }: Call): Json {
  if (method === 'DELETE' || body.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    if (isJson(value)) return value;
  } catch {}
  throw new SimOcmError(service, 'malformed', 'The request body is not a JSON object');
}

function expressionIn({ method, query, body }: Call): string {
  return (method === 'POST' ? new URLSearchParams(body).get('query') : null) ?? query.get('query') ?? '';
}

function refusal(call: Call, error: SimOcmError): Reply {
  const challenge = { 'www-authenticate': `Bearer realm="${call.service}/v1"` };
  return jsonReply(error.status, error.body(call.operationId), {
    'x-operation-id': call.operationId,
    ...(error.status === 401 ? challenge : {}),
  });
}

/** Gateways send 502, 503 and 504 themselves, in HTML. */
function faultReply(call: Call, { status, retryAfter, body }: Extract<Effect, { kind: 'status' }>): Reply {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const html = body === undefined ? status >= 502 && status <= 504 : body === 'html';
  if (html) return gatewayReply(status, headers);
  const error = new SimOcmError(call.service, 'internal', `Injected fault: status ${status}`);
  return jsonReply(status, error.body(call.operationId), { ...headers, 'x-operation-id': call.operationId });
}

/** The same page with half of its items. */
function shortened(text: string): string {
  const page: unknown = text === '' ? undefined : JSON.parse(text);
  if (!isJson(page) || !Array.isArray(page['items'])) return text;
  return JSON.stringify({ ...page, items: page['items'].slice(0, page['items'].length >> 1) });
}

function callOf(incoming: IncomingMessage, body: string): Call {
  const url = new URL(incoming.url ?? '/', 'http://simulator');
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    body,
    authorization: incoming.headers.authorization,
    service: serviceOf(url.pathname),
    operationId: randomUUID(),
  };
}

function collectionOf({ path }: Call): string {
  if (path === TOKEN_PATH) return 'token';
  return path === TELEMETRY_PATH ? 'telemetry' : collectionAt(path);
}
