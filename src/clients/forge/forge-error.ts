import { EchelonError, type EchelonErrorOptions, isJson, type Secrets } from '../../base/index.ts';
import type { HttpAnswer, HttpFailure } from '../http/index.ts';

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
  | 'READ_ONLY';

interface ForgeErrorOptions extends Omit<EchelonErrorOptions, 'code' | 'cause'> {
  readonly code: ForgeErrorCode;
  /** Of the answer, where there was one. */
  readonly status?: number;
  readonly mayHaveArrived?: boolean;
}

/** What went wrong with one request to a forge. It has no cause: what is below may quote a header. */
export class ForgeError extends EchelonError {
  override readonly name = 'ForgeError';
  readonly status: number | undefined;
  /** Whether the forge may have acted on the request all the same. */
  readonly mayHaveArrived: boolean;

  constructor(options: ForgeErrorOptions) {
    super(options);
    this.status = options.status;
    this.mayHaveArrived = options.mayHaveArrived ?? false;
  }
}

const LONGEST_REASON = 500;
const TOKENS = 'GITHUB_TOKEN or GITLAB_TOKEN';

/**
 * The error of an answer that is not a success; `secrets` are those of the request, which a server may quote, and `withheld`
 * says why no token went along.
 */
export function refused(name: string, answer: HttpAnswer, secrets: Secrets, withheld?: string): ForgeError {
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
export function unanswered({ code, message, hint, mayHaveArrived }: HttpFailure): ForgeError {
  return new ForgeError({
    code: code === 'HTTP_UNREACHABLE' ? 'FORGE_UNREACHABLE' : 'FORGE_ANSWER',
    ...{ message, hint, mayHaveArrived },
  });
}

export function readOnly(name: string): ForgeError {
  return new ForgeError({
    code: 'READ_ONLY',
    message: `${name} is a write, and this run is read-only`,
    hint: 'run it again without the dry-run option',
  });
}

export function strangeAnswer(name: string, detail: string): ForgeError {
  return new ForgeError({
    code: 'FORGE_ANSWER',
    message: `${name} returned an unexpected response: ${detail}`,
    hint: 'check that the URL is that of the forge API, and its version',
  });
}
