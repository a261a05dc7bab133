import { MAX_DATAFILE_BYTES } from '../oversize.ts';
import { type FileBytes, readBytes } from './file-bytes.ts';
import { joinPaths, splitPaths } from './joined-paths.ts';

export const DATAFILE: RegExp = /\.(?:ya?ml|json)$/;

/** Datafiles that are read one after the other by one thread. */
export interface DataPart extends FileBytes {
  /** Joined. */
  readonly paths: string;
}

export const FILES_IN_PART = 64;

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
