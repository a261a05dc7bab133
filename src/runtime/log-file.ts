import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { EchelonError, messageOf } from '../base/index.ts';

/** A log shipper tails the file; at this size it is truncated, so that it never fills the pod's volume. */
const LARGEST_FILE = 50 * 1024 * 1024;

export interface LogFile {
  /** Never throws: a full disk must not stop the work. Returns the error, once per series of failures. */
  write(line: string): string | undefined;
  /** Later writes are discarded. */
  close(): void;
}

/** Opens LOG_FILE for appending. */
export function openLogFile(path: string, largest = LARGEST_FILE): LogFile {
  const file = open(path);
  let size = regularSize(file);
  let failed = false;
  let closed = false;
  const append = (line: string): void => {
    const bytes = Buffer.byteLength(line);
    if (size !== undefined && size + bytes > largest) {
      ftruncateSync(file, 0);
      size = 0;
    }
    writeSync(file, line);
    if (size !== undefined) size += bytes;
  };
  return {
    write: (line) => {
      try {
        if (!closed) append(line);
        failed = false;
        return undefined;
      } catch (thrown) {
        const first = !failed;
        failed = true;
        return first ? `${path}: ${messageOf(thrown)}` : undefined;
      }
    },
    close: () => {
      if (!closed) closeSync(file);
      closed = true;
    },
  };
}

function open(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (cause) {
    throw new EchelonError({
      code: 'LOG_FILE_UNWRITABLE',
      message: `cannot write to the log file ${path}: ${messageOf(cause)}`,
      hint: 'set LOG_FILE to a path in an existing, writable folder, or unset it',
      cause,
    });
  }
}

/** Undefined for anything without a size, such as a pipe or a terminal. */
function regularSize(file: number): number | undefined {
  const about = fstatSync(file);
  return about.isFile() ? about.size : undefined;
}
