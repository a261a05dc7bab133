import type { SeenRequest } from './local-http.ts';

/** Which requests a fault strikes: those that fit everything given. */
export interface Match {
  /** `PATCH`, or several. */
  readonly method?: string | readonly string[];
  /** Tested against the path without its query. */
  readonly path?: RegExp;
  readonly where?: (request: SeenRequest) => boolean;
  /** The first of the fitting requests that is struck, counted from 1; 1 when left out. */
  readonly nth?: number;
  /** How many of them are struck from there on; 1 when left out. */
  readonly times?: number;
}

/** An answer instead of the server's, which never sees the request. */
export interface FailedAnswer {
  readonly status: number;
  /** Such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  /** Plain text instead of a Status, such as the log of a pod. */
  readonly text?: string;
}

/**
 * `reset`: the connection is reset, and the server never sees the request. `lost response`: the server carries the request out,
 * then the connection is reset.
 */
export type Fault = 'reset' | 'lost response' | FailedAnswer;

export const WRITES: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Tells of one request after the other whether it is struck. Every fitting request counts, struck or not. */
export function striking(match: Match): (request: SeenRequest) => boolean {
  const { nth = 1, times = 1 } = match;
  let fitting = 0;
  return (request) => {
    if (!fits(match, request)) return false;
    fitting += 1;
    return fitting >= nth && fitting < nth + times;
  };
}

function fits({ method, path, where }: Match, request: SeenRequest): boolean {
  const methods = typeof method === 'string' ? [method] : method;
  return (
    (methods?.includes(request.method) ?? true) && (path?.test(request.path) ?? true) && (where?.(request) ?? true)
  );
}
