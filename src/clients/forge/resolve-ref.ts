import { defined, EchelonError } from '../../base/index.ts';
import { type HttpClock, HttpFailure, type HttpText, httpClient } from '../http/index.ts';
import { type ForgeToken, forgeToken } from './forge-token.ts';
import { REDIRECTS } from './transport.ts';

export interface ForgeOptions {
  /** Of a repository: `https://github.com/owner/name`, `https://gitlab.example.com/group/name`. It comes from data. */
  readonly repository: string;
  readonly ref: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  /** Asks; the one of the runtime when absent. */
  readonly fetch?: typeof fetch;
  readonly clock?: HttpClock;
}

/** Per attempt. */
const TIMEOUT_MS = 10_000;
const ATTEMPTS = 3;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** The commit that a ref of a hosted repository stands for, asked of the forge's API. */
export async function resolveRefByForge(options: ForgeOptions): Promise<string> {
  const { repository, ref, env } = options;
  const asked = requestFor(repository, ref, env);
  const { status, text } = await ask(asked, options);
  if (status !== 200) throw refused(repository, ref, status, asked.access.withheld);
  const sha = asked.shaIn(text);
  if (typeof sha === 'string' && /^[0-9a-f]{40}$/.test(sha)) return sha;
  throw new EchelonError({
    code: 'FORGE_ANSWER',
    message: `${new URL(asked.url).host} returned no commit for ${ref} of ${repository}`,
    hint: 'check the repository URL, or pass a clone of it with --upstream-clone',
  });
}

interface ForgeRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly access: ForgeToken;
  readonly shaIn: (body: string) => unknown;
}

function requestFor(repository: string, ref: string, env: ForgeOptions['env']): ForgeRequest {
  const { origin, host, pathname } = parseUrl(repository);
  const project = pathname.replace(/^\/+/, '').replace(/(?:\.git)?\/*$/, '');
  if (host.includes('gitlab')) {
    const api = `${origin}/api/v4`;
    return {
      url: `${api}/projects/${encodeURIComponent(project)}/repository/commits/${encodeURIComponent(ref)}`,
      headers: {},
      access: forgeToken({ kind: 'gitlab', api, env, namedBy: 'data' }),
      shaIn: idIn,
    };
  }
  if (host !== 'github.com' && !env['GITHUB_API']) throw unknownForge(repository, host);
  const api = (env['GITHUB_API'] || 'https://api.github.com').replace(/\/+$/, '');
  return {
    url: `${api}/repos/${project}/commits/${encodeURIComponent(ref)}`,
    headers: { accept: 'application/vnd.github.sha' },
    access: forgeToken({ kind: 'github', api, env, namedBy: 'data' }),
    shaIn: (body) => body.trim(),
  };
}

function idIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { id?: unknown } | null)?.id;
  } catch {
    return undefined;
  }
}

/** Another repository of the same name may be on GitHub. */
function unknownForge(repository: string, host: string): EchelonError {
  return new EchelonError({
    code: 'UPSTREAM_INVALID',
    message: `${host} of the upstream ${repository} is neither github.com nor a GitLab`,
    hint: 'set GITHUB_API to the API of your GitHub Enterprise, or pass a clone of the repository with --upstream-clone',
  });
}

function parseUrl(repository: string): URL {
  if (URL.canParse(repository)) return new URL(repository);
  throw new EchelonError({
    code: 'UPSTREAM_INVALID',
    message: `the upstream ${repository} is not a URL`,
    hint: 'use a URL such as https://github.com/owner/name',
  });
}

async function ask({ url, headers, access }: ForgeRequest, options: ForgeOptions): Promise<HttpText> {
  const { signal, clock, fetch: send } = options;
  const http = httpClient({
    ...{ readOnly: true, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES, redirects: REDIRECTS },
    ...defined({ token: access.token, signal, clock }),
    ...(send === undefined ? { env: options.env } : { wire: fetchWire(send) }),
  });
  const retry = { attempts: ATTEMPTS, when: 'any-failure' } as const;
  try {
    return await http.text({ url, retry, headers: { 'user-agent': 'echelon', ...headers } });
  } catch (thrown) {
    if (!(thrown instanceof HttpFailure)) throw thrown;
    throw new EchelonError({
      code: 'FORGE_UNREACHABLE',
      message: `${new URL(url).host} did not respond for ${options.repository}: ${thrown.fault?.text ?? thrown.message}`,
      hint: 'check the network, or pass a clone of the repository with --upstream-clone',
    });
  }
}

function refused(repository: string, ref: string, status: number, withheld: string | undefined): EchelonError {
  const missing = status === 404 || status === 422;
  return new EchelonError({
    code: missing ? 'REF_UNKNOWN' : 'FORGE_REFUSED',
    message: missing ? `${repository} has no ref ${ref}` : `the forge of ${repository} returned ${status}`,
    hint:
      withheld ??
      (missing
        ? 'check the ref; a private repository needs GITHUB_TOKEN or GITLAB_TOKEN'
        : 'set GITHUB_TOKEN or GITLAB_TOKEN, or pass a clone of the repository with --upstream-clone'),
  });
}

/** Sends by a function of the tests. */
function fetchWire(send: typeof fetch): NonNullable<NonNullable<Parameters<typeof httpClient>[0]>['wire']> {
  return async ({ url, method, headers, signal }) => {
    const answer = await send(url, { method, headers, redirect: 'manual', signal });
    return { status: answer.status, headers: answer.headers, body: answer.body ?? (async function* () {})() };
  };
}
