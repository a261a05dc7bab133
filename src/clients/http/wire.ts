export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request as it goes out. */
export interface WireRequest {
  readonly url: URL;
  readonly method: HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Ends it, the reading of the body included. */
  readonly signal: AbortSignal;
  /** Asked again when the connection is there, as late as the wire can: connecting takes time. */
  readonly maySend?: () => boolean;
}

/** What is read of the headers of a response: a part of the runtime's own class, by names in any case. */
export type HttpHeaders = Pick<Headers, 'get' | 'has'> & Iterable<[string, string]>;

export interface WireAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Decoded: what the server compressed is plain here. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends one request and gets the head of its answer. Follows no redirect, retries nothing. */
export type Wire = (request: WireRequest) => Promise<WireAnswer>;

/** The wire of the runtime. It cannot present a client certificate nor trust one authority: see `agentWire`. */
export function fetchWire(send?: typeof fetch): Wire {
  return async ({ url, method, headers, body, signal }) => {
    const init: RequestInit = { method, headers, redirect: 'manual', signal, ...(body === undefined ? {} : { body }) };
    const answer = await (send ?? fetch)(url, init);
    return { status: answer.status, headers: answer.headers, body: answer.body ?? NOTHING };
  };
}

const NOTHING: AsyncIterable<Uint8Array> = (async function* () {})();
