import { closeSync, constants, openSync, readSync } from 'node:fs';

/** What is held of an instance at once; a larger one is read file by file. */
export const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** A pipe that took the place of a file is empty instead of waiting for a writer. */
const AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK;
const FIRST_BYTES = 128 * 1024;

/** The bytes of files, one after the other, and how many are of each. */
export interface FileBytes {
  readonly bytes: Buffer;
  readonly sizes: readonly number[];
}

interface ReadOptions {
  /** The size beyond which a file is not read on. */
  readonly most?: number;
  /** Whether a read that gives less than it was asked for has come to the end, as in every file system of the machine itself. */
  readonly isLocal?: boolean;
}

/** Undefined for what cannot be read or is too large. */
export function readBytes(locations: readonly string[], options: ReadOptions = {}): FileBytes | undefined {
  let buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  const sizes: number[] = [];
  let end = 0;
  for (const location of locations) {
    let read = readInto(buffer, end, location, options);
    while (read === 'full' && buffer.length < MAX_HELD_BYTES) {
      buffer = grown(buffer, end);
      read = readInto(buffer, end, location, options);
    }
    if (typeof read !== 'number') return undefined;
    end += read;
    sizes.push(read);
  }
  return { bytes: buffer.subarray(0, end), sizes };
}

function grown(buffer: Buffer, end: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(buffer.length * 2);
  buffer.copy(larger, 0, 0, end);
  return larger;
}

/** The number of bytes that a file has, or why they are not in the buffer. */
function readInto(
  buffer: Buffer,
  start: number,
  location: string,
  { most = MAX_HELD_BYTES, isLocal = false }: ReadOptions,
): number | 'full' | 'unreadable' {
  let file: number | undefined;
  try {
    file = openSync(location, AT_ONCE);
    let end = start;
    while (end < buffer.length) {
      const asked = buffer.length - end;
      const more = readSync(file, buffer, end, asked, null);
      end += more;
      if (end - start > most) return 'unreadable';
      if (more === 0 || (isLocal && more < asked)) return end - start;
    }
    return 'full';
  } catch {
    return 'unreadable';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
