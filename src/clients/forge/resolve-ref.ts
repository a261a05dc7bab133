import { EchelonError, messageOf } from '../../base/index.ts';

export interface ForgeOptions {
  /** Of a repository: `https://github.com/owner/name`, `https://gitlab.example.com/group/name`. */
  readonly repository: string;
  readonly ref: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks; the one of the runtime when absent. */
  readonly fetch?: typeof fetch;
}

const TIMEOUT_MS = 30_000;

/** The commit that a ref of a hosted repository stands for, asked of the forge's API. */
export async function resolveRefByForge(options: ForgeOptions): Promise<string> {
  const { repository, ref, env } = options;
  const { url, headers, shaIn } = requestFor(repository, ref, env);
  const { status, body } = await ask(url, headers, options);
  if (status !== 200) throw refused(repository, ref, status);
  const sha = shaIn(body);
  if (typeof sha === 'string' && /^[0-9a-f]{40}$/.test(sha)) return sha;
  throw new EchelonError({
    code: 'FORGE_ANSWER',
    message: `${new URL(url).host} did not answer with a commit for ${ref} of ${repository}`,
    hint: 'check the address of the repository, or name a clone of it with --upstream-clone',
  });
}

interface ForgeRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly shaIn: (body: string) => unknown;
}

function requestFor(repository: string, ref: string, env: ForgeOptions['env']): ForgeRequest {
  const { origin, host, pathname } = parseUrl(repository);
  const project = pathname.replace(/^\/+/, '').replace(/(?:\.git)?\/*$/, '');
  if (host.includes('gitlab')) {
    const token = env['GITLAB_TOKEN'];
    return {
      url: `${origin}/api/v4/projects/${encodeURIComponent(project)}/repository/commits/${encodeURIComponent(ref)}`,
      headers: token ? { 'private-token': token } : {},
      shaIn: idIn,
    };
  }
  if (host !== 'github.com' && !env['GITHUB_API']) throw unknownForge(repository, host);
  const token = env['GITHUB_TOKEN'];
  const api = (env['GITHUB_API'] || 'https://api.github.com').replace(/\/+$/, '');
  return {
    url: `${api}/repos/${project}/commits/${encodeURIComponent(ref)}`,
    headers: { accept: 'application/vnd.github.sha', ...(token ? { authorization: `Bearer ${token}` } : {}) },
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
    hint: 'set GITHUB_API to the API of a GitHub of your own, or name a clone of the repository with --upstream-clone',
  });
}

function parseUrl(repository: string): URL {
  if (URL.canParse(repository)) return new URL(repository);
  throw new EchelonError({
    code: 'UPSTREAM_INVALID',
    message: `the upstream ${repository} is not a URL`,
    hint: 'write it as https://github.com/owner/name',
  });
}

async function ask(
  url: string,
  headers: ForgeRequest['headers'],
  options: ForgeOptions,
): Promise<{ status: number; body: string }> {
  try {
    const response = await (options.fetch ?? fetch)(url, {
      headers: { 'user-agent': 'echelon', ...headers },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, body: await response.text() };
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    throw new EchelonError({
      code: 'FORGE_UNREACHABLE',
      message: `${new URL(url).host} did not answer about ${options.repository}: ${messageOf(cause)}`,
      hint: 'check the network, or name a clone of the repository with --upstream-clone',
    });
  }
}

function refused(repository: string, ref: string, status: number): EchelonError {
  const missing = status === 404 || status === 422;
  return new EchelonError({
    code: missing ? 'REF_UNKNOWN' : 'FORGE_REFUSED',
    message: missing ? `${repository} has no ref ${ref}` : `the forge of ${repository} answered ${status}`,
    hint: missing
      ? 'check the ref; a private repository needs GITHUB_TOKEN or GITLAB_TOKEN'
      : 'set GITHUB_TOKEN or GITLAB_TOKEN, or name a clone of the repository with --upstream-clone',
  });
}
