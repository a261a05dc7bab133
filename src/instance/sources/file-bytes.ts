import { closeSync, openSync, readSync } from 'node:fs';

/** What is held of an instance at once; a larger one is read file by file. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const FIRST_BYTES = 1024 * 1024;

/** The bytes of files, one after the other, and how many are of each. */
export interface FileBytes {
  readonly bytes: Buffer;
  readonly sizes: readonly number[];
}

/**
 * Undefined for what cannot be read or is too large.
 *
 * @param most the size beyond which a file is not read on.
 */
export function readBytes(locations: readonly string[], most: number = MAX_HELD_BYTES): FileBytes | undefined {
  let buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  const sizes: number[] = [];
  let end = 0;
  for (const location of locations) {
    let read = readInto(buffer, end, location, most);
    while (read === 'full' && buffer.length < MAX_HELD_BYTES) {
      buffer = grown(buffer, end);
      read = readInto(buffer, end, location, most);
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
function readInto(buffer: Buffer, start: number, location: string, most: number): number | 'full' | 'unreadable' {
  let file: number | undefined;
  try {
    file = openSync(location, 'r');
    let end = start;
    while (end < buffer.length) {
      const more = readSync(file, buffer, end, buffer.length - end, null);
      if (more === 0) return end - start;
      end += more;
      if (end - start > most) return 'unreadable';
    }
    return 'full';
  } catch {
    return 'unreadable';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
