import { humanBytes } from '../base/index.ts';
import type { Severity } from './problem.ts';

/** Datafiles are written by hand; a larger one is a mistake or an attack, and would hold up the manager. */
export const MAX_DATAFILE_BYTES = 1024 * 1024;

export interface FileProblem {
  readonly rule: string;
  readonly severity: Severity;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  readonly hint: string;
}

/** The problem of a file that is too large, known from its size without reading it. */
export function oversize(bytes: number): FileProblem | undefined {
  if (bytes <= MAX_DATAFILE_BYTES) return undefined;
  return {
    rule: 'file-too-large',
    severity: 'error',
    message: `the file has ${humanBytes(bytes)}; the limit for a datafile is ${humanBytes(MAX_DATAFILE_BYTES)}`,
    hint: TOO_LARGE,
  };
}

export const TOO_LARGE = 'split it, or move it below resources/ if it is not data';
