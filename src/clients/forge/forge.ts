import { z } from 'zod';
import { EchelonError, type EchelonErrorOptions, isJson, Secrets } from '../../base/index.ts';
import type { Commit } from '../git/index.ts';
import type { HttpAnswer, HttpClock, HttpFailure } from '../http/index.ts';

export interface MergeRequest {
  /** The number that users write: `!12` of GitLab, `#12` of GitHub. */
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly labels: readonly string[];
}

/** The full sha of a commit, in repositories of either hash. */
export const COMMIT_SHA = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'not the sha of a commit');

/** A commit as a forge reports it; the login is that of the author's account, where the forge knows it. */
export type ForgeCommit = Commit & { readonly login?: string };

export interface ForgeComparison {
  /** Commits of the later one that the earlier one does not have, newest first. */
  readonly commits: readonly ForgeCommit[];
  /** Number of commits, those beyond the limit included. */
  readonly total: number;
  /** Commits of the earlier one that the later one does not have. */
  readonly lacking: number;
  /** Position of the later one, seen from the earlier one. */
  readonly status: 'ahead' | 'behind' | 'diverged' | 'identical';
}

export interface NewMergeRequest {
  readonly title: string;
  readonly description: string;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly labels: readonly string[];
  /** Once it is merged. GitLab only: on GitHub the repository decides. */
  readonly removeSourceBranch?: boolean;
}

export interface MergeRequestUpdate {
  readonly title?: string;
  readonly description?: string;
  /** Added to the ones that are there. */
  readonly labels?: readonly string[];
}

/** A hosted repository with merge requests (pull requests). */
export interface Forge {
  readonly kind: 'gitlab' | 'github';
  compareUrl(from: string, to: string): string;
  /** Tip of a branch; the default branch when absent. */
  newestCommit(branch?: string): Promise<string>;
  /** The commit of a branch, a tag or a short commit. */
  resolveRef(ref: string): Promise<string>;
  commitsBetween(from: string, to: string, limit: number): Promise<ForgeComparison>;
  /** The open one from a branch of the same repository. */
  findMergeRequest(sourceBranch: string): Promise<MergeRequest | undefined>;
  openMergeRequests(search: { readonly branchPrefix: string }): Promise<readonly MergeRequest[]>;
  createMergeRequest(options: NewMergeRequest): Promise<MergeRequest>;
  updateMergeRequest(number: number, options: MergeRequestUpdate): Promise<MergeRequest>;
  closeMergeRequest(number: number, comment: string): Promise<void>;
  /** One comment per marker, updated in place. */
  comment(number: number, marker: string, body: string): Promise<{ readonly updated: boolean }>;
}

/**
 * Who says where a repository is: the operator (a flag, a remote of their clone), or data, which anyone can propose.
 */
export type NamedBy = 'operator' | 'data';

export interface OpenForgeOptions {
  /** GITHUB_TOKEN, GITHUB_API, GITLAB_TOKEN, GITLAB_API, GITLAB_HOST. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Decides whether a token may be sent to the host of the repository. */
  readonly namedBy: NamedBy;
  /** Refuses every request that would change something. */
  readonly readOnly: boolean;
  /** Needed if the host name does not show it. */
  readonly kind?: 'gitlab' | 'github';
  /** Base address of the API: `https://api.github.com`, `https://gitlab.example.com/api/v4`. */
  readonly api?: string;
  /** Per attempt. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly clock?: HttpClock;
  readonly random?: () => number;
}

type ForgeErrorCode =
  | 'FORGE_UNKNOWN'
  | 'FORGE_INSECURE'
  | 'FORGE_UNAUTHORIZED'
  | 'FORGE_FORBIDDEN'
  | 'FORGE_NOT_FOUND'
  | 'FORGE_REFUSED'
  | 'FORGE_RATE_LIMITED'
  | 'FORGE_UNAVAILABLE'
  | 'FORGE_UNREACHABLE'
  | 'FORGE_MOVED'
  | 'FORGE_ANSWER'
  | 'FORGE_LIST_TOO_LONG'
  | 'REF_UNKNOWN'
  | 'READ_ONLY';

interface ForgeErrorOptions extends Omit<EchelonErrorOptions, 'code' | 'cause'> {
  readonly code: ForgeErrorCode;
  /** Status of the response; undefined without one. */
  readonly status?: number;
  readonly mayHaveArrived?: boolean;
  readonly fault?: string | undefined;
}

