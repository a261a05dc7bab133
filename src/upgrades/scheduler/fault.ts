import { EchelonError, messageOf } from '../../base/index.ts';

/** An error of Echelon or OCM. For operators; users are never notified. */
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
    hint: 'this is a bug in Echelon: report it with the version of Echelon',
  };
}

/** OCM has it no more: it was deleted since it was listed. */
export function isGone(thrown: unknown): boolean {
  return thrown instanceof EchelonError && thrown.code === GONE;
}

/** The code of the error that an implementation of `UpgradeApi` throws for a 404. */
const GONE = 'OCM_NOT_FOUND';

/** The same fault, prefixed with its subject. */
export function about(what: string, fault: Fault): Fault {
  return { ...fault, message: `${what}: ${fault.message}` };
}
