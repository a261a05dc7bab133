import { setTimeout as sleep } from 'node:timers/promises';
import { defined, EchelonError, messageOf } from '../../base/index.ts';

export interface QontractClientOptions {
  /** With or without `/graphql` at its end. */
  readonly url: string;
  /** Complete value of the Authorization header, sent as it is. */
  readonly token?: string;
  /** Waits between tries; replaced in tests. */
  readonly wait?: (milliseconds: number) => Promise<void>;
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

const MAX_TRIES = 5;
const SHA_TIMEOUT_MS = 60_000;
const QUERY_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** A thin client of a qontract-server: addresses, authorization, time limits and retries; nothing of the domain. */
export function qontractClient(options: QontractClientOptions): QontractClient {
  const { base, name, authorization } = endpoint(options);
  const wait = options.wait ?? ((milliseconds) => sleep(milliseconds));
  const pause = (attempt: number): Promise<void> => wait(pauseBefore(attempt));

  const call = async (path: string, request: RequestInit, timeout: number): Promise<Reply> => {
    for (let attempt = 1; ; attempt += 1) {
      const reply = await once(`${base}${path}`, request, authorization, timeout);
      if (!reply.transient) return reply;
      if (attempt === MAX_TRIES) throw unreachable(name, reply, attempt);
      await pause(attempt);
    }
  };

  return {
    name,
    pause,
    latest: async () => {
      const reply = await call('/sha256', {}, SHA_TIMEOUT_MS);
      refuse(name, reply);
      const sha256 = reply.body.trim();
      if (!/^[0-9a-f]{64}$/.test(sha256)) throw notQontract(name, '/sha256 does not answer with a SHA-256');
      return sha256;
    },
    commitOf: async (sha256) => {
      const reply = await call(`/git-commit-info/${sha256}`, {}, SHA_TIMEOUT_MS);
      return reply.status === 200 ? commitIn(reply.body) : undefined;
    },
    query: async (sha256, query) => {
      const request = {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query }),
      };
      const reply = await call(`/graphqlsha/${sha256}`, request, QUERY_TIMEOUT_MS);
      if (reply.status === 404) return 'unknown-bundle';
      if (reply.status !== 400) refuse(name, reply);
      return answerIn(name, reply);
    },
  };
}

/** Credentials in the address become a header; the address that people see has none. */
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
  return { base, name: base, authorization: checkedHeader(token ?? basic) };
}

/** A password with a stray `%` is meant as it is written. */
function decoded(login: string): string {
  try {
    return decodeURIComponent(login);
  } catch {
    return login;
  }
}

/** Told here and without its text: the runtime would repeat it in its own message. */
function checkedHeader(authorization: string | undefined): string | undefined {
  if (authorization === undefined || /^[\t\x20-\x7e\x80-\xff]*$/.test(authorization)) return authorization;
  throw new EchelonError({
    code: 'SERVER_TOKEN_INVALID',
    message: 'the token for the qontract-server has a line break or another character that a header cannot have',
    hint: 'set it to the complete Authorization header, on one line',
  });
}

function parseUrl(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new EchelonError({
      code: 'SERVER_URL_INVALID',
      message: 'the address of the qontract-server is not a URL',
      hint: 'write it as https://qontract.example.com/graphql',
    });
  }
}

/** Full jitter: a fleet of clients that lost one server does not come back as one. */
function pauseBefore(attempt: number): number {
  return Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
}

interface Reply {
  readonly status: number;
  readonly body: string;
  /** Worth another try: no answer, too many requests, or a fault of the server. */
  readonly transient: boolean;
  readonly fault?: string;
}

async function once(
  url: string,
  request: RequestInit,
  authorization: string | undefined,
  timeout: number,
): Promise<Reply> {
  const headers = { ...request.headers, ...defined({ authorization }) };
  try {
    const response = await fetch(url, { ...request, headers, signal: AbortSignal.timeout(timeout) });
    const body = await limitedText(response);
    return { status: response.status, body, transient: response.status === 429 || response.status >= 500 };
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    return { status: 0, body: '', transient: true, fault: faultOf(thrown) };
  }
}

function faultOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  return messageOf(cause);
}

async function limitedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > MAX_ANSWER_BYTES) {
      throw new EchelonError({
        code: 'SERVER_ANSWER_TOO_LARGE',
        message: `${new URL(response.url).pathname} answered with more than ${MAX_ANSWER_BYTES} bytes`,
        hint: 'read the instance as a bundle file or a directory',
      });
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function refuse(name: string, reply: Reply): void {
  if (reply.status === 200) return;
  if (reply.status === 401 || reply.status === 403) {
    throw new EchelonError({
      code: 'SERVER_UNAUTHORIZED',
      message: `${name} answered ${reply.status}: it does not accept the credentials`,
      hint: 'set token in [graphql] of config.toml, or ECHELON_GRAPHQL_TOKEN, to the complete Authorization header',
    });
  }
  throw notQontract(name, `it answered ${reply.status}`);
}

function notQontract(name: string, why: string): EchelonError {
  return new EchelonError({
    code: 'SERVER_NOT_QONTRACT',
    message: `${name} does not look like a qontract-server: ${why}`,
    hint: 'name its address, such as https://qontract.example.com/graphql',
  });
}

function unreachable(name: string, { status, fault }: Reply, tries: number): EchelonError {
  return new EchelonError({
    code: 'SERVER_UNREACHABLE',
    message: `${name} did not answer in ${tries} tries: ${fault ?? `status ${status}`}`,
    hint: 'check the address and the network, and that the server has loaded a bundle',
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

function answerIn(name: string, { status, body }: Reply): Answer {
  const parsed = parseAnswer(name, body);
  const errors = parsed.errors ?? [];
  if (status === 200) return { data: parsed.data ?? null, errors };
  throw new EchelonError({
    code: 'SERVER_QUERY_REFUSED',
    message: `${name} refused a query: ${errors[0]?.message ?? `status ${status}`}`,
    hint: 'its types differ from what Echelon knows: report this with the version of its schemas',
  });
}

function parseAnswer(name: string, body: string): Partial<Answer> {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    throw notQontract(name, 'its answer is not JSON');
  }
  if (typeof answer === 'object' && answer !== null) return answer as Partial<Answer>;
  throw notQontract(name, 'its answer is not an object');
}
