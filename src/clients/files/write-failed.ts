import { EchelonError, messageOf } from '../../base/index.ts';

export function writeFailed(what: string, hint: string): EchelonError {
  return new EchelonError({ code: 'WRITE_FAILED', message: `${what}. Nothing was changed`, hint });
}

export function notRead(file: string, thrown: unknown): EchelonError {
  return writeFailed(`cannot read ${file}: ${messageOf(thrown)}`, 'check the path and its permissions');
}

export function notWritten(file: string, thrown: unknown): EchelonError {
  return writeFailed(
    `cannot write ${file}: ${messageOf(thrown)}`,
    'check the permissions of its directory and the free disk space',
  );
}
