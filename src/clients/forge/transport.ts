import type { z } from 'zod';
import { defined, EchelonError, isClearText, Secrets } from '../../base/index.ts';
import {
  fixedHostToken,
  type HostToken,
  type HttpAnswer,
  type HttpClock,
  HttpFailure,
  type HttpMethod,
  httpClient,
  type Redirects,
} from '../http/index.ts';
import { ForgeError, type NamedBy, readOnly, refused, strangeAnswer, unanswered } from './forge.ts';

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
  const { timeoutMs = TIMEOUT_MS, signal, clock, random } = options;
  const http = httpClient({
    ...{ readOnly: reads, timeoutMs, maxBytes: MAX_ANSWER_BYTES, redirects: REDIRECTS },
    ...defined({ token: access.token, signal, clock, random }),
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

export const PER_PAGE = 100;
export const MAX_PAGES = 10;

/** All items of a list that comes in pages. */
export async function allPages<T>(name: string, page: (number: number) => Promise<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for (let number = 1; number <= MAX_PAGES; number += 1) {
    const items = await page(number);
    all.push(...items);
    if (items.length < PER_PAGE) return all;
  }
  throw new ForgeError({
    code: 'FORGE_LIST_TOO_LONG',
    message: `${name} has ${PER_PAGE * MAX_PAGES} entries or more`,
    hint: 'close what is no longer needed',
  });
}

/** A part of an answer, checked; `name` is the request. */
export function parsed<T>(schema: z.ZodType<T>, name: string, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw strangeAnswer(name, `${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'unexpected'}`);
}

interface ForgeTokenOptions {
  readonly kind: 'gitlab' | 'github';
  /** Base address of the API that is asked. */
  readonly api: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly namedBy: NamedBy;
}

/** What goes along with requests to an API. */
export interface ForgeToken {
  readonly token?: HostToken;
  /** What must never be shown. */
  readonly secret?: string;
  /** There is a token, but not for this host: what to do about it. */
  readonly withheld?: string;
}

const KINDS = {
  gitlab: { variable: 'GITLAB_TOKEN', api: 'GITLAB_API', host: 'gitlab.com' },
  github: { variable: 'GITHUB_TOKEN', api: 'GITHUB_API', host: 'api.github.com' },
} as const;

/**
 * The token of a forge goes to its public host and to hosts that the operator named, and to no other: data from a merge
 * request must not say where it goes. With GITLAB_HOST that of GitLab goes to that host alone.
 */
export function forgeToken({ kind, api, env, namedBy }: ForgeTokenOptions): ForgeToken {
  const { variable } = KINDS[kind];
  const secret = env[variable]?.trim();
  const url = new URL(api);
  if (!secret) return {};
  if (!isNamed(kind, url.hostname, env, namedBy)) return { secret, withheld: howToName(kind, url) };
  if (isClearText(url)) throw insecure(api, variable);
  const headers: Record<string, string> =
    kind === 'gitlab' ? { 'private-token': secret } : { authorization: `Bearer ${secret}` };
  return { secret, token: fixedHostToken(url.origin, headers) };
}

function isNamed(kind: 'gitlab' | 'github', host: string, env: ForgeTokenOptions['env'], namedBy: NamedBy): boolean {
  const only = kind === 'gitlab' ? env['GITLAB_HOST'] : undefined;
  if (only) return hostOf(only) === host;
  const api = env[KINDS[kind].api];
  return namedBy === 'operator' || host === KINDS[kind].host || (Boolean(api) && hostOf(api ?? '') === host);
}

function hostOf(text: string): string {
  return URL.canParse(text) && text.includes('://') ? new URL(text).hostname : text.replace(/:\d+$/, '').toLowerCase();
}

function howToName(kind: 'gitlab' | 'github', { hostname }: URL): string {
  const setting = kind === 'gitlab' ? `GITLAB_HOST=${hostname}` : 'GITHUB_API to the address of its API';
  return `${KINDS[kind].variable} is not sent to ${hostname}, because only the data names that host: set ${setting} to allow it`;
}

function insecure(api: string, variable: string): ForgeError {
  return new ForgeError({
    code: 'FORGE_INSECURE',
    message: `${api} is not https, and ${variable} would be sent in clear text`,
    hint: `use the https address, or unset ${variable}`,
  });
}
