import { EchelonError, humanBytes, shortened } from '../../base/index.ts';

export const MAX_STATE_BYTES = 64 * 1024 * 1024;

export type StateErrorCode =
  | 'STATE_KEY_INVALID'
  | 'STATE_KEY_CONFLICT'
  | 'STATE_TOO_LARGE'
  | 'STATE_LOCKED'
  | 'STATE_FORBIDDEN'
  | 'STATE_FULL'
  | 'STATE_FAILED'
  | 'STATE_UNREACHABLE'
  | 'STATE_NO_BUCKET'
  | 'STATE_NO_CREDENTIALS'
  | 'STATE_NO_CONDITIONAL_WRITES';

/** It has no cause: what a library throws may hold a request with its signature. */
export function stateError(code: StateErrorCode, message: string, hint: string): EchelonError {
  return new EchelonError({ code, message, hint });
}

export function checkSize(where: string, bytes: number): void {
  if (bytes <= MAX_STATE_BYTES) return;
  const hint = 'check that this is the state of Echelon';
  throw stateError('STATE_TOO_LARGE', `${where} has more than ${humanBytes(MAX_STATE_BYTES)}`, hint);
}

const LONGEST_KEY_BYTES = 900;
const LONGEST_SEGMENT_BYTES = 255;

/** A key that is safe as a path: no way up, no hidden file, nothing that another system takes for a separator. */
export function checkKey(key: string): void {
  const sound = Buffer.byteLength(key) <= LONGEST_KEY_BYTES && key.isWellFormed() && key.split('/').every(isSegment);
  if (sound) return;
  const shown = JSON.stringify(shortened(key));
  const hint = 'use names separated by single slashes, none of which starts with a dot';
  throw stateError('STATE_KEY_INVALID', `${shown} is not a valid state key`, hint);
}

function isSegment(segment: string): boolean {
  if (segment === '' || segment.startsWith('.')) return false;
  return !/[\\\p{Cc}]/u.test(segment) && Buffer.byteLength(segment) <= LONGEST_SEGMENT_BYTES;
}
