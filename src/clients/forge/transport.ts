import { defined, EchelonError, Secrets } from '../../base/index.ts';
import {
  type HttpAnswer,
  type HttpClock,
  HttpFailure,
  type HttpMethod,
  httpClient,
  type ProxyEnv,
  type Redirects,
} from '../http/index.ts';
import { ForgeError, readOnly, refused, unanswered } from './forge-error.ts';
import type { ForgeToken } from './forge-token.ts';

interface ForgeRequest {
  readonly method: HttpMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends requests to one API. Only successes come back; everything else is a `ForgeError`. */
export type ForgeTransport = (request: ForgeRequest) => Promise<HttpAnswer>;

interface TransportOptions {
  /** Base address of the API. */
  readonly api: string;
  readonly readOnly: boolean;
  readonly access: ForgeToken;
  /** Of the process: which proxy leads to the forge. */
  readonly env: ProxyEnv;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: HttpClock | undefined;
  readonly random?: (() => number) | undefined;
}

const TIMEOUT_MS = 30_000;
/** A comparison of GitLab has the differences of all files in it. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** A repository that was renamed answers reading with its new address. Nothing goes to another origin. */
export const REDIRECTS: Redirects = { most: 3, to: 'same-origin' };

export function forgeTransport({ api, access, readOnly: reads, ...options }: TransportOptions): ForgeTransport {
  const secrets = new Secrets([access.secret]);
  const { origin } = new URL(api);
  const { timeoutMs = TIMEOUT_MS, signal, clock, random, env } = options;
  const http = httpClient({
    ...{ readOnly: reads, timeoutMs, maxBytes: MAX_ANSWER_BYTES, redirects: REDIRECTS },
    ...defined({ token: access.token, signal, clock, random, env }),
  });
  return async (request) => {
    const name = nameOf(request);
    if (new URL(request.url).origin !== origin) throw elsewhere(name, origin);
    const { body, ...head } = request;
    const answer = await http
      .json({ ...head, ...(body === undefined ? {} : { body: { json: body } }) })
      .catch((thrown: unknown) => failed(name, thrown));
    if (answer.status < 200 || answer.status > 299)
      throw refused(secrets.redact(name), answer, secrets, access.withheld);
    return answer;
  };
}

function nameOf({ method, url }: ForgeRequest): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin}${pathname}`;
}

function failed(name: string, thrown: unknown): never {
  if (thrown instanceof HttpFailure) throw thrown.code === 'HTTP_READ_ONLY' ? readOnly(name) : unanswered(thrown);
  throw thrown instanceof EchelonError ? thrown : invalidRequest();
}

function elsewhere(name: string, origin: string): ForgeError {
  return new ForgeError({
    code: 'FORGE_ANSWER',
    message: `${name} is not at ${origin} and is not requested`,
    hint: 'check the API URL',
  });
}

function invalidRequest(): ForgeError {
  return new ForgeError({
    code: 'FORGE_ANSWER',
    message: 'a request to the forge could not be sent',
    hint: 'check the API URL and the token: it must be one line of printable characters',
  });
}
