import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../../base/index.ts';
import { isOpen, isOwn } from './private-folder.ts';

/** Files kept; the ones not used for the longest time go first. */
const MAX_FILES = 500;

export interface CacheLimits {
  /** Of all files together; never more than half of the file system. */
  readonly bytes: number;
  /** Since the last use. */
  readonly days: number;
}

/** Values by key. A cache may lose anything at any time. */
export interface FileCache {
  get(key: string): unknown;
  set(key: string, value: object): void;
}

/**
 * JSON values by key, a file each: an unreadable file, or one that somebody else wrote, is as good as none, and a folder that
 * cannot be written to is no error. Values are written beside their place and moved there. A value has a hash of key and text before
 * it, so that neither half a value nor that of another key is returned.
 */
export function fileCache(folder: string, limits?: CacheLimits): FileCache {
  const read = (name: string): Buffer | undefined => {
    try {
      return ownBytes(join(folder, name));
    } catch {
      return undefined;
    }
  };
  const write = (name: string, content: string): void => {
    const unfinished = join(folder, `${name}.${process.pid}`);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(unfinished, content, { mode: 0o600 });
      renameSync(unfinished, join(folder, name));
      forgetOldest(folder, limits);
    } catch {
      // Without a cache everything still works.
      remove(unfinished);
    }
  };
  return {
    get: (key) => unsealed(key, read(`${key}.json`)?.toString('utf8')),
    set: (key, value) => write(`${key}.json`, sealed(key, JSON.stringify(value))),
  };
}

const HASH_DIGITS = 64;

function sealed(key: string, text: string): string {
  return `${hashOf(key, text)}\n${text}`;
}

function unsealed(key: string, content: string | undefined): unknown {
  const text = content?.slice(HASH_DIGITS + 1) ?? '';
  return content?.startsWith(`${hashOf(key, text)}\n`) === true ? JSON.parse(text) : undefined;
}

function hashOf(key: string, text: string): string {
  return sha256Of(`${key}\n${text}`);
}

/** Undefined if somebody else could have written the file. */
function ownBytes(location: string): Buffer | undefined {
  const file = openSync(location, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const found = fstatSync(file);
    if (!isOwn(found) || isOpen(found)) return undefined;
    markUsed(file);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** A file's time is that of its last use; in a folder that cannot be written to nothing is forgotten anyway. */
function markUsed(file: number): void {
  try {
    const now = new Date();
    futimesSync(file, now, now);
  } catch {
    // See above.
  }
}

/** On a full disk, what could not be written whole would take what is left of it. */
function remove(location: string): void {
  try {
    rmSync(location, { force: true });
  } catch {
    // Where nothing can be written, nothing was.
  }
}

function forgetOldest(folder: string, limits: CacheLimits | undefined): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  if (files.length <= MAX_FILES && limits === undefined) return;
  const newestFirst = files.map((file) => ({ file, ...used(file) })).sort((a, b) => b.time - a.time);
  const oldest = limits === undefined ? 0 : Date.now() - limits.days * DAY_MS;
  const maxBytes = Math.min(limits?.bytes ?? Number.POSITIVE_INFINITY, halfOfFileSystem(folder));
  let bytes = 0;
  for (const [index, { file, time, size }] of newestFirst.entries()) {
    bytes += size;
    const fits = index < MAX_FILES && bytes <= maxBytes && time >= oldest;
    if (!fits) rmSync(file, { force: true });
  }
}

/** Some file systems do not say how large they are. */
function halfOfFileSystem(folder: string): number {
  const { blocks, bsize } = statfsSync(folder);
  return (blocks * bsize) / 2 || Number.POSITIVE_INFINITY;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A file that another process removed meanwhile takes no space. */
function used(file: string): { time: number; size: number } {
  const found = statSync(file, { throwIfNoEntry: false });
  return { time: found?.mtimeMs ?? 0, size: found?.size ?? 0 };
}
