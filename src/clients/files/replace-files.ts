import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { EchelonError, messageOf } from '../../base/index.ts';
import {
  claimJournal,
  hashOf,
  type JournalEntry,
  type JournalLocation,
  journalLocation,
  readJournal,
  writeJournal,
} from './edit-journal.ts';
import { DISK, type Disk, notRead, notWritten, temporaryOf, writeAtomically, writeFailed, writeNew } from './files.ts';

/** A file that changes; `before` must be what it has now. */
interface FileReplacement {
  /** Relative to the root, as shown in messages. */
  readonly file: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

interface Prepared extends FileReplacement {
  readonly path: string;
  readonly mode: number;
}

/**
 * Replaces files, all or none, also when the process is killed: a journal with the old bytes is written first and removed
 * last, and the next run rolls back the journal of a dead process. The new bytes stand beside each file, with its mode,
 * before the first one is replaced. A link, or a file that changed since it was read, is refused.
 */
export function replaceFiles(root: string, changes: readonly FileReplacement[], disk: Disk = DISK): void {
  const place = journalLocation(root);
  requireNothingRestored(recoverLocation(place, disk).restored);
  const prepared = changes.filter(({ before, after }) => !isSame(before, after)).map((each) => prepare(root, each));
  if (prepared.length === 0) return;
  const entries = prepared.map((each) => entryOf(place, each));
  const journal = begin(place, entries, disk);
  let current: Prepared | undefined;
  try {
    for (current of prepared) writeBeside(current, disk);
    for (current of prepared) requireUnchanged(current);
    for (current of prepared) disk.renameSync(temporaryOf(current.path), current.path);
  } catch (thrown) {
    const error = thrown instanceof EchelonError ? thrown : notWritten(current?.file ?? root, thrown);
    requireUndone({ place, entries, journal, error }, disk);
    throw error;
  }
  disk.rmSync(journal, { force: true });
}

function prepare(root: string, change: FileReplacement): Prepared {
  const path = join(root, change.file);
  return { ...change, path, mode: modeOf(path, change.file) };
}

function modeOf(path: string, file: string): number {
  const found = attempt(file, () => lstatSync(path));
  if (found.isFile()) return found.mode & 0o7777;
  const what = found.isSymbolicLink() ? 'is a symbolic link' : 'is not a regular file';
  throw writeFailed(`${file} ${what}`, 'pass the file itself');
}

function entryOf({ top }: JournalLocation, { path, before, after }: Prepared): JournalEntry {
  return { file: relative(top, resolve(path)), before, after: hashOf(after) };
}

function begin(place: JournalLocation, entries: readonly JournalEntry[], disk: Disk): string {
  try {
    return writeJournal(place, entries, disk);
  } catch (thrown) {
    throw thrown instanceof EchelonError ? thrown : notWritten(`the journal in ${place.folder}`, thrown);
  }
}

/** A leftover of that name belongs to nobody: this process has the journal. */
function writeBeside({ path, after, mode }: Prepared, disk: Disk): void {
  disk.rmSync(temporaryOf(path), { force: true });
  writeNew(disk, temporaryOf(path), after, { mode, durable: true });
}

function requireUnchanged({ file, path, before }: Prepared): void {
  if (
    isSame(
      attempt(file, () => readFileSync(path)),
      before,
    )
  )
    return;
  throw new EchelonError({
    code: 'WRITE_RACE',
    message: `${file} was changed by another process. Nothing was changed`,
    hint: 'run the command again and review its output',
  });
}

/** The command was planned with files as they were before they were restored. */
function requireNothingRestored(restored: readonly string[]): void {
  if (restored.length === 0) return;
  throw new EchelonError({
    code: 'WRITE_RACE',
    message: `an interrupted change was undone: ${restored.join(', ')} restored. Nothing else was changed`,
    hint: 'run the command again',
  });
}

interface Begun {
  readonly place: JournalLocation;
  readonly entries: readonly JournalEntry[];
  readonly journal: string;
  readonly error: EchelonError;
}

/** Undoes a change that failed. What cannot be undone now keeps its journal for the next run. */
function requireUndone({ place: { top }, entries, journal, error }: Begun, disk: Disk): void {
  const cause = error.message.replace(/\. Nothing was changed$/, '');
  try {
    undoEdit(top, entries, disk);
    disk.rmSync(journal, { force: true });
  } catch (thrown) {
    throw new EchelonError({
      code: 'WRITE_FAILED',
      message: `${cause}, and the change cannot be undone: ${messageOf(thrown)}`,
      hint: 'fix the cause and run the command again, which undoes it first',
    });
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function attempt<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    throw notRead(file, thrown);
  }
}

/** Undoes changes of files in a folder's repository that were interrupted, and removes what they left behind. */
export function recoverFiles(root: string): UndoneEdit {
  return recoverLocation(journalLocation(root));
}

export function recoverLocation(place: JournalLocation, disk: Disk = DISK): UndoneEdit {
  const restored: string[] = [];
  const changedSince: string[] = [];
  try {
    for (let journal = claimJournal(place, disk); journal !== undefined; journal = claimJournal(place, disk)) {
      const undone = undoEdit(place.top, readJournal(journal), disk);
      disk.rmSync(journal, { force: true });
      restored.push(...undone.restored);
      changedSince.push(...undone.changedSince);
    }
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    throw notRecovered(place, thrown);
  }
  return { restored, changedSince };
}

function notRecovered({ top, folder }: JournalLocation, thrown: unknown): EchelonError {
  return new EchelonError({
    code: 'WRITE_FAILED',
    message: `cannot undo an interrupted change of files in ${top}: ${messageOf(thrown)}`,
    hint: `check the permissions there and in ${folder}, and the free disk space, and run the command again`,
  });
}

/** Files of an unfinished change after its undo, relative to the top folder. */
interface UndoneEdit {
  /** Have their old content again. */
  readonly restored: readonly string[];
  /** Have neither the old nor the new content, and stay as they are. */
  readonly changedSince: readonly string[];
}

/** Restores the files that have their new content, unless all have it, and removes temporary files. May be repeated. */
function undoEdit(top: string, entries: readonly JournalEntry[], disk: Disk): UndoneEdit {
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
  const mode = lstatSync(path).mode & 0o7777;
  writeAtomically(path, before, { temporary: temporaryOf(path), mode, durable: true }, disk);
}
