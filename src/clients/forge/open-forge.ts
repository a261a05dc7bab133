import type { Forge, OpenForgeOptions } from './forge.ts';
import { ForgeError } from './forge-error.ts';
import { forgeToken } from './forge-token.ts';
import { parseRepositoryUrl, type RepositoryUrl, withoutLogin } from './repository-url.ts';
import { forgeTransport } from './transport.ts';

/** The forge that hosts a repository. Nothing is asked yet. */
export async function openForge(repositoryUrl: string, options: OpenForgeOptions): Promise<Forge> {
  const repository = parseRepositoryUrl(repositoryUrl);
  const kind = kindOf(repository, options);
  const api = checkedApi(options.api ?? apiOf(kind, repository, options.env));
  const { readOnly, timeoutMs, signal, clock, random, env } = options;
  const namedBy = options.api === undefined ? options.namedBy : 'operator';
  const access = forgeToken({ kind, api, env, namedBy });
  const transport = forgeTransport({ api, env, readOnly, access, timeoutMs, signal, clock, random });
  if (kind === 'gitlab') {
    const [{ gitlabApi }, { gitlabForge }] = await Promise.all([import('./gitlab-api.ts'), import('./gitlab.ts')]);
    const project = projectIn(api, repository);
    return gitlabForge(await gitlabApi({ api, transport }), repository, project, { clock, random });
  }
  const [owner, repo, ...rest] = repository.path.split('/');
  if (owner === undefined || repo === undefined || rest.length > 0) throw unknown(repository, 'is not owner/name');
  const [{ githubApi }, { githubForge }] = await Promise.all([import('./github-api.ts'), import('./github.ts')]);
  return githubForge(await githubApi({ api, owner, repo, transport }), repository, { clock, random });
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

/** GITLAB_API is that of a GitLab of one's own: gitlab.com is asked at home all the same. */
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
    message: `${withoutLogin(api)} is not a valid API URL`,
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
