import { MAX_DATAFILE_BYTES } from '../oversize.ts';
import { type FileBytes, MAX_HELD_BYTES, readBytes } from './file-bytes.ts';
import { joinPaths, splitPaths } from './joined-paths.ts';

export const DATAFILE: RegExp = /\.(?:ya?ml|json)$/;

/** Datafiles that are read one after the other. */
export interface DataPart extends FileBytes {
  /** Joined. */
  readonly paths: string;
}

const FILES_IN_PART = 64;

/** The same paths are always divided in the same way. */
export function inParts(paths: readonly string[]): string[] {
  const parts: string[] = [];
  for (let start = 0; start < paths.length; start += FILES_IN_PART)
    parts.push(joinPaths(paths.slice(start, start + FILES_IN_PART)));
  return parts;
}

/** Undefined for what cannot be held. */
export function readPart(folder: string, paths: string, isLocal = false): DataPart | undefined {
  const locations = splitPaths(paths).map((path) => folder + path);
  const read = readBytes(locations, { most: MAX_DATAFILE_BYTES, isLocal });
  return read && { paths, ...read };
}

/** All parts; undefined when one of them, or all together, are too much to hold. */
export function readParts(folder: string, parts: readonly string[], isLocal: boolean): DataPart[] | undefined {
  const read: DataPart[] = [];
  let size = 0;
  for (const paths of parts) {
    const part = readPart(folder, paths, isLocal);
    size += part?.bytes.length ?? 0;
    if (part === undefined || size > MAX_HELD_BYTES) return undefined;
    read.push(part);
  }
  return read;
}
