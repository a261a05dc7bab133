export { agentWire, CONNECT_MS, NOT_CONNECTED } from './agent-wire.ts';
export { fixedHostToken, type HostToken } from './host-token.ts';
export { type HttpAnswer, type HttpClient, type HttpText, httpClient } from './http-client.ts';
export { HttpFailure } from './http-failure.ts';
export type { HttpAttempt, HttpRequest, WritePermit } from './planned-request.ts';
export type { Redirects } from './redirects.ts';
export { type Backoff, type HttpClock, pauseBefore, type RetryPolicy, systemHttpClock, type Tried } from './retry.ts';
export type { HttpStream } from './stream.ts';
export { fetchWire, type HttpMethod } from './wire.ts';
