export { HttpFailure, type HttpFailureOptions } from './http-failure.ts';
export { type Limiter, limiter } from './limiter.ts';
export { type HttpAnswer, type HttpRequest, type RequestBody, requestJson } from './request-json.ts';
export { type HttpClock, pauseBefore, type RetryPolicy, retryAfterMs, systemClock } from './retry.ts';
export type { HttpAttempt, HttpMethod } from './round-trip.ts';
