import { humanBytes, messageOf } from '../../base/index.ts';
import { HttpFailure } from './http-failure.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request as it was sent, for counting. */
export interface HttpAttempt {
  /** 1 for the first. */
  readonly attempt: number;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly seconds: number;
}

export interface Sending {
  /** `GET https://host/path`: how messages name the request. No query, no login. */
  readonly name: string;
  readonly url: URL;
  readonly init: RequestInit;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

export type RoundTrip =
  | { readonly status: number; readonly retryAfter: string | null; readonly headers: Headers; readonly text: string }
  | { readonly fault: string; readonly mayHaveArrived: boolean };

/** Faults of making a connection: the server has not seen anything of the request. */
const NEVER_ARRIVED = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
]);

/** Sends once and reads the whole answer, within the limits. Rejects with the reason of the caller's signal. */
export async function roundTrip(sending: Sending): Promise<RoundTrip> {
  const timeout = AbortSignal.timeout(sending.timeoutMs);
  const signal = sending.signal === undefined ? timeout : AbortSignal.any([timeout, sending.signal]);
  try {
    const response = await fetch(sending.url, { ...sending.init, redirect: 'manual', signal });
    const text = await limitedText(sending, response);
    const { status, headers } = response;
    return { status, headers, retryAfter: headers.get('retry-after'), text };
  } catch (thrown) {
    if (thrown instanceof HttpFailure) throw thrown;
    if (sending.signal?.aborted) throw sending.signal.reason;
    if (timeout.aborted) return { fault: `no answer within ${sending.timeoutMs / 1000} s`, mayHaveArrived: true };
    const { code, message } = causeOf(thrown);
    return { fault: message, mayHaveArrived: !NEVER_ARRIVED.has(code) };
  }
}

async function limitedText({ name, maxBytes }: Sending, response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) throw tooLarge(name, maxBytes);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function tooLarge(name: string, maxBytes: number): HttpFailure {
  return new HttpFailure({
    code: 'HTTP_ANSWER_TOO_LARGE',
    message: `${name} answered with more than ${humanBytes(maxBytes)}`,
    hint: 'check that the address is that of the API',
    mayHaveArrived: true,
  });
}

/** The runtime wraps what happened; an attempt on several addresses has an empty message and a code. */
function causeOf(thrown: unknown): { code: string; message: string } {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const code = String((cause as { code?: unknown } | null)?.code ?? '');
  return { code, message: messageOf(cause) || code || 'the connection failed' };
}
