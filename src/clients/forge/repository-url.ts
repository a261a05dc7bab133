import { ForgeError } from './forge-error.ts';

/** Where a repository is hosted, without login, `.git` and slashes at the end. */
export interface RepositoryUrl {
  readonly host: string;
  /** `https://gitlab.example.com`. Of an ssh address, https on the standard port. */
  readonly origin: string;
  /** `group/subgroup/project`. */
  readonly path: string;
}

/** Hosts for ssh over the port of https. */
const SSH_HOSTS: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
};

/** `https://host/a/b.git`, `ssh://git@host:22/a/b`, `git@host:a/b.git`. */
export function parseRepositoryUrl(text: string): RepositoryUrl {
  const parsed = httpUrl(text) ?? sshUrl(text);
  if (parsed !== undefined && isProjectPath(parsed.path)) return parsed;
  throw new ForgeError({
    code: 'FORGE_UNKNOWN',
    message: `${withoutLogin(text)} is not a valid repository URL`,
    hint: 'use a URL such as https://github.com/owner/name or git@gitlab.example.com:group/name.git',
  });
}

function httpUrl(text: string): RepositoryUrl | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.host === '') return undefined;
  return { host: url.hostname, origin: url.origin, path: projectPath(url.pathname) };
}

function sshUrl(text: string): RepositoryUrl | undefined {
  const match =
    /^(?:git\+)?ssh:\/\/(?:[^@/\s]+@)?([\w.-]+)(?::\d+)?\/(.+)$/.exec(text) ??
    /^(?:[^@/:\s]+@)?([\w.-]{2,}):([^\s]+)$/.exec(text);
  const [, given = '', path = ''] = match ?? [];
  if (given === '' || path.startsWith('//')) return undefined;
  const host = SSH_HOSTS[given.toLowerCase()] ?? given.toLowerCase();
  return { host, origin: `https://${host}`, path: projectPath(path) };
}

/** GitLab puts pages of a project behind `/-/`. */
function projectPath(path: string): string {
  return path
    .replace(/\/-\/.*$/, '')
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '');
}

function isProjectPath(path: string): boolean {
  const names = path.split('/');
  return names.length >= 2 && names.every((name) => /^[\p{L}\p{N}_.-]+$/u.test(name) && !/^\.+$/.test(name));
}

export function withoutLogin(text: string): string {
  return text.replace(/:\/\/[^\s/]*@/g, '://***@').replace(/\p{Cc}/gu, ' ');
}
