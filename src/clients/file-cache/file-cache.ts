import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files kept; the ones not used for the longest time go first. */
const MAX_FILES = 500;

export interface CacheLimits {
  /** Of all files together. */
  readonly bytes: number;
  /** Since the last use. */
  readonly days: number;
}

/** Values by key. A cache may lose anything at any time. */
export interface FileCache {
  get(key: string): unknown;
  set(key: string, value: object): void;
  getBytes(key: string): Buffer | undefined;
  setBytes(key: string, bytes: Buffer): void;
}

/**
 * JSON values or bytes by key, a file each: an unreadable file is as good as none, and a folder that cannot be written to is
 * no error. Values are written beside their place and moved there.
 */
export function fileCache(folder: string, limits?: CacheLimits): FileCache {
  const read = (name: string): Buffer | undefined => {
    try {
      const bytes = readFileSync(join(folder, name));
      markUsed(join(folder, name));
      return bytes;
    } catch {
      return undefined;
    }
  };
  const write = (name: string, content: string | Buffer): void => {
    const unfinished = join(folder, `${name}.${process.pid}`);
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(unfinished, content, { mode: 0o600 });
      renameSync(unfinished, join(folder, name));
      forgetOldest(folder, limits);
    } catch {
      // Without a cache everything still works.
      remove(unfinished);
    }
  };
  return {
    get: (key) => parsed(read(`${key}.json`)),
    set: (key, value) => write(`${key}.json`, JSON.stringify(value)),
    getBytes: (key) => read(`${key}.bin`),
    setBytes: (key, bytes) => write(`${key}.bin`, bytes),
  };
}

function parsed(bytes: Buffer | undefined): unknown {
  try {
    return bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A file's time is that of its last use; in a folder that cannot be written to nothing is forgotten anyway. */
function markUsed(location: string): void {
  try {
    const now = new Date();
    utimesSync(location, now, now);
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
  let bytes = 0;
  for (const [index, { file, time, size }] of newestFirst.entries()) {
    bytes += size;
    const fits = index < MAX_FILES && bytes <= (limits?.bytes ?? Number.POSITIVE_INFINITY) && time >= oldest;
    if (!fits) rmSync(file, { force: true });
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A file that another process removed meanwhile takes no space. */
function used(file: string): { time: number; size: number } {
  const found = statSync(file, { throwIfNoEntry: false });
  return { time: found?.mtimeMs ?? 0, size: found?.size ?? 0 };
}
