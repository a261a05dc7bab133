export { type Connections, connectionsTo, environmentAgent, NOT_CONNECTED, proxyAuthorization } from './connections.ts';
export { type HttpAnswer, type HttpClient, type HttpStream, type HttpText, httpClient } from './http-client.ts';
export { HttpFailure } from './http-error.ts';
export { type ProxyEnv, type ProxyServer, proxyFor } from './proxy.ts';
export {
  fixedHostToken,
  type HostToken,
  type HttpAttempt,
  type HttpRequest,
  type Redirects,
  type WritePermit,
} from './request.ts';
export { type Backoff, type HttpClock, pauseBefore, type RetryPolicy, systemHttpClock, type Tried } from './retry.ts';
export { agentWire, CONNECT_MS, type HttpMethod } from './wire.ts';
