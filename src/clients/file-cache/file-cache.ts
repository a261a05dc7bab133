import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files kept; the ones not used for the longest time go first. */
const MAX_FILES = 500;

/**
 * JSON values by key, a file each. A cache may lose anything at any time: an unreadable file is as good as none, and a
 * folder that cannot be written to is no error. Values are written beside their place and moved there.
 */
export function fileCache(folder: string): { get(key: string): unknown; set(key: string, value: object): void } {
  const locationOf = (key: string): string => join(folder, `${key}.json`);
  return {
    get: (key) => {
      try {
        const value: unknown = JSON.parse(readFileSync(locationOf(key), 'utf8'));
        markUsed(locationOf(key));
        return value;
      } catch {
        return undefined;
      }
    },
    set: (key, value) => {
      try {
        mkdirSync(folder, { recursive: true });
        const unfinished = `${locationOf(key)}.${process.pid}`;
        writeFileSync(unfinished, JSON.stringify(value), { mode: 0o600 });
        renameSync(unfinished, locationOf(key));
        forgetOldest(folder);
      } catch {
        // Without a cache everything still works.
      }
    },
  };
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

function forgetOldest(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  if (files.length <= MAX_FILES) return;
  const byAge = files.map((file) => ({ file, time: statSync(file).mtimeMs })).sort((a, b) => a.time - b.time);
  for (const { file } of byAge.slice(0, files.length - MAX_FILES)) rmSync(file, { force: true });
}
