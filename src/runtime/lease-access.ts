import { EchelonError, messageOf } from '../base/index.ts';
import type { Logger } from './logger.ts';

export type LeaseRequest = 'read' | 'write';

/** Whether the lease can be read and written, as its requests show. */
export interface LeaseAccess {
  failed(request: LeaseRequest, why: unknown): void;
  succeeded(request: LeaseRequest): void;
  /** Whether writing is known to be possible; undefined before the first attempt. */
  mayWrite(): boolean | undefined;
}

/** Called after each request; `problem` is why the lease cannot be read or written, one line, while that lasts. */
export type OnLeaseAccess = (request: LeaseRequest, outcome: 'ok' | 'failed', problem: string | undefined) => void;

/** Logs a series of failures once. A lease that can be read but not written stays a problem until it is written. */
export function leaseAccess(logger: Logger, report: OnLeaseAccess = () => undefined): LeaseAccess {
  let failing: { readonly request: LeaseRequest; readonly problem: string } | undefined;
  let mayWrite: boolean | undefined;
  return {
    mayWrite: () => mayWrite,
    failed: (request, why) => {
      if (failing === undefined) logger.warn('cannot read or write lease', fieldsOf(why));
      if (request === 'write') mayWrite = false;
      if (failing?.request !== 'write' || request === 'write') failing = { request, problem: textOf(why) };
      report(request, 'failed', failing.problem);
    },
    succeeded: (request) => {
      if (request === 'write') mayWrite = true;
      if (failing !== undefined && (failing.request === 'read' || request === 'write')) {
        logger.info('lease access restored');
        failing = undefined;
      }
      report(request, 'ok', failing?.problem);
    },
  };
}

function fieldsOf(why: unknown): Readonly<Record<string, unknown>> {
  return typeof why === 'string' ? { reason: why } : { error: why };
}

function textOf(why: unknown): string {
  const hint = why instanceof EchelonError ? `; ${why.hint}` : '';
  return `${typeof why === 'string' ? why : messageOf(why)}${hint}`.replaceAll(/\s+/g, ' ');
}
