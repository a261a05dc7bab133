import { ApiError } from '../status.ts';

/** Answers requests with an error instead of carrying them out. */
export interface SimFault {
  /** Tested against the path without its query. */
  readonly path: RegExp;
  /** Only requests with this method; all when left out. */
  readonly method?: string;
  /** Only watches. */
  readonly watch?: true;
  readonly status: number;
  /** How many requests it strikes; 1 when left out. */
  readonly times?: number;
}

/** The faults that are still to strike, oldest first. */
export class Faults {
  private readonly waiting: { readonly fault: SimFault; left: number }[] = [];

  add(fault: SimFault): void {
    this.waiting.push({ fault, left: fault.times ?? 1 });
  }

  /** The error that answers a request, if a fault strikes it. */
  take(path: string, method: string | undefined, isWatch = false): ApiError | undefined {
    const at = this.waiting.findIndex(
      ({ fault }) =>
        fault.path.test(path) &&
        (fault.method === undefined || fault.method === method) &&
        (fault.watch === undefined || isWatch),
    );
    const found = this.waiting[at];
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.waiting.splice(at, 1);
    return faultError(found.fault.status);
  }
}

const REASONS: Readonly<Record<number, readonly [string, string]>> = {
  403: ['Forbidden', 'forbidden: the simulated server refuses this request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  500: ['InternalError', 'Internal error occurred: a simulated fault'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
};

function faultError(status: number): ApiError {
  const [reason, message] = REASONS[status] ?? ['Unknown', `the server responded with the status code ${status}`];
  return new ApiError(status, reason, message);
}
