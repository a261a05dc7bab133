import { lstatSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EchelonError } from '../../base/index.ts';
import { DISK, writeNew } from './disk.ts';
import { notWritten } from './write-failed.ts';

const READABLE = 0o644;

/**
 * Writes new files below a folder, all or none: where one of them exists, even as a link, nothing is written, and if one cannot
 * be written, the others and the folders made for them are removed again.
 */
export function createFiles(root: string, files: ReadonlyMap<string, string>): void {
  const taken = [...files.keys()].filter((file) => isThere(join(root, file)));
  if (taken.length > 0) throw alreadyThere(taken);
  const undo: (() => void)[] = [];
  let current = root;
  try {
    for (const [file, text] of files) {
      current = file;
      const path = join(root, file);
      const first = mkdirSync(dirname(path), { recursive: true });
      if (first !== undefined) undo.push(() => removeFolders(dirname(path), first));
      writeNew(DISK, path, Buffer.from(text), READABLE);
      undo.push(() => rmSync(path, { force: true }));
    }
  } catch (thrown) {
    for (const step of undo.toReversed()) step();
    throw notWritten(current, thrown);
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A folder of its path is a file, or must not be read: writing will say so.
    return false;
  }
}

/** Empty ones, from the innermost to the first that was made. */
function removeFolders(folder: string, first: string): void {
  try {
    for (let at = folder; at.length >= first.length; at = dirname(at)) rmdirSync(at);
  } catch {
    // Another process has put something there meanwhile.
  }
}

function alreadyThere(files: readonly string[]): EchelonError {
  return new EchelonError({
    code: 'INIT_EXISTS',
    message: `${files.join(', ')} ${files.length === 1 ? 'exists' : 'exist'} already. Nothing was written`,
    hint: 'choose another folder, or move what is there',
  });
}
