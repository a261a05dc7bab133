import { EchelonError } from '../../base/index.ts';
import { HttpFailure } from './http-failure.ts';
import { type HttpClock, pauseAfter, type RetryPolicy, systemClock } from './retry.ts';
import { type HttpAttempt, type HttpMethod, type RoundTrip, roundTrip, type Sending } from './round-trip.ts';

export type RequestBody = { readonly json: unknown } | { readonly form: Readonly<Record<string, string>> };

export interface HttpRequest {
  readonly url: string | URL;
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** Of one try. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** A GET is tried again after any failure, anything else not at all, unless the caller says what is safe. */
  readonly retry?: RetryPolicy;
  readonly clock?: HttpClock;
  readonly random?: () => number;
  readonly signal?: AbortSignal;
  readonly onAttempt?: (attempt: HttpAttempt) => void;
}

export interface HttpAnswer {
  /** Any status, also one that is worth another try when all tries are used up. Redirections are not followed. */
  readonly status: number;
  readonly headers: Headers;
  /** Parsed; undefined when there is none, or when a refusal is not JSON. */
  readonly body: unknown;
}

export const DEFAULT_TIMEOUT_MS = 60_000;
export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
export const DEFAULT_ATTEMPTS = 4;

/** One answer of a JSON API. Throws an `HttpFailure` when there is none that can be used; no message has a secret. */
export async function requestJson(request: HttpRequest): Promise<HttpAnswer> {
  const { clock = systemClock, random = Math.random, onAttempt = () => {} } = request;
  const sending = sendingOf(request);
  const policy = request.retry ?? defaultPolicy(request.method);
  let mayHaveArrived = false;
  for (let attempt = 1; ; attempt += 1) {
    request.signal?.throwIfAborted();
    const tried = await measured(
      () => roundTrip(sending),
      clock,
      (status, seconds) => onAttempt({ attempt, status, seconds }),
    );
    mayHaveArrived ||= actedOn(tried);
    const pause = pauseAfter(tried, attempt, policy, { clock, random });
    if (pause === undefined) return answerOf(sending.name, tried, { attempts: attempt, mayHaveArrived });
    await clock.sleep(pause, request.signal);
  }
}

/** A server that has too much to do has not begun. */
function actedOn(tried: RoundTrip): boolean {
  return 'fault' in tried ? tried.mayHaveArrived : tried.status !== 429;
}

function defaultPolicy(method: HttpMethod = 'GET'): RetryPolicy {
  return { attempts: DEFAULT_ATTEMPTS, when: method === 'GET' ? 'any-failure' : 'never' };
}

async function measured(
  act: () => Promise<RoundTrip>,
  clock: HttpClock,
  tell: (status: number, seconds: number) => void,
): Promise<RoundTrip> {
  const time = (): number => clock.steady?.() ?? clock.now().getTime();
  const started = time();
  let status = 0;
  try {
    const tried = await act();
    if ('status' in tried) status = tried.status;
    return tried;
  } finally {
    tell(status, (time() - started) / 1000);
  }
}

function sendingOf(request: HttpRequest): Sending {
  const { method = 'GET', body, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES, signal } = request;
  const url = urlOf(request.url);
  const headers = checkedHeaders({ accept: 'application/json', ...contentType(body), ...request.headers });
  const init: RequestInit = { method, headers, ...(body === undefined ? {} : { body: bytesOf(body) }) };
  return { name: `${method} ${url.origin}${url.pathname}`, url, init, timeoutMs, maxBytes, signal };
}

function urlOf(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  throw new EchelonError({
    code: 'HTTP_URL_INVALID',
    message: 'the address of a request is not an http or https URL, or has a user name or password in it',
    hint: 'write it as https://api.example.com',
  });
}

/** Told here and without the value: the runtime would repeat it in its own message. */
function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    throw new EchelonError({
      code: 'HTTP_HEADER_INVALID',
      message: `the header ${name} has a line break or another character that a header cannot have`,
      hint: 'check the token: it is one line of plain characters',
    });
  }
  return headers;
}

function contentType(body: RequestBody | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { 'content-type': 'json' in body ? 'application/json' : 'application/x-www-form-urlencoded' };
}

function bytesOf(body: RequestBody): string {
  return 'json' in body ? JSON.stringify(body.json) : new URLSearchParams(body.form).toString();
}

interface Effort {
  readonly attempts: number;
  /** Of any of the tries. */
  readonly mayHaveArrived: boolean;
}

function answerOf(name: string, tried: RoundTrip, effort: Effort): HttpAnswer {
  if ('fault' in tried) throw unreachable(name, tried.fault, effort);
  const { status, headers, text } = tried;
  return { status, headers, body: text.trim() === '' ? undefined : parsed(name, status, text) };
}

/** A gateway in between refuses with a page of its own: the status says enough. */
function parsed(name: string, status: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (status >= 300) return undefined;
    throw new HttpFailure({
      code: 'HTTP_NOT_JSON',
      message: `${name} answered ${status} with something that is not JSON`,
      hint: 'check that the address is that of the API, and that no proxy or login page is in between',
      mayHaveArrived: true,
    });
  }
}

function unreachable(name: string, fault: string, { attempts, mayHaveArrived }: Effort): HttpFailure {
  return new HttpFailure({
    code: 'HTTP_UNREACHABLE',
    message: `${name} did not answer in ${attempts === 1 ? 'one try' : `${attempts} tries`}: ${fault}`,
    hint: 'check the address and the network',
    mayHaveArrived,
  });
}
