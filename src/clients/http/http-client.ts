import { defined, EchelonError } from '../../base/index.ts';
import { HttpFailure } from './http-error.ts';
import {
  checkedHeaders,
  type HttpClientOptions,
  type HttpRequest,
  type PlannedRequest,
  plannedRequest,
  redirectedTo,
  refuseClearText,
} from './request.ts';
import { pauseAfter, retrying } from './retry.ts';
import { causeOf, type Exchanged, exchange, type HttpFault, type HttpHeaders, limitedText, wireOf } from './wire.ts';

export interface HttpText {
  /**
   * Any status, also one that is worth another attempt when all attempts are used up, and a redirect that is not
   * followed.
   */
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly text: string;
  readonly attempts: number;
  /** Redirects that were followed. */
  readonly hops: number;
}

export interface HttpAnswer extends Omit<HttpText, 'text'> {
  /** Parsed; undefined when there is none, or when a refusal is not JSON. */
  readonly body: unknown;
}

/** Throws an `HttpFailure` when there is no usable response; no message has a secret. */
export interface HttpClient {
  text(request: HttpRequest): Promise<HttpText>;
  /** The response of a JSON API. */
  json(request: HttpRequest): Promise<HttpAnswer>;
  /** A response without an end, such as a watch; it takes no part in the limit of requests at once. */
  stream(request: HttpRequest): Promise<HttpStream>;
}

export function httpClient(given: HttpClientOptions = {}): HttpClient {
  const options = { ...given, wire: given.wire ?? wireOf(given.env ?? {}) };
  const enter = options.concurrency === undefined ? undefined : limiter(options.concurrency);
  const sent = (planned: PlannedRequest): Promise<HttpText> =>
    enter === undefined ? send(planned) : enter(() => send(planned));
  return {
    text: async (request) => sent(plannedRequest(request, options)),
    json: async (request) => {
      const planned = plannedRequest(request, options, { accept: 'application/json' });
      const { text, ...answer } = await sent(planned);
      return { ...answer, body: text.trim() === '' ? undefined : parsed(planned.name, answer.status, text) };
    },
    stream: async (request) => openStream(plannedRequest(request, options)),
  };
}

async function send(planned: PlannedRequest): Promise<HttpText> {
  const { name, retry, signal, permit } = planned;
  let mayHaveArrived = false;
  let isUnderway = false;
  const { outcome, attempts } = await retrying(
    async (attempt) => {
      signal?.throwIfAborted();
      isUnderway = true;
      const tried = await authorized(planned, attempt);
      isUnderway = false;
      mayHaveArrived ||= actedOn(tried.exchanged);
      return tried;
    },
    ({ exchanged }, attempt) => pauseAfter(exchanged, attempt, retry, planned),
    planned,
  ).catch((thrown: unknown) => {
    if (thrown instanceof NotPermitted) throw notPermitted(name, mayHaveArrived);
    if (permit?.signal.aborted && thrown === permit.signal.reason)
      throw notPermitted(name, mayHaveArrived || isUnderway);
    throw thrown;
  });
  const { exchanged, hops } = outcome;
  if ('fault' in exchanged) throw unreachable(name, exchanged, { attempts, mayHaveArrived });
  const { status, headers, text } = exchanged;
  return { status, headers, text, attempts, hops };
}

interface Followed {
  readonly exchanged: Exchanged;
  readonly hops: number;
}

/** A token that is refused is replaced once; a request that was not authorized was not acted on. */
async function authorized(planned: PlannedRequest, attempt: number): Promise<Followed> {
  const { token } = planned;
  const first = await followed(planned, attempt, (await token?.headers()) ?? {});
  const isRefused = 'status' in first.exchanged && first.exchanged.status === 401;
  return isRefused && token?.renewed !== undefined ? followed(planned, attempt, await token.renewed()) : first;
}

async function followed(
  planned: PlannedRequest,
  attempt: number,
  secret: Readonly<Record<string, string>>,
): Promise<Followed> {
  const { method, redirects } = planned;
  for (let [url, hops] = [planned.url, 0]; ; hops += 1) {
    const exchanged = await once(planned, url, attempt, mayHaveToken(planned, url, secret) ? secret : {});
    const reply = 'status' in exchanged && hops < (redirects?.most ?? 0) ? exchanged : undefined;
    const next = reply && redirectedTo(reply, { url, method }, redirects);
    if (next === undefined) return { exchanged, hops };
    url = next;
  }
}

function mayHaveToken({ token, redirects, name }: PlannedRequest, url: URL, secret: object): boolean {
  if (token === undefined || Object.keys(secret).length === 0) return false;
  const isOwn = token.origin === url.origin;
  const isOwnHost = redirects?.to === 'same-host' && new URL(token.origin).hostname === url.hostname;
  if (isOwn || isOwnHost) refuseClearText(name, url);
  return isOwn || isOwnHost;
}

