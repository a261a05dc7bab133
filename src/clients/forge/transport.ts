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
  type ProxyEnv,
  type Redirects,
} from '../http/index.ts';
import {
  ForgeError,
  httpRefusal,
  type NamedBy,
  noResponse,
  type RepositoryUrl,
  readOnly,
  TOKENS,
  unexpectedResponse,
} from './forge.ts';

/** The REST API of one forge. Only successes come back, checked; everything else is a `ForgeError`. */
export interface ForgeApi {
  call<T>(schema: z.ZodType<T>, method: HttpMethod, path: string, sent?: Sent): Promise<T>;
  /** All pages of a list. */
  list<T>(schema: z.ZodType<T>, path: string, query?: Query): Promise<T[]>;
  /** The commit of a ref, which `ask` requests. Errors name the ref, and a clone as the way without a forge. */
  commitOf(ref: string, repository: RepositoryUrl, ask: () => Promise<string>): Promise<string>;
}

type Query = Readonly<Record<string, string | number>>;

interface Sent {
  readonly query?: Query;
  readonly body?: object;
  /** Media type of a response that is plain text. */
  readonly text?: string;
}

interface ForgeApiOptions {
  /** Base URL of the API. */
  readonly api: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
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
const REDIRECTS: Redirects = { most: 3, to: 'same-origin' };

export const PER_PAGE = 100;
export const MAX_PAGES = 10;

export function forgeApi({ api, access, readOnly: reads, ...options }: ForgeApiOptions): ForgeApi {
  const secrets = new Secrets([access.secret]);
  const { timeoutMs = TIMEOUT_MS, signal, clock, random, env } = options;
  const headers = { 'user-agent': 'echelon', ...options.headers };
  const http = httpClient({
    ...{ readOnly: reads, timeoutMs, maxBytes: MAX_ANSWER_BYTES, redirects: REDIRECTS },
    ...defined({ token: access.token, signal, clock, random, env }),
  });
  const call: ForgeApi['call'] = async (schema, method, path, { query = {}, body, text } = {}) => {
    const name = `${method} ${api}${path}`;
    const url = new URL(`${api}${path}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, String(value));
    const request = { method, url, headers, ...(body === undefined ? {} : { body: { json: body } }) };
    const sent =
      text === undefined
        ? http.json(request)
        : http
            .text({ ...request, headers: { ...headers, accept: text } })
            .then((answer) => ({ ...answer, body: answer.text }));
    const answer: HttpAnswer = await sent.catch((thrown: unknown) => requestFailed(name, thrown));
    if (answer.status < 200 || answer.status > 299)
      throw httpRefusal(secrets.redact(name), answer, secrets, access.withheld);
    return parsed(schema, name, answer.body);
  };
  return {
    call,
    list: async (schema, path, query) => {
      const all: z.infer<typeof schema>[] = [];
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const items = await call(schema.array(), 'GET', path, { query: { ...query, page, per_page: PER_PAGE } });
        all.push(...items);
        if (items.length < PER_PAGE) return all;
      }
      throw new ForgeError({
        code: 'FORGE_LIST_TOO_LONG',
        message: `${api}${path} has ${PER_PAGE * MAX_PAGES} entries or more`,
        hint: 'close what is no longer needed',
      });
    },
    commitOf: async (ref, repository, ask) => {
      try {
        return await ask();
      } catch (thrown) {
        throw thrown instanceof ForgeError
          ? unresolved(thrown, ref, repository, { api, withheld: access.withheld })
          : thrown;
      }
    },
  };
}

function unresolved(
  thrown: ForgeError,
  ref: string,
  { origin, path }: RepositoryUrl,
  { api, withheld }: { readonly api: string; readonly withheld: string | undefined },
): ForgeError {
  const { host } = new URL(api);
  const repository = `${origin}/${path}`;
  const orClone = 'or pass a clone of the repository with --upstream-clone';
  if (thrown.code === 'FORGE_UNREACHABLE') {
    const message = `${host} did not respond for ${repository}: ${thrown.fault ?? thrown.message}`;
    return new ForgeError({ code: 'FORGE_UNREACHABLE', message, hint: `check the network, ${orClone}` });
  }
  if (thrown.code === 'FORGE_ANSWER') {
    const message = `${host} returned no commit for ${ref} of ${repository}`;
    return new ForgeError({ code: 'FORGE_ANSWER', message, hint: `check the repository URL, ${orClone}` });
  }
  if (thrown.status === undefined || thrown.status === 404 || thrown.status === 422) {
    const hint = withheld ?? `check the ref; a private repository needs ${TOKENS}`;
    return new ForgeError({ code: 'REF_UNKNOWN', message: `${repository} has no ref ${ref}`, hint });
  }
  const message = `the forge of ${repository} returned ${thrown.status}`;
  return new ForgeError({ code: 'FORGE_REFUSED', message, hint: withheld ?? `set ${TOKENS}, ${orClone}` });
}

/** A path of the API. Each value is one segment: slashes in it are encoded, and it can neither vanish nor lead elsewhere. */
export function apiPath(texts: TemplateStringsArray, ...segments: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...segments.map(segmentOf));
}

function segmentOf(value: string | number): string {
  const segment = encodeURIComponent(String(value).toWellFormed());
  if (!/^\.{0,2}$/.test(segment)) return segment;
  throw new ForgeError({
    code: 'FORGE_REFUSED',
    message: `${JSON.stringify(value)} cannot be part of a URL`,
    hint: 'check the names of the repository and the ref',
  });
}

function requestFailed(name: string, thrown: unknown): never {
  if (thrown instanceof HttpFailure) throw thrown.code === 'HTTP_READ_ONLY' ? readOnly(name) : noResponse(thrown);
  if (thrown instanceof EchelonError) throw thrown;
  throw new ForgeError({
    code: 'FORGE_ANSWER',
    message: 'a request to the forge could not be sent',
    hint: 'check the API URL and the token: it must be one line of printable characters',
  });
}

function parsed<T>(schema: z.ZodType<T>, name: string, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw unexpectedResponse(name, `${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'unexpected'}`);
}

interface ForgeTokenOptions {
  readonly kind: 'gitlab' | 'github';
  /** Base address of the API that is asked. */
  readonly api: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly namedBy: NamedBy;
}

/** Credentials for an API. */
interface ForgeToken {
  readonly token?: HostToken;
  /** Redacted from all messages. */
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
