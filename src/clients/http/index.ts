export { agentWire, NOT_CONNECTED } from './agent-wire.ts';
export { type Exchanged, exchange, type HttpFault, type HttpReply } from './exchange.ts';
export { fixedHostToken, type HostToken, refuseClearText } from './host-token.ts';
export { type HttpAnswer, type HttpClient, type HttpText, httpClient } from './http-client.ts';
export { HttpFailure, type HttpFailureOptions } from './http-failure.ts';
export { type Limiter, limiter } from './limiter.ts';
export type { HttpAttempt, HttpClientOptions, HttpRequest } from './planned-request.ts';
export type { Redirects } from './redirects.ts';
export {
  type Backoff,
  type HttpClock,
  pauseBefore,
  type RetryPolicy,
  retryAfterMs,
  retrying,
  systemHttpClock,
  type Tried,
} from './retry.ts';
export { fetchWire, type HttpMethod, type Wire } from './wire.ts';
