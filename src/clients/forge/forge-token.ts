import { isClearText } from '../../base/index.ts';
import { fixedHostToken, type HostToken } from '../http/index.ts';
import { ForgeError } from './forge-error.ts';

/**
 * Who says where a repository is: the operator (a flag, a remote of their clone), or data, which anyone can propose.
 */
export type NamedBy = 'operator' | 'data';

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
