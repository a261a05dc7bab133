import { EchelonError } from '../../base/index.ts';
import type { Git } from './git-runner.ts';
import { commitOf } from './refs.ts';

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
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

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

export function requireSize(git: Git, { path, size }: TreeEntry): void {
  if (size <= MAX_FILE_BYTES) return;
  throw new EchelonError({
    code: 'FILE_TOO_LARGE',
    message: `${path} in ${git.root} has ${size} bytes, more than ${MAX_FILE_BYTES}`,
    hint: 'remove files of this size from the data repository',
  });
}
