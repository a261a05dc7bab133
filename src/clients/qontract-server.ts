import { defined, EchelonError, isClearText, Secrets } from '../base/index.ts';
import {
  type Backoff,
  fixedHostToken,
  type HttpClock,
  HttpFailure,
  type HttpRequest,
  type HttpText,
  httpClient,
  type ProxyEnv,
  pauseBefore,
  type RetryPolicy,
  systemHttpClock,
} from './http/index.ts';

export interface QontractClientOptions {
  /** With or without `/graphql` at its end. */
  readonly url: string;
  /** Complete value of the Authorization header, sent as it is. */
  readonly token?: string;
  /** Of the process: which proxy leads to the server. */
  readonly env: ProxyEnv;
  /** Ends whatever is in flight, also a pause between attempts. */
  readonly signal?: AbortSignal;
  readonly clock?: HttpClock;
}

interface Answer {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}

export interface QontractClient {
  readonly name: string;
  latest(): Promise<string>;
  commitOf(sha256: string): Promise<string | undefined>;
  query(sha256: string, query: string): Promise<Answer | 'unknown-bundle'>;
  pause(attempt: number): Promise<void>;
}

const MAX_ATTEMPTS = 5;
const SHA_TIMEOUT_MS = 60_000;
const QUERY_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const BACKOFF: Backoff = { firstMs: 500, longestMs: 5_000, fixed: 0, longestRetryAfterMs: 60_000 };
const RETRY: RetryPolicy = {
  attempts: MAX_ATTEMPTS,
  when: (tried) => 'fault' in tried || isPassing(tried.status),
  backoff: BACKOFF,
};

/** A thin client of a qontract-server: addresses, authorization and what its answers mean; nothing of the domain. */
export function qontractClient(options: QontractClientOptions): QontractClient {
  const { clock = systemHttpClock, signal, env } = options;
  const { base, name, authorization } = endpoint(options);
  const secrets = new Secrets([authorization]);
  const http = httpClient({
    ...{ clock, env, readOnly: true, maxBytes: MAX_ANSWER_BYTES, ...defined({ signal }) },
    redirects: { most: MAX_REDIRECTS, to: 'anywhere', whole: true },
    ...(authorization === undefined ? {} : { token: fixedHostToken(new URL(base).origin, { authorization }) }),
  });
  const call = async (path: string, request: Omit<HttpRequest, 'url'>): Promise<Reply> => {
    const reply = await http.text({ ...request, url: `${base}${path}`, retry: RETRY }).catch((thrown: unknown) => {
      throw thrown instanceof HttpFailure ? failed(name, path, thrown) : thrown;
    });
    if (!isPassing(reply.status)) return reply;
    throw unreachable(name, `status ${reply.status}`);
  };

  return {
    name,
    pause: (attempt) => clock.sleep(pauseBefore(attempt, Math.random, BACKOFF), signal),
    latest: async () => {
      const reply = await call('/sha256', { timeoutMs: SHA_TIMEOUT_MS });
      refuse(name, reply);
      const sha256 = reply.text.trim();
      if (!/^[0-9a-f]{64}$/.test(sha256)) throw notQontract(name, '/sha256 does not return a SHA-256');
      return sha256;
    },
    commitOf: async (sha256) => {
      const reply = await call(`/git-commit-info/${sha256}`, { timeoutMs: SHA_TIMEOUT_MS });
      return reply.status === 200 ? commitIn(reply.text) : undefined;
    },
    query: async (sha256, query) => {
      const reply = await call(`/graphqlsha/${sha256}`, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: { json: { query } },
        onlyReads: true,
        timeoutMs: QUERY_TIMEOUT_MS,
      });
      if (reply.status === 404) return 'unknown-bundle';
      if (reply.status !== 400) refuse(name, reply);
      return answerIn(name, reply, secrets);
    },
  };
}

/** Worth a retry. */
function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}

type Reply = Pick<HttpText, 'status' | 'text'>;

