import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { EchelonError, mapLimited } from '../../base/index.ts';
import { commitOf } from './history.ts';
import type { Git } from './run-git.ts';

export interface TreeEntry {
  /** `100644`, `100755`, `120000` for a link, `160000` for a submodule. */
  readonly mode: string;
  readonly object: string;
  /** Bytes; 0 for a submodule. */
  readonly size: number;
  readonly path: string;
}

export const LINK = '120000';
export const SUBMODULE = '160000';
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** A path below the top folder, as git has it: no `.`, `..` or `.git`, nothing absolute. */
export function isTreePath(path: string): boolean {
  return path !== '' && !path.includes('\0') && path.split('/').every((name) => !/^(?:|\.|\.\.|\.git)$/i.test(name));
}

/** The files, links and submodules of a commit by path, or those below some paths. */
export async function listTree(git: Git, commit: string, paths: readonly string[] = []): Promise<TreeEntry[]> {
  const text = await git.text(['ls-tree', '-r', '-l', '-z', '--full-tree', commit, '--', ...paths]);
  return text
    .split('\0')
    .filter((line) => line !== '')
    .map(entryOf);
}

function entryOf(line: string): TreeEntry {
  const tab = line.indexOf('\t');
  const [mode = '', , object = '', size = ''] = line.slice(0, tab).split(/ +/);
  return { mode, object, size: Number(size) || 0, path: line.slice(tab + 1) };
}

/** The content of a file as it is stored, without line ends or filters of the work tree; undefined for a link. */
export async function readFile(git: Git, ref: string, path: string): Promise<Uint8Array | undefined> {
  const commit = await commitOf(git, ref);
  if (!isTreePath(path)) return undefined;
  const entry = (await listTree(git, commit, [path])).find((one) => one.path === path);
  if (entry === undefined || entry.mode === LINK || entry.mode === SUBMODULE) return undefined;
  requireSize(git, entry);
  return git.bytes(['cat-file', 'blob', entry.object], { maxBytes: MAX_FILE_BYTES + 1024 });
}

function requireSize(git: Git, { path, size }: TreeEntry): void {
  if (size <= MAX_FILE_BYTES) return;
  throw new EchelonError({
    code: 'FILE_TOO_LARGE',
    message: `${path} in ${git.root} has ${size} bytes, more than ${MAX_FILE_BYTES}`,
    hint: 'remove files of this size from the data repository',
  });
}

const MAX_TREE_FILES = 500_000;
const BATCH_BYTES = 16 * 1024 * 1024;
const BATCH_FILES = 2000;
/** Bytes reserved for the header of an object: name, kind and size. */
const HEADER_BYTES = 200;
const WRITES_AT_ONCE = 16;

/**
 * Files are written as they are stored: no filter and no line end conversion. Links come last, so that nothing is
 * written through one, and only those that stay in the tree. Submodules are left out.
 */
export async function exportTree(git: Git, ref: string, folder: string, paths: readonly string[] = []): Promise<void> {
  const commit = await commitOf(git, ref);
  const entries = (await listTree(git, commit, paths)).filter(({ mode }) => mode !== SUBMODULE);
  checkEntries(git, commit, entries);
  await prepare(folder);
  const files = entries.filter(({ mode }) => mode !== LINK);
  await makeFolders(folder, entries);
  for (const batch of batchesOf(files)) await writeBatch(git, folder, batch);
  for (const batch of batchesOf(entries.filter(({ mode }) => mode === LINK))) await linkBatch(git, folder, batch);
}

function checkEntries(git: Git, commit: string, entries: readonly TreeEntry[]): void {
  for (const entry of entries) requireSize(git, entry);
  const bad = entries.find(({ path }) => !isTreePath(path));
  if (bad === undefined && entries.length <= MAX_TREE_FILES) return;
  throw new EchelonError({
    code: 'TREE_REFUSED',
    message:
      bad === undefined
        ? `commit ${commit} of ${git.root} has more than ${MAX_TREE_FILES} files`
        : `commit ${commit} of ${git.root} has a file named ${JSON.stringify(bad.path)}`,
    hint: 'check that this is the intended repository',
  });
}

async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length === 0) return;
  throw new EchelonError({
    code: 'FOLDER_NOT_EMPTY',
    message: `${folder} is not empty`,
    hint: 'use a new or empty directory',
  });
}

async function makeFolders(folder: string, entries: readonly TreeEntry[]): Promise<void> {
  const folders = [...new Set(entries.map(({ path }) => dirname(path)))];
  await mapLimited(folders, WRITES_AT_ONCE, (path) => mkdir(join(folder, path), { recursive: true }));
}

function* batchesOf(entries: readonly TreeEntry[]): Generator<TreeEntry[]> {
  let batch: TreeEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (batch.length > 0 && (bytes + entry.size > BATCH_BYTES || batch.length >= BATCH_FILES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += entry.size;
  }
  if (batch.length > 0) yield batch;
}

async function contentsOf(git: Git, batch: readonly TreeEntry[]): Promise<{ entry: TreeEntry; content: Buffer }[]> {
  const input = batch.map(({ object }) => `${object}\n`).join('');
  const maxBytes = BATCH_BYTES + MAX_FILE_BYTES + batch.length * HEADER_BYTES;
  const output = await git.bytes(['cat-file', '--batch'], { input, maxBytes });
  let at = 0;
  return batch.map((entry) => {
    const start = output.indexOf('\n', at) + 1;
    const header = output.toString('utf8', at, start - 1);
    if (!header.endsWith(` blob ${entry.size}`)) throw missing(git, entry);
    at = start + entry.size + 1;
    return { entry, content: output.subarray(start, start + entry.size) };
  });
}

function missing(git: Git, { path, object }: TreeEntry): EchelonError {
  return new EchelonError({
    code: 'GIT_FAILED',
    message: `${git.root} lacks the content of ${path} (${object})`,
    hint: 'run git fsck: the repository is damaged or a partial clone that cannot reach its remote',
  });
}

async function writeBatch(git: Git, folder: string, batch: readonly TreeEntry[]): Promise<void> {
  await mapLimited(await contentsOf(git, batch), WRITES_AT_ONCE, ({ entry, content }) =>
    writeFile(join(folder, entry.path), content, { flag: 'wx', mode: entry.mode === '100755' ? 0o755 : 0o644 }),
  );
}

async function linkBatch(git: Git, folder: string, batch: readonly TreeEntry[]): Promise<void> {
  for (const { entry, content } of await contentsOf(git, batch)) {
    const target = content.toString('utf8');
    if (staysInside(entry.path, target)) await symlink(target, join(folder, entry.path));
  }
}

/**
 * The way up is taken first and from a real folder, the rest only goes down: then no link can lead out, even through
 * another link that stays inside.
 */
function staysInside(path: string, target: string): boolean {
  if (target === '' || posix.isAbsolute(target) || /[\\\0]/.test(target)) return false;
  const names = target.split('/');
  const down = names.findIndex((name) => name !== '..' && name !== '.');
  if (down !== -1 && names.slice(down).includes('..')) return false;
  const resolved = posix.normalize(posix.join(posix.dirname(path), target));
  return resolved !== '..' && !resolved.startsWith('../') && !/(?:^|\/)\.git(?:\/|$)/i.test(resolved);
}
