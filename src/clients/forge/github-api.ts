import type { z } from 'zod';
import { EchelonError, isJson } from '../../base/index.ts';
import type { HttpMethod } from '../http/index.ts';
import { ForgeError } from './forge.ts';
import { allPages, type ForgeTransport, PER_PAGE, parsed } from './transport.ts';

interface GithubApiOptions {
  readonly api: string;
  readonly owner: string;
  readonly repo: string;
  readonly transport: ForgeTransport;
}

/** Calls of the REST API about one repository, by route: `GET /repos/{owner}/{repo}/pulls`. */
export interface GithubApi {
  call<T>(schema: z.ZodType<T>, route: string, parameters?: Readonly<Record<string, unknown>>): Promise<T>;
  /** All pages of a list. */
  list<T>(schema: z.ZodType<T[]>, route: string, parameters?: Readonly<Record<string, unknown>>): Promise<T[]>;
}

export async function githubApi({ api, owner, repo, transport }: GithubApiOptions): Promise<GithubApi> {
  const { Octokit } = await import('@octokit/core');
  const quiet = (): void => {};
  const octokit = new Octokit({
    baseUrl: api,
    userAgent: 'echelon',
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    request: { fetch: fetchThrough(transport), log: { warn: quiet } },
  });
  const call: GithubApi['call'] = async (schema, route, parameters = {}) => {
    try {
      const headers = { 'x-github-api-version': '2022-11-28' };
      const names = route.includes('{owner}') ? { owner, repo } : {};
      const { data } = await octokit.request(route, { ...names, ...parameters, headers });
      return parsed(schema, `${route} of ${owner}/${repo}`, data);
    } catch (thrown) {
      throw ownError(thrown, route);
    }
  };
  return {
    call,
    list: (schema, route, parameters) =>
      allPages(`${route} of ${owner}/${repo}`, (page) =>
        call(schema, route, { ...parameters, per_page: PER_PAGE, page }),
      ),
  };
}

/** The library speaks fetch; what it sends goes through the transport, and its own retries and redirects never happen. */
function fetchThrough(transport: ForgeTransport): typeof fetch {
  return async (url, init = {}) => {
    const { headers, body } = await transport({
      method: (init.method ?? 'GET') as HttpMethod,
      url: String(url),
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' ? { body: JSON.parse(init.body) as unknown } : {}),
    });
    const kept = new Headers({ 'content-type': 'application/json' });
    const link = headers.get('link');
    if (link !== null) kept.set('link', link);
    return new Response(JSON.stringify(body ?? null), { status: 200, headers: kept });
  };
}

/** The library wraps what its fetch throws, together with the request and its headers. */
function ownError(thrown: unknown, route: string): EchelonError {
  const cause = isJson(thrown) || thrown instanceof Error ? (thrown as { cause?: unknown }).cause : undefined;
  if (cause instanceof EchelonError) return cause;
  if (thrown instanceof EchelonError) return thrown;
  return new ForgeError({
    code: 'FORGE_ANSWER',
    message: `${route} could not be sent`,
    hint: 'check the API URL and the names of the owner and the repository',
  });
}
