import { EchelonError, type Secrets } from '../../base/index.ts';
import { type StateErrorCode, stateError } from './state-error.ts';

interface Fault {
  readonly name: string;
  readonly code: string;
  readonly status: number | undefined;
}

function faultOf(thrown: unknown): Fault {
  const { name, code, $metadata } = (thrown ?? {}) as {
    name?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  return { name: String(name ?? ''), code: String(code ?? ''), status: $metadata?.httpStatusCode };
}

/** Whether it is what a server said. */
export function isAnswered(thrown: unknown): boolean {
  return faultOf(thrown).status !== undefined;
}

export function isMissing(thrown: unknown): boolean {
  return faultOf(thrown).name === 'NoSuchKey';
}

/** The condition of a write does not hold: another value, none any more, or another writer at the same moment. */
export function isUnmet(thrown: unknown): boolean {
  const { name, status } = faultOf(thrown);
  return status === 412 || name === 'ConditionalRequestConflict' || name === 'NoSuchKey';
}

const UNREACHABLE = /^(?:ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT)/;
const REFUSED = /AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|Forbidden/;

const LONGEST_NAME = 100;

/** Told with its name only, which the server gave it: what the library throws has the request in it. */
export function s3Error(
  action: string,
  what: string,
  thrown: unknown,
  { signal, secrets }: { readonly signal: AbortSignal; readonly secrets: Secrets },
): unknown {
  if (thrown instanceof EchelonError) return thrown;
  const fault = faultOf(thrown);
  if (signal.aborted || (fault.name === 'TimeoutError' && fault.code === ''))
    return failed(action, what, 'timed out', 'STATE_UNREACHABLE', 'check the endpoint and the network');
  const { code, hint } = kindOf(fault);
  const status = fault.status === undefined ? '' : ` (${fault.status})`;
  const name = secrets.quote(fault.code || fault.name || 'failed', { longest: LONGEST_NAME });
  return failed(action, what, `${name}${status}`, code, hint);
}

function kindOf({ name, code, status }: Fault): { code: StateErrorCode; hint: string } {
  if (UNREACHABLE.test(code)) return { code: 'STATE_UNREACHABLE', hint: 'check the endpoint and the network' };
  if (name === 'NoSuchBucket') return { code: 'STATE_NO_BUCKET', hint: 'create the bucket, or correct its name' };
  if (name === 'CredentialsProviderError')
    return {
      code: 'STATE_NO_CREDENTIALS',
      hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role',
    };
  if (REFUSED.test(name) || status === 401 || status === 403)
    return { code: 'STATE_FORBIDDEN', hint: 'check the credentials and that they allow read, write and list' };
  return { code: 'STATE_FAILED', hint: 'check the bucket, the region and the endpoint' };
}

function failed(action: string, what: string, why: string, code: StateErrorCode, hint: string): EchelonError {
  return stateError(code, `cannot ${action} ${what}: ${why}`, hint);
}
