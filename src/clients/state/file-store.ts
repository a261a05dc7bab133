import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { EchelonError, type StateStore } from '../../base/index.ts';
import { withFileLock } from './file-lock.ts';
import { checkKey, checkSize, type StateErrorCode, stateError } from './state-error.ts';

export interface FileStoreOptions {
  /** Made with the first write. */
  readonly folder: string;
}

/** A file for each key, below one folder. Its version is the hash of its bytes. */
export function createFileStore({ folder }: FileStoreOptions): StateStore {
  const root = resolve(folder);
  const pathOf = (key: string): string => {
    checkKey(key);
    return join(root, ...key.split('/'));
  };
  return {
    name: root,
    read: async (key) => {
      const path = pathOf(key);
      return readValue(path).catch((thrown: unknown) => fail('read', path, thrown));
    },
    write: async (key, value, expected) => {
      const path = pathOf(key);
      checkSize(`the value for ${path}`, value.byteLength);
      return replace(path, value, expected).catch((thrown: unknown) => fail('write', path, thrown));
    },
  };
}

/** A file is replaced as a whole, so that a reader needs no lock. */
async function readValue(path: string): ReturnType<StateStore['read']> {
  const file = await open(path, 'r').catch(absent);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw Object.assign(new Error('not a file'), { code: 'EISDIR' });
    checkSize(path, stats.size);
    const value = await file.readFile();
    return { value, version: versionOf(value) };
  } finally {
    await file.close();
  }
}

/** Only what is not found is absent: what may be there and cannot be read must not be taken for a new state. */
function absent(thrown: unknown): undefined {
  if (codeOf(thrown) === 'ENOENT') return undefined;
  throw thrown;
}

async function replace(path: string, value: Uint8Array, expected: string) {
  const folder = dirname(path);
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return withFileLock({ folder, name, what: path }, async (isHeld) => {
    const current = await readValue(path);
    if ((current?.version ?? 'absent') !== expected) return 'lost-race';
    const unfinished = join(folder, `.unfinished-${name}-${randomBytes(8).toString('hex')}`);
    try {
      await removeUnfinished(folder, name);
      await writeDurably(unfinished, value);
      if (!(await isHeld())) return 'lost-race';
      await rename(unfinished, path);
    } finally {
      await rm(unfinished, { force: true });
    }
    await sync(folder);
    return { version: versionOf(value) };
  });
}

/** What writers of this key left that were killed: whoever holds the lock is the only one that writes. */
async function removeUnfinished(folder: string, name: string): Promise<void> {
  const left = (await readdir(folder)).filter((file) => file.startsWith(`.unfinished-${name}-`));
  for (const file of left) await rm(join(folder, file), { force: true });
}

async function writeDurably(path: string, value: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(value);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The new name of a file is durable only with its folder. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function versionOf(value: Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}

function codeOf(thrown: unknown): string {
  return String((thrown as { code?: unknown } | null)?.code ?? '');
}

const KINDS: Readonly<Record<string, { code: StateErrorCode; hint: string }>> = {
  EACCES: { code: 'STATE_FORBIDDEN', hint: 'grant the user that runs Echelon access to it' },
  EPERM: { code: 'STATE_FORBIDDEN', hint: 'grant the user that runs Echelon access to it' },
  EROFS: { code: 'STATE_FORBIDDEN', hint: 'the file system is read-only: use another directory' },
  ENOSPC: { code: 'STATE_FULL', hint: 'free up space on the file system' },
  EDQUOT: { code: 'STATE_FULL', hint: 'free up space on the file system' },
  ENOTDIR: { code: 'STATE_KEY_CONFLICT', hint: 'part of its path is a file: rename one of the two' },
  EEXIST: { code: 'STATE_KEY_CONFLICT', hint: 'part of its path is a file: rename one of the two' },
  EISDIR: { code: 'STATE_KEY_CONFLICT', hint: 'a directory has the same name: rename one of the two' },
};

function fail(action: string, path: string, thrown: unknown): never {
  if (thrown instanceof EchelonError) throw thrown;
  const code = codeOf(thrown);
  if (code === '') throw thrown;
  const kind = KINDS[code] ?? { code: 'STATE_FAILED', hint: 'check the state directory' };
  throw stateError(kind.code, `cannot ${action} ${path}: ${code}`, kind.hint);
}