/** The failure of one request. It has no cause: errors of the runtime may quote a header. */
export class ForgeError extends EchelonError {
  override readonly name = 'ForgeError';
  readonly status: number | undefined;
  /** Whether the forge may have acted on the request all the same. */
  readonly mayHaveArrived: boolean;
  /** Why there was no response. */
  readonly fault: string | undefined;

  constructor(options: ForgeErrorOptions) {
    super(options);
    this.status = options.status;
    this.fault = options.fault;
    this.mayHaveArrived = options.mayHaveArrived ?? false;
  }
}

const LONGEST_REASON = 500;
export const TOKENS = 'GITHUB_TOKEN or GITLAB_TOKEN';

/**
 * The error of an answer that is not a success; `secrets` are those of the request, which a server may quote, and `withheld`
 * says why no token went along.
 */
export function httpRefusal(name: string, answer: HttpAnswer, secrets: Secrets, withheld?: string): ForgeError {
  const { status } = answer;
  const { code, hint: usual } = kindOf(answer);
  const hint = withheld !== undefined && [401, 403, 404].includes(status) ? withheld : usual;
  const reason = secrets.quote(reasonsIn(answer.body).join('\n'), {
    longest: LONGEST_REASON,
    tidy: (text) => text.replaceAll('\n', '; '),
  });
  return new ForgeError({
    ...{ code, hint, status, mayHaveArrived: status >= 500 },
    message: `${name} answered ${status}${reason === '' ? '' : `: ${reason}`}`,
  });
}

/** GitHub has `message` and `errors`, GitLab `message` or `error`, each a text, a list or a mapping. */
function reasonsIn(body: unknown): string[] {
  if (!isJson(body)) return [];
  const { message, error, errors } = body;
  return [message, error, errors].flatMap(textsIn);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isJson(value)) return [];
  if (typeof value['message'] === 'string') return [value['message']];
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner).map((text) => `${key} ${text}`));
}

function kindOf({ status, headers, body }: HttpAnswer): { code: ForgeErrorCode; hint: string } {
  if (status === 429 || (status === 403 && isRateLimit(headers, body)))
    return {
      code: 'FORGE_RATE_LIMITED',
      hint: `wait${untilReset(headers)}, or set ${TOKENS}: requests with a token have a higher rate limit`,
    };
  if (status === 401) return { code: 'FORGE_UNAUTHORIZED', hint: `set ${TOKENS} to a token that has not expired` };
  if (status === 403)
    return { code: 'FORGE_FORBIDDEN', hint: `grant the token in ${TOKENS} permission for this (GitLab: scope api)` };
  if (status === 404)
    return {
      code: 'FORGE_NOT_FOUND',
      hint: `check the URL and the name; private repositories are not found without ${TOKENS}`,
    };
  if (status >= 500) return { code: 'FORGE_UNAVAILABLE', hint: 'try again later; check the status page of the forge' };
  if (status < 400)
    return {
      code: 'FORGE_MOVED',
      hint: 'correct the URL of the repository: it was renamed, or a login page redirects',
    };
  return { code: 'FORGE_REFUSED', hint: 'see the reason: the request is not valid in the current state' };
}

function isRateLimit(headers: HttpAnswer['headers'], body: unknown): boolean {
  return (
    headers.get('x-ratelimit-remaining') === '0' ||
    headers.has('retry-after') ||
    reasonsIn(body).some((text) => /rate limit/i.test(text))
  );
}

function untilReset(headers: HttpAnswer['headers']): string {
  const reset = headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? '';
  const time = /^\d{9,11}$/.test(reset) ? new Date(Number(reset) * 1000) : undefined;
  return time === undefined ? '' : ` until ${time.toISOString()}`;
}

