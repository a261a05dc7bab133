import { ApiError, type StatusDetails } from '../status.ts';
import type { Verb } from './route.ts';

export interface FaultMatch {
  readonly method?: string;
  /** Tested against the path without its query. */
  readonly path?: RegExp;
  readonly verb?: Verb;
  /** Plural: `deployments`. */
  readonly resource?: string;
}

/** What goes wrong with a request. */
export type FaultKind =
  | {
      readonly kind: 'status';
      readonly status: number;
      /** Seconds. */
      readonly retryAfter?: number;
      /** The request is carried out, and then answered with the error. */
      readonly after?: boolean;
    }
  /** The connection is closed before anything is done. */
  | { readonly kind: 'hang-up' }
  /** The request is carried out, and then the connection is closed. */
  | { readonly kind: 'hang-up-after' }
  /** No answer until the server is closed. */
  | { readonly kind: 'slow' }
  /** 200 with a body that is no JSON; nothing is done. */
  | { readonly kind: 'garbage' };

export type SimFault = FaultKind & {
  readonly match: FaultMatch;
  /** How many requests it strikes; 1 when left out. */
  readonly times?: number;
};

/** What a fault can be told by. */
export interface Struck {
  readonly method: string;
  readonly path: string;
  readonly verb?: Verb;
  readonly resource?: string;
}

/** The faults that are still to strike, oldest first. */
export class Faults {
  private readonly waiting: { readonly fault: SimFault; left: number }[] = [];

  add(fault: SimFault): void {
    this.waiting.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.waiting.length = 0;
  }

  /** The fault of a request, which is used up by it. */
  take(request: Struck): SimFault | undefined {
    const at = this.waiting.findIndex(({ fault }) => matches(fault.match, request));
    const found = this.waiting[at];
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.waiting.splice(at, 1);
    return found.fault;
  }
}

function matches({ method, path, verb, resource }: FaultMatch, request: Struck): boolean {
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || path.test(request.path)) &&
    (verb === undefined || verb === request.verb) &&
    (resource === undefined || resource === request.resource)
  );
}

const REASONS: Readonly<Record<number, readonly [string, string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'Unauthorized'],
  403: ['Forbidden', 'forbidden: the simulated server refuses this request'],
  404: ['NotFound', 'the server could not find the requested resource'],
  409: ['Conflict', 'the server reported a conflict'],
  410: ['Expired', 'The provided continue parameter is too old to display a consistent list result.'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  500: ['InternalError', 'Internal error occurred: a simulated fault'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within the allotted timeout'],
};

/** The error that a fault answers with. */
export function faultError(status: number, retryAfter: number | undefined): ApiError {
  const [reason, message] = REASONS[status] ?? ['Unknown', `the server responded with the status code ${status}`];
  const details: StatusDetails | undefined = retryAfter === undefined ? undefined : { retryAfterSeconds: retryAfter };
  return new ApiError(status, reason, message, details);
}
