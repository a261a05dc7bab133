import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EchelonError, messageOf } from '../../base/index.ts';

/** A file that changes; `before` must be what it has now. */
export interface FileChange {
  readonly location: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

interface Prepared extends FileChange {
  readonly temporary: string;
}

/**
 * Replaces files, all or none. Each is written beside itself and renamed into place, with the mode that it has; a link, or a
 * file that changed since it was read, is refused before anything is written. When a rename fails those before it are undone.
 */
export async function writeFiles(changes: readonly FileChange[]): Promise<void> {
  const needed = changes.filter(({ before, after }) => !isSame(before, after));
  const prepared: Prepared[] = [];
  try {
    for (const change of needed) prepared.push(await prepare(change));
    await replaceAll(prepared);
  } finally {
    await Promise.all(prepared.map(({ temporary }) => rm(temporary, { force: true })));
  }
}

async function prepare(change: FileChange): Promise<Prepared> {
  const { location, before, after } = change;
  const found = await lstat(location).catch((cause: unknown) => {
    throw writeError(location, `cannot be read: ${messageOf(cause)}`, 'check the path', cause);
  });
  if (!found.isFile()) {
    const what = found.isSymbolicLink() ? 'is a symbolic link' : 'is no file';
    throw writeError(location, what, 'name the file itself; nothing was changed');
  }
  if (!isSame(await readFile(location), before)) {
    throw writeError(location, 'was changed by somebody else meanwhile', 'run the command again; nothing was changed');
  }
  return { ...change, temporary: await writeTemporary(location, after, found.mode & 0o7777) };
}

async function writeTemporary(location: string, bytes: Uint8Array, mode: number): Promise<string> {
  const temporary = join(dirname(location), `.${basename(location)}.${randomUUID()}.tmp`);
  let file: FileHandle | undefined;
  try {
    file = await open(temporary, 'wx', mode);
    await file.writeFile(bytes);
    await file.chmod(mode);
    await file.sync();
    return temporary;
  } catch (cause) {
    await rm(temporary, { force: true });
    throw writeError(
      location,
      `cannot be written: ${messageOf(cause)}`,
      'check permissions and space; nothing was changed',
      cause,
    );
  } finally {
    await file?.close();
  }
}

async function replaceAll(prepared: readonly Prepared[]): Promise<void> {
  const done: Prepared[] = [];
  for (const change of prepared) {
    try {
      await rename(change.temporary, change.location);
      done.push(change);
    } catch (cause) {
      const left = await undo(done);
      const hint = left.length === 0 ? 'check permissions; nothing was changed' : `restore ${left.join(', ')} by git`;
      throw writeError(change.location, `cannot be replaced: ${messageOf(cause)}`, hint, cause);
    }
  }
}

/** The files that could not be brought back. */
async function undo(done: readonly Prepared[]): Promise<string[]> {
  const left: string[] = [];
  for (const { location, before } of done) {
    try {
      const { mode } = await lstat(location);
      await rename(await writeTemporary(location, before, mode & 0o7777), location);
    } catch {
      left.push(location);
    }
  }
  return left;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function writeError(location: string, what: string, hint: string, cause?: unknown): EchelonError {
  const told = { code: 'WRITE_FAILED', message: `${location} ${what}`, hint };
  return new EchelonError(cause === undefined ? told : { ...told, cause });
}
