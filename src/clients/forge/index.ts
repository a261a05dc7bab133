import { EchelonError } from '../../base/index.ts';
import {
  type Forge,
  ForgeError,
  type OpenForgeOptions,
  parseRepositoryUrl,
  type RepositoryUrl,
  shownUrl,
} from './forge.ts';
import { forgeApi, forgeToken } from './transport.ts';

/** The forge that hosts a repository. Nothing is asked yet. */
export async function openForge(repositoryUrl: string, options: OpenForgeOptions): Promise<Forge> {
  const repository = parseRepositoryUrl(repositoryUrl);
  const kind = kindOf(repository, options);
  const api = checkedApi(options.api ?? apiOf(kind, repository, options.env));
  const { readOnly, timeoutMs, signal, clock, random, env } = options;
  const namedBy = options.api === undefined ? options.namedBy : 'operator';
  const access = forgeToken({ kind, api, env, namedBy });
  const asked = { api, env, readOnly, access, timeoutMs, signal, clock, random };
  if (kind === 'gitlab') {
    const { gitlabForge } = await import('./gitlab.ts');
    return gitlabForge(forgeApi({ ...asked, headers: {} }), repository, projectIn(api, repository), { clock, random });
  }
  if (repository.path.split('/').length !== 2) throw unknown(repository, 'is not owner/name');
  const { GITHUB_HEADERS, githubForge } = await import('./github.ts');
  return githubForge(forgeApi({ ...asked, headers: GITHUB_HEADERS }), repository, { clock, random });
}

/** Per attempt: a ref is needed before anything else is done. */
const REF_TIMEOUT_MS = 10_000;

/** The commit of a ref of a repository that data names. */
export async function resolveRefByForge(
  repository: string,
  ref: string,
  options: Pick<OpenForgeOptions, 'env' | 'signal' | 'clock'>,
): Promise<string> {
  const access = { readOnly: true, namedBy: 'data', timeoutMs: REF_TIMEOUT_MS } as const;
  const forge = await openForge(repository, { ...options, ...access }).catch((thrown: unknown) => {
    throw thrown instanceof ForgeError && thrown.code === 'FORGE_UNKNOWN'
      ? invalidUpstream(repository, thrown)
      : thrown;
  });
  return forge.resolveRef(ref);
}

function invalidUpstream(text: string, { message }: ForgeError): EchelonError {
  const code = 'UPSTREAM_INVALID';
  const shown = shownUrl(text);
  const host = URL.canParse(text) ? new URL(text).host : '';
  if (host === '') {
    const hint = 'use a URL such as https://github.com/owner/name';
    return new EchelonError({ code, message: `the upstream ${shown} is not a URL`, hint });
  }
  const isKnown = host === 'github.com' || host.includes('gitlab');
  return new EchelonError({
    code,
    message: isKnown
      ? `the upstream ${message}`
      : `${host} of the upstream ${shown} is neither github.com nor a GitLab`,
    hint: 'set GITHUB_API or GITLAB_API to the URL of its API, or pass a clone of the repository with --upstream-clone',
  });
}

const SETTINGS = {
  github: ['GITHUB_TOKEN', 'GITHUB_API'],
  gitlab: ['GITLAB_TOKEN', 'GITLAB_API', 'GITLAB_HOST'],
} as const;

/** Whether the environment has a token or an address for the forge of a repository. */
export function isForgeConfigured(repositoryUrl: string, env: OpenForgeOptions['env']): boolean {
  try {
    const kind = kindOf(parseRepositoryUrl(repositoryUrl), { env });
    return SETTINGS[kind].some((name) => Boolean(env[name]?.trim()));
  } catch (thrown) {
    if (thrown instanceof ForgeError) return false;
    throw thrown;
  }
}

function kindOf(
  { host, origin, path }: RepositoryUrl,
  { kind, env }: Pick<OpenForgeOptions, 'kind' | 'env'>,
): Forge['kind'] {
  if (kind !== undefined) return kind;
  if (host.includes('gitlab')) return 'gitlab';
  if (host === 'github.com' || env['GITHUB_API']) return 'github';
  if (env['GITLAB_API']) return 'gitlab';
  throw unknown({ host, origin, path }, 'is neither on github.com nor on a host with gitlab in its name');
}

function unknown({ origin, path }: RepositoryUrl, what: string): ForgeError {
  return new ForgeError({
    code: 'FORGE_UNKNOWN',
    message: `${origin}/${path} ${what}`,
    hint: 'set GITHUB_API or GITLAB_API to the URL of its API',
  });
}

/** GITLAB_API is for self-hosted GitLab; gitlab.com uses its own API. */
function apiOf(kind: Forge['kind'], { host, origin }: RepositoryUrl, env: OpenForgeOptions['env']): string {
  if (kind === 'gitlab') return (host !== 'gitlab.com' && env['GITLAB_API']) || `${origin}/api/v4`;
  return env['GITHUB_API'] || (host === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`);
}

function checkedApi(api: string): string {
  const url = URL.canParse(api) ? new URL(api) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  throw new ForgeError({
    code: 'FORGE_UNKNOWN',
    message: `${shownUrl(api)} is not a valid API URL`,
    hint: 'use a URL such as https://gitlab.example.com/api/v4 or https://api.github.com',
  });
}

/** A GitLab may live below a path of its host, which its projects then have in their address and not in their name. */
function projectIn(api: string, { origin, path }: RepositoryUrl): string {
  const base = new URL(api);
  const prefix = base.pathname.replace(/\/api\/v4$/, '').replace(/^\//, '');
  return prefix !== '' && base.origin === origin && path.startsWith(`${prefix}/`)
    ? path.slice(prefix.length + 1)
    : path;
}
