import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import {
  accessSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { EchelonError, messageOf } from '../../base/index.ts';

/** Runs something with an empty folder, named for its use, that is gone afterwards. */
export async function withScratch<T>(name: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = scratchFolder(name);
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An empty temporary folder, named for its use, that the caller removes. */
export function scratchFolder(name: string): string {
  const temporary = tmpdir();
  try {
    return mkdtempSync(join(temporary, `echelon-${name}-`));
  } catch (thrown) {
    throw new EchelonError({
      code: 'TMPDIR_UNUSABLE',
      message: `cannot create a temporary directory in ${temporary}: ${messageOf(thrown).split(',')[0]}`,
      hint: 'set TMPDIR to a writable directory with free space',
      cause: thrown,
    });
  }
}

/** The bytes of a file that is itself below a folder; of one that a link leads to, the place of it. */
export function bytesBelow(folder: string, file: string): Uint8Array | { readonly linksTo: string } | undefined {
  const path = join(folder, file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  const real = realpathSync(path);
  return real === join(realpathSync(folder), file) ? readFileSync(path) : { linksTo: real };
}

/** The text of a file, links followed; undefined where there is none. */
export function textBelow(folder: string, file: string): string | undefined {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Throws CHECK_FILE_UNWRITABLE for a folder that cannot be made or written. */
export function makeFolder(folder: string, flag: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (thrown) {
    throw unwritable(flag, folder, messageOf(thrown));
  }
}

/** The error for what cannot be written. */
export function unwritable(what: string, path: string, why: string): EchelonError {
  return new EchelonError({
    code: 'CHECK_FILE_UNWRITABLE',
    message: `${what}: cannot write ${path}: ${why}`,
    hint: 'use a writable file or folder; check its permissions and the free disk space',
  });
}

const PARTS = ['data', 'resources', '.env'];

/** Copies a bundle file, or the parts of a data repository that are read, into a folder; returns where the copy is. */
export function copiedData(kind: 'bundle' | 'directory' | 'server', from: string, into: string): string {
  if (kind === 'bundle') {
    const file = join(into, basename(from));
    copyFileSync(from, file);
    return file;
  }
  const folder = join(into, 'instance');
  for (const part of PARTS.filter((name) => existsSync(join(from, name))))
    cpSync(join(from, part), join(folder, part), { recursive: true, verbatimSymlinks: true });
  return folder;
}

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
      writeNew(DISK, path, text, { mode: READABLE, durable: true });
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

/** The calls that change files, so that a test can stop between any two of them. */
export type Disk = Pick<
  typeof fs,
  'openSync' | 'writeSync' | 'fchmodSync' | 'fsyncSync' | 'closeSync' | 'renameSync' | 'rmSync'
>;

export const DISK: Disk = fs;

interface WriteOptions {
  /** File mode; 0666 less the umask when absent. */
  readonly mode?: number;
  /** Whether the bytes are on the disk before the file has its name. */
  readonly durable?: boolean;
}

/** Replaces a file as a whole: a reader sees the old file or the new one. What fails leaves nothing behind. */
export function writeAtomically(
  path: string,
  content: string | Uint8Array,
  {
    temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`,
    ...options
  }: WriteOptions & { readonly temporary?: string } = {},
  disk: Disk = DISK,
): void {
  writeNew(disk, temporary, content, options);
  try {
    disk.renameSync(temporary, path);
  } catch (thrown) {
    disk.rmSync(temporary, { force: true });
    throw thrown;
  }
}

/** Writes a file that does not exist yet; removes it again if that fails. */
export function writeNew(
  disk: Disk,
  path: string,
  content: string | Uint8Array,
  { mode, durable }: WriteOptions,
): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const descriptor = disk.openSync(path, 'wx', mode === undefined ? 0o666 : 0o600);
  try {
    for (let at = 0; at < bytes.byteLength; ) at += disk.writeSync(descriptor, bytes, at);
    if (mode !== undefined) disk.fchmodSync(descriptor, mode);
    if (durable === true) disk.fsyncSync(descriptor);
  } catch (thrown) {
    disk.rmSync(path, { force: true });
    throw thrown;
  } finally {
    disk.closeSync(descriptor);
  }
}

/** The temporary name of a file's new content. It is always the same, so that a leftover is recognised. */
export function temporaryOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.echelon-edit`);
}

export function writeFailed(what: string, hint: string): EchelonError {
  return new EchelonError({ code: 'WRITE_FAILED', message: `${what}. Nothing was changed`, hint });
}

export function notRead(file: string, thrown: unknown): EchelonError {
  return writeFailed(`cannot read ${file}: ${messageOf(thrown)}`, 'check the path and its permissions');
}

export function notWritten(file: string, thrown: unknown): EchelonError {
  return writeFailed(
    `cannot write ${file}: ${messageOf(thrown)}`,
    'check the permissions of its directory and the free disk space',
  );
}