async function once(
  planned: PlannedRequest,
  url: URL,
  attempt: number,
  secret: Readonly<Record<string, string>>,
): Promise<Exchanged> {
  const { method, body, limits, signal, permit, clock, wire } = planned;
  const headers = { ...planned.headers, ...checkedHeaders(secret) };
  const time = (): number => clock.steady?.() ?? clock.now().getTime();
  const started = time();
  const maySend = permit === undefined ? undefined : () => permit.mayWrite();
  let status = 0;
  if (maySend?.() === false) throw new NotPermitted();
  try {
    const more = { ...defined({ maySend }), ...limits };
    const exchanged = await exchange({ url, method, headers, body, signal, wire, ...more });
    if ('status' in exchanged) status = exchanged.status;
    return exchanged;
  } finally {
    planned.onAttempt({ attempt, status, seconds: (time() - started) / 1000 });
  }
}

/** The permit had ended before the attempt. */
class NotPermitted extends Error {}

function notPermitted(name: string, mayHaveArrived: boolean): HttpFailure {
  return new HttpFailure({
    code: 'HTTP_NOT_PERMITTED',
    message: `${name} was ${mayHaveArrived ? 'cut short' : 'not sent'}: this process may not write any more`,
    hint: 'no action needed: whoever may write now continues',
    mayHaveArrived,
  });
}

/** An overloaded server has not started. */
function actedOn(tried: Exchanged): boolean {
  return 'fault' in tried ? tried.mayHaveArrived : tried.status !== 429;
}

/** A gateway in between refuses with a page of its own: the status says enough. */
function parsed(name: string, status: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (status >= 300) return undefined;
    throw new HttpFailure({
      code: 'HTTP_NOT_JSON',
      message: `${name} returned ${status} with a body that is not JSON`,
      hint: 'check that the URL is that of the API and that no proxy or login page intercepts it',
      mayHaveArrived: true,
    });
  }
}

function unreachable(
  name: string,
  { fault, code }: HttpFault,
  { attempts, mayHaveArrived }: { readonly attempts: number; readonly mayHaveArrived: boolean },
): HttpFailure {
  return new HttpFailure({
    code: 'HTTP_UNREACHABLE',
    message: `${name}: no response after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}: ${fault}`,
    hint: 'check the URL and the network',
    ...{ mayHaveArrived, fault: { code, text: fault } },
  });
}

/** A response whose body comes bit by bit, as long as the server likes. */
export type HttpStream =
  | { readonly status: 200; readonly parts: AsyncIterable<Uint8Array> }
  | { readonly status: number; readonly text: string };

/**
 * Sends once and returns with the head of the response, which must come within the time limit. The body ends with the
 * signal. Nothing is retried but a token that is refused, no redirect is followed.
 */
async function openStream(planned: PlannedRequest): Promise<HttpStream> {
  const { token } = planned;
  const first = await openOnce(planned, (await token?.headers()) ?? {});
  return first.status === 401 && token?.renewed !== undefined ? openOnce(planned, await token.renewed()) : first;
}

async function openOnce(planned: PlannedRequest, secret: Readonly<Record<string, string>>): Promise<HttpStream> {
  const { name, url, method, limits, signal, wire } = planned;
  if (Object.keys(secret).length > 0) refuseClearText(name, url);
  signal?.throwIfAborted();
  const ended = new AbortController();
  signal?.addEventListener('abort', () => ended.abort(signal.reason), { once: true });
  const timer = setTimeout(() => ended.abort(new Error('no response in time')), limits.timeoutMs);
  let status = 0;
  try {
    const headers = { ...planned.headers, ...checkedHeaders(secret) };
    const answer = await wire({ url, method, headers, body: undefined, signal: ended.signal });
    status = answer.status;
    if (status === 200) return { status: 200, parts: answer.body };
    return { status, text: (await limitedText(answer.body, limits.maxBytes)) ?? '' };
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    signal?.throwIfAborted();
    throw unopened(name, thrown);
  } finally {
    clearTimeout(timer);
    planned.onAttempt({ attempt: 1, status, seconds: 0 });
  }
}

function unopened(name: string, thrown: unknown): HttpFailure {
  const { code, message: text } = causeOf(thrown);
  return new HttpFailure({
    code: 'HTTP_UNREACHABLE',
    message: `${name}: no response: ${text}`,
    hint: 'check the URL and the network',
    ...{ mayHaveArrived: true, fault: { code, text } },
  });
}

/** Runs a job as soon as there is room; first come, first served. */
type Limiter = <T>(job: () => Promise<T>) => Promise<T>;

/** At most `limit` jobs at a time. A job must not wait for another one of the same limiter. */
export function limiter(limit: number): Limiter {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError(`the limit must be a positive integer, not ${limit}`);
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (job) => {
    if (running >= limit) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
