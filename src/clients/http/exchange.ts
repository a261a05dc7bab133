import { humanBytes, messageOf } from '../../base/index.ts';
import { NOT_CONNECTED, NOT_SENT } from './agent-wire.ts';
import { HttpFailure } from './http-failure.ts';
import { limitedText } from './limited-body.ts';
import type { HttpHeaders, Wire, WireRequest } from './wire.ts';

interface Sending extends Omit<WireRequest, 'signal'> {
  readonly wire: Wire;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly headers: HttpHeaders;
  readonly text: string;
}

/** Why there was no response. */
export interface HttpFault {
  readonly fault: string;
  /** `ECONNREFUSED`, or the name of what was thrown where it has no code. */
  readonly code: string;
  readonly mayHaveArrived: boolean;
}

export type Exchanged = HttpReply | HttpFault;

/** Faults while connecting: the server has seen nothing of the request. */
const NEVER_ARRIVED = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', NOT_CONNECTED, NOT_SENT],
]);

const TIMED_OUT = new Error('no response in time');

/**
 * Sends once and reads the whole response, within the limits. Rejects with the reason of the caller's signal. Timer and
 * listener end with the request: those of `AbortSignal.timeout` and `any` would stay until the time limit has passed.
 */
export async function exchange({ wire, timeoutMs, maxBytes, signal: stop, ...request }: Sending): Promise<Exchanged> {
  stop?.throwIfAborted();
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(TIMED_OUT), timeoutMs);
  const stopped = (): void => ended.abort(stop?.reason);
  stop?.addEventListener('abort', stopped);
  try {
    const { status, headers, body } = await wire({ ...request, signal: ended.signal });
    const text = await limitedText(body, maxBytes);
    if (text === undefined) throw tooLarge(nameOf(request), maxBytes);
    return { status, headers, retryAfter: headers.get('retry-after'), text };
  } catch (thrown) {
    if (thrown instanceof HttpFailure) throw thrown;
    if (stop?.aborted) throw stop.reason;
    if (ended.signal.aborted) return timedOut(timeoutMs);
    const { code, message } = causeOf(thrown);
    return { fault: message, code, mayHaveArrived: !NEVER_ARRIVED.has(code) };
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', stopped);
  }
}

/** `GET https://host/path`: how messages name a request. No query, no login. */
export function nameOf({ method, url }: Pick<Sending, 'method' | 'url'>): string {
  return `${method} ${url.origin}${url.pathname}`;
}

function timedOut(timeoutMs: number): HttpFault {
  return { fault: `no response within ${timeoutMs / 1000} s`, code: 'TimeoutError', mayHaveArrived: true };
}

function tooLarge(name: string, maxBytes: number): HttpFailure {
  return new HttpFailure({
    code: 'HTTP_ANSWER_TOO_LARGE',
    message: `${name}: response larger than ${humanBytes(maxBytes)}`,
    hint: 'check that the URL is that of the API',
    mayHaveArrived: true,
  });
}

/** The runtime wraps what happened; an attempt on several addresses has an empty message and a code. */
export function causeOf(thrown: unknown): { code: string; message: string } {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const code = String((cause as { code?: unknown } | null)?.code ?? '');
  const name = cause instanceof Error ? cause.name : 'no answer';
  return {
    code: /^[A-Z]/.test(code) ? code : name,
    message: messageOf(cause) || code || 'the connection failed',
  };
}
