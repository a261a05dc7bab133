import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { type Disk, temporaryOf, writeNew } from './disk.ts';
import { hashOf, type JournalEntry } from './edit-journal.ts';

/** What became of the files of a change that was not finished. Paths are relative to the top folder. */
export interface UndoneEdit {
  /** Have their old content again. */
  readonly restored: readonly string[];
  /** Have neither the old nor the new content, and stay as they are. */
  readonly changedSince: readonly string[];
}

/** Restores the files that have their new content, unless all have it, and removes temporary files. May be repeated. */
export function undoEdit(top: string, entries: readonly JournalEntry[], disk: Disk): UndoneEdit {
  const found = entries.map((entry) => ({ entry, state: stateOf(top, entry) }));
  for (const { entry, state } of found) {
    if (state !== 'outside') disk.rmSync(temporaryOf(join(top, entry.file)), { force: true });
  }
  const changed = found.filter(({ state }) => state === 'new').map(({ entry }) => entry);
  const isFinished = changed.length === entries.length;
  if (!isFinished) for (const entry of changed) restore(join(top, entry.file), entry.before, disk);
  return {
    restored: isFinished ? [] : changed.map(({ file }) => file),
    changedSince: found.filter(({ state }) => state === 'other').map(({ entry }) => entry.file),
  };
}

type State = 'old' | 'new' | 'other' | 'outside';

function stateOf(top: string, { file, before, after }: JournalEntry): State {
  const path = join(top, file);
  if (!isBelow(top, dirname(path))) return 'outside';
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return 'other';
  const bytes = readFileSync(path);
  if (Buffer.compare(bytes, before) === 0) return 'old';
  return hashOf(bytes) === after ? 'new' : 'other';
}

/** Links followed: a journal must not lead out of its folder. */
function isBelow(top: string, folder: string): boolean {
  try {
    return `${realpathSync(folder)}${sep}`.startsWith(`${realpathSync(top)}${sep}`);
  } catch {
    return false;
  }
}

function restore(path: string, before: Uint8Array, disk: Disk): void {
  const temporary = temporaryOf(path);
  writeNew(disk, temporary, before, lstatSync(path).mode & 0o7777);
  disk.renameSync(temporary, path);
}
