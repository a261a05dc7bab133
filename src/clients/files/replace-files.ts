import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EchelonError, messageOf } from '../../base/index.ts';

/** A file that changes; `before` must be what it has now. */
interface FileReplacement {
  /** Relative to the root, as shown in messages. */
  readonly file: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

interface Prepared extends FileReplacement {
  readonly path: string;
  readonly temporary: string;
  readonly mode: number;
}

/** Puts a file in the place of another. */
type Rename = (from: string, to: string) => void;

/**
 * Replaces files, all or none. The new bytes stand beside each file, with its mode, before the first one is replaced. A link,
 * or a file that changed since it was read, is refused. The temporary name is always the same, so that a second writer finds
 * the first. When a file cannot be replaced, those before it get their old bytes back.
 */
export function replaceFiles(root: string, changes: readonly FileReplacement[], rename: Rename = renameSync): void {
  const prepared: Prepared[] = [];
  try {
    for (const change of changes) if (!isSame(change.before, change.after)) prepared.push(prepare(root, change));
    for (const each of prepared) requireUnchanged(each);
    replaceAll(prepared, rename);
  } finally {
    for (const { temporary } of prepared) rmSync(temporary, { force: true });
  }
}

function prepare(root: string, change: FileReplacement): Prepared {
  const path = join(root, change.file);
  const prepared = {
    ...change,
    path,
    temporary: join(dirname(path), `.${basename(path)}.echelon-edit`),
    mode: modeOf(path, change.file),
  };
  writeNew(prepared, change.after);
  return prepared;
}

function modeOf(path: string, file: string): number {
  const found = attempt(file, 'cannot be read', () => lstatSync(path));
  if (found.isFile()) return found.mode & 0o7777;
  throw failed(file, found.isSymbolicLink() ? 'is a symbolic link' : 'is not a regular file', 'pass the file itself');
}

function writeNew({ file, temporary, mode }: Prepared, bytes: Uint8Array): void {
  const descriptor = openNew(temporary, file);
  try {
    for (let at = 0; at < bytes.byteLength; ) at += writeSync(descriptor, bytes, at);
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw notWritten(file, thrown);
  } finally {
    closeSync(descriptor);
  }
}

function openNew(temporary: string, file: string): number {
  try {
    return openSync(temporary, 'wx');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritten(file, thrown);
    throw new EchelonError({
      code: 'WRITE_UNDER_WAY',
      message: `${temporary} exists: another change of ${file} is in progress or was interrupted. Nothing was changed`,
      hint: 'wait for the other change to finish; if there is none, remove that file',
    });
  }
}

function requireUnchanged({ file, path, before }: Prepared): void {
  if (
    isSame(
      attempt(file, 'cannot be read', () => readFileSync(path)),
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

function replaceAll(prepared: readonly Prepared[], rename: Rename): void {
  const done: Prepared[] = [];
  for (const each of prepared) {
    try {
      rename(each.temporary, each.path);
      done.push(each);
    } catch (thrown) {
      const left = done.filter((other) => !isUndone(other)).map(({ file }) => file);
      if (left.length === 0) throw notWritten(each.file, thrown);
      const hint = `restore ${left.join(', ')} with git checkout`;
      throw new EchelonError({
        code: 'WRITE_FAILED',
        message: `${each.file} cannot be written: ${messageOf(thrown)}`,
        hint,
      });
    }
  }
}

/** Whether a file that was replaced has its old bytes again. */
function isUndone(each: Prepared): boolean {
  try {
    writeNew(each, each.before);
    renameSync(each.temporary, each.path);
    return true;
  } catch {
    return false;
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function attempt<T>(file: string, what: string, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    throw failed(file, `${what}: ${messageOf(thrown)}`, 'check the path and its permissions');
  }
}

function notWritten(file: string, thrown: unknown): EchelonError {
  return failed(file, `cannot be written: ${messageOf(thrown)}`, 'check its permissions and the free disk space');
}

function failed(file: string, what: string, hint: string): EchelonError {
  return new EchelonError({ code: 'WRITE_FAILED', message: `${file} ${what}. Nothing was changed`, hint });
}
