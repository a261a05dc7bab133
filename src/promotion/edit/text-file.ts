import { defined, EchelonError } from '../../base/index.ts';

/** Larger files are not edited by hand. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The text of a file, a byte order mark included: encoding it again gives the same bytes. */
export function decode(file: string, bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES) {
    throw editError('EDIT_TOO_LARGE', `${file} has more than ${MAX_BYTES} bytes`, 'use a smaller file');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw editError('EDIT_NOT_UTF8', `${file} is not UTF-8 text`, 'save it as UTF-8; nothing was changed', cause);
  }
}

/** A replaced part of a text. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Splices must not overlap; two insertions at one offset keep their order. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let result = '';
  let done = 0;
  for (const { start, end, text: by } of splices.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < done) throw new Error(`splices overlap at ${start}`);
    result += text.slice(done, start) + by;
    done = end;
  }
  return result + text.slice(done);
}

/** Returns the original bytes if the text is unchanged. */
export function encode(text: string, before: string, bytes: Uint8Array): Uint8Array {
  return text === before ? bytes : new TextEncoder().encode(text);
}

export function editError(code: string, message: string, hint: string, cause?: unknown): EchelonError {
  return new EchelonError({ code, message, hint, ...defined({ cause }) });
}