/** Credentials in the address become a header; the address shown to users has none. */
function endpoint({ url, token }: QontractClientOptions): {
  base: string;
  name: string;
  authorization: string | undefined;
} {
  const parsed = parseUrl(url);
  const login = parsed.username === '' ? undefined : `${parsed.username}:${parsed.password}`;
  parsed.username = '';
  parsed.password = '';
  parsed.hash = '';
  parsed.search = '';
  const base = parsed.href.replace(/\/+$/, '').replace(/\/graphql$/, '');
  const basic = login === undefined ? undefined : `Basic ${Buffer.from(decoded(login)).toString('base64')}`;
  const authorization = checkedHeader(token ?? basic);
  if (authorization !== undefined && isClearText(parsed)) throw insecure(base);
  return { base, name: base, authorization };
}

/** A password with a stray `%` is meant as it is written. */
function decoded(login: string): string {
  try {
    return decodeURIComponent(login);
  } catch {
    return login;
  }
}

/** Reported here and without its text: the runtime would repeat it in its own message. */
function checkedHeader(authorization: string | undefined): string | undefined {
  if (authorization === undefined || /^[\t\x20-\x7e\x80-\xff]*$/.test(authorization)) return authorization;
  throw new EchelonError({
    code: 'SERVER_TOKEN_INVALID',
    message: 'the token for the qontract-server contains a line break or another character not allowed in a header',
    hint: 'set it to the complete Authorization header, on one line',
  });
}

function parseUrl(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new EchelonError({
      code: 'SERVER_URL_INVALID',
      message: 'the URL of the qontract-server is invalid',
      hint: 'use a URL such as https://qontract.example.com/graphql',
    });
  }
}

function insecure(name: string): EchelonError {
  return new EchelonError({
    code: 'SERVER_INSECURE',
    message: `${name} is not https: its credentials would be sent in clear text`,
    hint: 'use the https URL of the qontract-server, or unset its token',
  });
}

function failed(name: string, path: string, { code, message, hint, fault }: HttpFailure): EchelonError {
  if (fault !== undefined) return unreachable(name, fault.text);
  if (code !== 'HTTP_ANSWER_TOO_LARGE') return new EchelonError({ code, message, hint });
  return new EchelonError({
    code: 'SERVER_ANSWER_TOO_LARGE',
    message: `${path}: response larger than ${MAX_ANSWER_BYTES} bytes`,
    hint: 'read the instance as a bundle file or a directory',
  });
}

function refuse(name: string, reply: Reply): void {
  if (reply.status === 200) return;
  if (reply.status === 401 || reply.status === 403) {
    throw new EchelonError({
      code: 'SERVER_UNAUTHORIZED',
      message: `${name} returned ${reply.status}: credentials rejected`,
      hint: 'set token in [graphql] of config.toml, or ECHELON_GRAPHQL_TOKEN, to the complete Authorization header',
    });
  }
  throw notQontract(name, `it returned ${reply.status}`);
}

function notQontract(name: string, why: string): EchelonError {
  return new EchelonError({
    code: 'SERVER_NOT_QONTRACT',
    message: `${name} is not a qontract-server: ${why}`,
    hint: 'use its URL, such as https://qontract.example.com/graphql',
  });
}

function unreachable(name: string, why: string): EchelonError {
  return new EchelonError({
    code: 'SERVER_UNREACHABLE',
    message: `${name}: no response after ${MAX_ATTEMPTS} attempts: ${why}`,
    hint: 'check the URL and the network, and that the server has loaded a bundle',
  });
}

function commitIn(body: string): string | undefined {
  try {
    const { commit } = JSON.parse(body) as { commit?: unknown };
    return typeof commit === 'string' && commit !== '' ? commit : undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_MESSAGE = 600;

function answerIn(name: string, { status, text }: Reply, secrets: Secrets): Answer {
  const parsed = parseAnswer(name, text);
  const errors = (parsed.errors ?? []).map((error) => ({
    ...error,
    message: secrets.quote(String(error.message), { longest: LONGEST_MESSAGE }),
  }));
  if (status === 200) return { data: parsed.data ?? null, errors };
  throw new EchelonError({
    code: 'SERVER_QUERY_REFUSED',
    message: `${name} refused a query: ${errors[0]?.message ?? `status ${status}`}`,
    hint: 'its types differ from those Echelon expects: report this with the version of its schemas',
  });
}

function parseAnswer(name: string, body: string): Partial<Answer> {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    throw notQontract(name, 'the response is not JSON');
  }
  if (typeof answer === 'object' && answer !== null) return answer as Partial<Answer>;
  throw notQontract(name, 'the response is not an object');
}
