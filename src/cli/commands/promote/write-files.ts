import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EchelonError, messageOf } from '../../../base/index.ts';
import { type FileEdit, sameBytes } from '../../../promotion/index.ts';

/** Puts a file in the place of another. */
type Rename = (from: string, to: string) => void;

interface Prepared {
  readonly edit: FileEdit;
  /** The file itself, also where a link leads to it. */
  readonly path: string;
  readonly temporary: string;
}

/**
 * Writes all files or none. The new bytes stand beside each file before the first one is replaced; the temporary name is
 * always the same, so that a second promotion finds the first.
 */
export function writeFiles(root: string, edits: readonly FileEdit[], rename: Rename = renameSync): void {
  const prepared: Prepared[] = [];
  try {
    for (const edit of edits) prepared.push(prepare(root, edit));
    for (const { edit, path } of prepared) requireUnchanged(edit, path);
    replaceAll(prepared, rename);
  } finally {
    for (const { temporary } of prepared) rmSync(temporary, { force: true });
  }
}

function prepare(root: string, edit: FileEdit): Prepared {
  const path = realpathSync(join(root, edit.file));
  const temporary = join(dirname(path), `.${basename(path)}.echelon-promote`);
  writeNew(temporary, edit.after, statSync(path).mode, edit.file);
  return { edit, path, temporary };
}

function writeNew(path: string, bytes: Uint8Array, mode: number, file: string): void {
  const descriptor = openNew(path, file);
  try {
    for (let at = 0; at < bytes.byteLength; ) at += writeSync(descriptor, bytes, at);
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } catch (thrown) {
    rmSync(path, { force: true });
    throw failed(file, thrown);
  } finally {
    closeSync(descriptor);
  }
}

function openNew(path: string, file: string): number {
  try {
    return openSync(path, 'wx');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw failed(file, thrown);
    throw new EchelonError({
      code: 'PROMOTION_UNDER_WAY',
      message: `${path} exists: another promotion is under way, or one was interrupted. Nothing was changed`,
      hint: 'wait for the other one; when there is none, remove that file',
    });
  }
}

function requireUnchanged({ file, before }: FileEdit, path: string): void {
  if (sameBytes(readFileSync(path), before)) return;
  throw new EchelonError({
    code: 'PROMOTION_RACE',
    message: `${file} was changed by somebody else while the promotion was planned. Nothing was changed`,
    hint: 'run it again, and look at the new plan',
  });
}

/** When one cannot be replaced, those that were get their old bytes back. */
function replaceAll(prepared: readonly Prepared[], rename: Rename): void {
  const done: Prepared[] = [];
  for (const each of prepared) {
    try {
      rename(each.temporary, each.path);
      done.push(each);
    } catch (thrown) {
      for (const { edit, path, temporary } of done) {
        writeNew(temporary, edit.before, statSync(path).mode, edit.file);
        renameSync(temporary, path);
      }
      throw failed(each.edit.file, thrown);
    }
  }
}

function failed(file: string, thrown: unknown): EchelonError {
  return new EchelonError({
    code: 'PROMOTION_WRITE',
    message: `${file} cannot be written: ${messageOf(thrown)}. Nothing was changed`,
    hint: 'check its permissions and the space on the disk',
  });
}