/** The error of a request without a usable answer. */
export function noResponse({ code, message, hint, mayHaveArrived, fault }: HttpFailure): ForgeError {
  return new ForgeError({
    code: code === 'HTTP_UNREACHABLE' ? 'FORGE_UNREACHABLE' : 'FORGE_ANSWER',
    ...{ message, hint, mayHaveArrived, fault: fault?.text },
  });
}

export function readOnly(name: string): ForgeError {
  return new ForgeError({
    code: 'READ_ONLY',
    message: `${name} is a write, and this run is read-only`,
    hint: 'run it again without the dry-run option',
  });
}

export function unexpectedResponse(name: string, detail: string): ForgeError {
  return new ForgeError({
    code: 'FORGE_ANSWER',
    message: `${name} returned an unexpected response: ${detail}`,
    hint: 'check that the URL is that of the forge API, and its version',
  });
}

/** URL of a hosted repository in its parts, without login, `.git` and trailing slashes. */
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
    message: `${shownUrl(text)} is not a valid repository URL`,
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

/** A URL as somebody gave it, fit for a message. */
export function shownUrl(text: string): string {
  return new Secrets().quote(text, { longest: LONGEST_REASON });
}

/** A page that shows what lies between two refs, for a browser. */
export function compareUrl({ origin, path }: RepositoryUrl, page: string, from: string, to: string): string {
  return `${origin}/${path}${page}${inPath(from)}...${inPath(to)}`;
}

function inPath(ref: string): string {
  return encodeURIComponent(ref).replaceAll('%2F', '/');
}

/** Cut to a number of UTF-16 units, with a note of what is missing; an open code block is closed. */
export function limitedBody(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const note = (missing: number): string => `\n\n… ${missing} more characters omitted.\n`;
  const room = limit - note(text.length).length - '\n```'.length;
  const cut = text.slice(0, Math.max(0, room)).replace(/[\ud800-\udbff]$/, '');
  const kept = cut.includes('\n') ? cut.slice(0, cut.lastIndexOf('\n')) : cut;
  const open = (kept.match(/^```/gm)?.length ?? 0) % 2 === 1;
  return `${kept}${open ? '\n```' : ''}${note(text.length - kept.length)}`;
}

/** One line. */
export function limitedTitle(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** GitLab obeys lines such as `/merge` in descriptions and comments: what we quote of others must not be obeyed. */
export function withoutQuickActions(text: string): string {
  return text.replace(/^([ \t]*)\/(?=[a-z_]+(?:\s|$))/gim, '$1\\/');
}

/** The first line of a comment, by which it is found again; invisible when rendered. */
export function markerLine(marker: string): string {
  if (!/^[a-z0-9]+(?:[._-][a-z0-9]+)*$/i.test(marker)) throw new RangeError(`a marker named ${JSON.stringify(marker)}`);
  return `<!-- echelon:${marker} -->`;
}

export interface FoundComment {
  readonly id: number;
  readonly body: string;
}

interface CommentApi {
  /** Our own comments, oldest first. */
  own(): Promise<readonly FoundComment[]>;
  create(body: string): Promise<unknown>;
  update(id: number, body: string): Promise<unknown>;
}

/** The first of our comments with this marker gets the text; without one there is a new comment. */
export async function writeMarked(api: CommentApi, marker: string, text: string): Promise<{ updated: boolean }> {
  const line = markerLine(marker);
  const find = async (): Promise<FoundComment | undefined> =>
    (await api.own()).find(({ body }) => body.startsWith(line));
  const found = await find();
  if (found !== undefined) {
    if (found.body.replaceAll('\r\n', '\n').trimEnd() !== text.trimEnd()) await api.update(found.id, text);
    return { updated: true };
  }
  try {
    await api.create(text);
  } catch (thrown) {
    if (!(thrown instanceof ForgeError) || !thrown.mayHaveArrived || (await find()) === undefined) throw thrown;
  }
  return { updated: false };
}
