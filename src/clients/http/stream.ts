import { EchelonError } from '../../base/index.ts';
import { causeOf } from './exchange.ts';
import { refuseClearText } from './host-token.ts';
import { HttpFailure } from './http-failure.ts';
import { limitedText } from './limited-body.ts';
import { checkedHeaders, type PlannedRequest } from './planned-request.ts';

/** A response whose body comes bit by bit, as long as the server likes. */
export type HttpStream =
  | { readonly status: 200; readonly parts: AsyncIterable<Uint8Array> }
  | { readonly status: number; readonly text: string };

/**
 * Sends once and returns with the head of the response, which must come within the time limit. The body ends with the
 * signal. Nothing is retried but a token that is refused, no redirect is followed.
 */
export async function openStream(planned: PlannedRequest): Promise<HttpStream> {
  const { token } = planned;
  const first = await once(planned, (await token?.headers()) ?? {});
  return first.status === 401 && token?.renewed !== undefined ? once(planned, await token.renewed()) : first;
}

async function once(planned: PlannedRequest, secret: Readonly<Record<string, string>>): Promise<HttpStream> {
  const { name, url, method, limits, signal, wire } = planned;
  if (Object.keys(secret).length > 0) refuseClearText(name, url);
  signal?.throwIfAborted();
  const ended = new AbortController();
  signal?.addEventListener('abort', () => ended.abort(signal.reason), { once: true });
  const timer = setTimeout(() => ended.abort(new Error('no response in time')), limits.timeoutMs);
  let status = 0;
  try {
    const headers = { ...planned.headers, ...checkedHeaders(secret) };
    const answer = await wire({ url, method, headers, body: undefined, signal: ended.signal });
    status = answer.status;
    if (status === 200) return { status: 200, parts: answer.body };
    return { status, text: (await limitedText(answer.body, limits.maxBytes)) ?? '' };
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    signal?.throwIfAborted();
    throw unopened(name, thrown);
  } finally {
    clearTimeout(timer);
    planned.onAttempt({ attempt: 1, status, seconds: 0 });
  }
}

function unopened(name: string, thrown: unknown): HttpFailure {
  const { code, message: text } = causeOf(thrown);
  return new HttpFailure({
    code: 'HTTP_UNREACHABLE',
    message: `${name}: no response: ${text}`,
    hint: 'check the URL and the network',
    ...{ mayHaveArrived: true, fault: { code, text } },
  });
}
