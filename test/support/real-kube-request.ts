import { Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

/** What a response may hold, as far as tests read it. */
export interface KubeBody {
  readonly kind?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly metadata?: KubeMetadata;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>> | string;
  readonly items?: readonly KubeBody[];
  readonly [field: string]: unknown;
}

export interface KubeMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly continue?: string;
  readonly deletionTimestamp?: string;
  readonly managedFields?: readonly KubeManagedFields[];
  readonly [field: string]: unknown;
}

export interface KubeManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly [field: string]: unknown;
}

export interface KubeResponse<Body> {
  readonly status: number;
  readonly body: Body;
}

/** A request as it is: no answer is an error. A body that is no text is sent as JSON. */
export type KubeRequest = <Body = KubeBody>(
  method: string,
  path: string,
  body?: unknown,
  contentType?: string,
) => Promise<KubeResponse<Body>>;

export interface KubeConnection {
  requester(token: string): KubeRequest;
  /** Drops the connections that are kept open. */
  reset(): void;
}

const TIMEOUT_MS = 60_000;
const MAX_SOCKETS = 32;

export function kubeConnection(server: string, ca: () => string): KubeConnection {
  let agent: Agent | undefined;
  const reset = (): void => {
    agent?.destroy();
    agent = undefined;
  };
  function requester(token: string): KubeRequest {
    return async <Body>(method: string, path: string, body?: unknown, contentType = 'application/json') => {
      agent ??= new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, ca: ca() });
      const content = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const headers = {
        ...{ accept: 'application/json', authorization: `Bearer ${token}` },
        ...(content === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(content) }),
      };
      return send<Body>(new URL(path, server), { method, headers, agent, timeout: TIMEOUT_MS }, content);
    };
  }
  return { requester, reset };
}

async function send<Body>(
  url: URL,
  options: Parameters<typeof httpsRequest>[1] & object,
  content: string | undefined,
): Promise<KubeResponse<Body>> {
  const { promise, resolve, reject } = Promise.withResolvers<KubeResponse<Body>>();
  const outgoing = httpsRequest(url, options, (response) => {
    const isJson = response.headers['content-type']?.startsWith('application/json') ?? false;
    text(response).then((answer) => {
      resolve({ status: response.statusCode ?? 0, body: (isJson ? JSON.parse(answer) : answer) as Body });
    }, reject);
  });
  outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer of ${url.href} within ${TIMEOUT_MS / 1000} s`)));
  outgoing.on('error', reject);
  outgoing.end(content);
  return promise;
}
