import { defined, EchelonError, Secrets } from '../../base/index.ts';
import { type HttpAnswer, type HttpClock, HttpFailure, type HttpMethod, httpClient } from '../http/index.ts';
import { ForgeError, readOnly, refused, unanswered } from './forge-error.ts';

export interface ForgeRequest {
  readonly method: HttpMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends requests to one API. Only successes come back; everything else is a `ForgeError`. */
export type ForgeTransport = (request: ForgeRequest) => Promise<HttpAnswer>;

export interface TransportOptions {
  /** Base address of the API. */
  readonly api: string;
  readonly readOnly: boolean;
  readonly token: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: HttpClock | undefined;
  readonly random?: (() => number) | undefined;
}

export const TIMEOUT_MS = 30_000;
/** A comparison of GitLab has the differences of all files in it. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_REDIRECTS = 3;

export function forgeTransport(options: TransportOptions): ForgeTransport {
  const secrets = new Secrets();
  secrets.add(options.token);
  const redact = (text: string): string => secrets.redact(text);
  const { origin } = new URL(options.api);
  return async (request) => {
    const name = nameOf(request);
    if (new URL(request.url).origin !== origin) throw elsewhere(name, origin);
    if (options.readOnly && request.method !== 'GET') throw readOnly(name);
    const answer = await follow(request, origin, (step) => ask(step, options));
    if (answer.status < 200 || answer.status > 299) throw refused(redact(name), answer, redact);
    return answer;
  };
}

function nameOf({ method, url }: ForgeRequest): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin}${pathname}`;
}

/** A repository that was renamed answers reading with its new address. Nothing goes to another origin: it has the token. */
async function follow(
  request: ForgeRequest,
  origin: string,
  send: (request: ForgeRequest) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  let url = request.url;
  for (let hop = 0; ; hop += 1) {
    const answer = await send({ ...request, url });
    const next = redirection(answer, url);
    if (next === undefined || next.origin !== origin || request.method !== 'GET' || hop === MAX_REDIRECTS)
      return answer;
    url = next.href;
  }
}

function redirection({ status, headers }: HttpAnswer, url: string): URL | undefined {
  const location = headers.get('location');
  if (![301, 302, 307, 308].includes(status) || location === null) return undefined;
  return URL.canParse(location, url) ? new URL(location, url) : undefined;
}

async function ask({ method, url, headers, body }: ForgeRequest, options: TransportOptions): Promise<HttpAnswer> {
  const { timeoutMs = TIMEOUT_MS, signal, clock, random } = options;
  try {
    const http = httpClient({ timeoutMs, maxBytes: MAX_ANSWER_BYTES, ...defined({ signal, clock, random }) });
    return await http.json({ url, method, headers, ...(body === undefined ? {} : { body: { json: body } }) });
  } catch (thrown) {
    if (thrown instanceof HttpFailure) throw unanswered(thrown);
    throw thrown instanceof EchelonError ? thrown : invalidRequest();
  }
}

function elsewhere(name: string, origin: string): ForgeError {
  return new ForgeError({
    code: 'FORGE_ANSWER',
    message: `${name} is not at ${origin}, and is not asked`,
    hint: 'check the address of the API',
  });
}

function invalidRequest(): ForgeError {
  return new ForgeError({
    code: 'FORGE_ANSWER',
    message: 'a request to the forge could not be made',
    hint: 'check the address of the API and the token: it is one line of plain characters',
  });
}
