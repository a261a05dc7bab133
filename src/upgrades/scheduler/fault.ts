import { EchelonError, messageOf } from '../../base/index.ts';

/** What went wrong on our side or that of OCM. For operators; users are never told. */
export interface Fault {
  readonly code: string;
  /** Names the endpoint, the cluster or the key. */
  readonly message: string;
  readonly hint: string;
}

export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof EchelonError) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
  return {
    code: 'INTERNAL',
    message: messageOf(thrown),
    hint: 'this is a fault of Echelon: report it with the version of Echelon',
  };
}

/** The same fault, with what it was about in front. */
export function about(what: string, fault: Fault): Fault {
  return { ...fault, message: `${what}: ${fault.message}` };
}
