import { createHash, randomBytes } from 'node:crypto';
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EchelonError, type StateStore } from '../../base/index.ts';
import { isRunning, ownIdentity, type ProcessIdentity } from '../process/index.ts';
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

/** What is done under a lock takes milliseconds; a lock this old, of a process that cannot be seen, is left over. */
export const STALE_LOCK_MS = 60_000;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_PAUSE_MS = 40;

interface LockOptions {
  readonly folder: string;
  /** Different for different things to lock; part of a file name. */
  readonly name: string;
  /** What is locked, for messages. */
  readonly what: string;
  readonly longestWaitMs?: number;
}

/**
 * Runs `act` while no other process runs one under the same lock.
 *
 * Whoever wants the lock puts a file of its own there and then looks for those of others: of two that do so at the same
 * time at least one sees the other and steps back. A file names its process, so that what a killed process left counts for
 * nothing, and names are never used again, so that removing one can never remove the lock of another.
 */
export async function withFileLock<T>(
  options: LockOptions,
  act: (isHeld: () => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const mine = await acquire(options);
  try {
    return await act(() => exists(mine));
  } finally {
    await rm(mine, { force: true });
  }
}

async function acquire({ folder, name, what, longestWaitMs = LONGEST_WAIT_MS }: LockOptions): Promise<string> {
  const started = performance.now();
  for (;;) {
    const file = lockFile(name);
    const mine = join(folder, file);
    await (await open(mine, 'wx', 0o600)).close();
    const holder = await otherHolder(folder, name, file).catch(async (thrown: unknown) => {
      await rm(mine, { force: true });
      throw thrown;
    });
    if (holder === undefined) return mine;
    await rm(mine, { force: true });
    if (performance.now() - started > longestWaitMs) throw locked(what, holder);
    await pause(Math.random() * LONGEST_PAUSE_MS);
  }
}

function lockFile(name: string): string {
  const { place, pid, start } = ownIdentity();
  return `${prefixOf(name)}${place}-${pid}-${start}-${randomBytes(8).toString('hex')}`;
}

function prefixOf(name: string): string {
  return `.lock-${name}-`;
}

/** The process of another file that counts; what does not count is removed. */
async function otherHolder(folder: string, name: string, mine: string): Promise<ProcessIdentity | undefined> {
  const prefix = prefixOf(name);
  const others = (await readdir(folder)).filter((file) => file.startsWith(prefix) && file !== mine);
  for (const file of others) {
    const holder = identityIn(file.slice(prefix.length));
    if (holder !== undefined && !(await isLeftOver(folder, holder, file, mine))) return holder;
    await rm(join(folder, file), { force: true });
  }
  return undefined;
}

function identityIn(text: string): ProcessIdentity | undefined {
  const [, place, pid, start] = /^([0-9a-f]+)-(\d+)-(\d+)-[0-9a-f]+$/.exec(text) ?? [];
  if (place === undefined || pid === undefined || start === undefined) return undefined;
  return { place, pid: Number(pid), start };
}

/** Ages are compared by the clock of the file system, which may be another machine's. */
async function isLeftOver(folder: string, holder: ProcessIdentity, file: string, mine: string): Promise<boolean> {
  if (isRunning(holder) === false) return true;
  const [own, other] = await Promise.all([timeOf(join(folder, mine)), timeOf(join(folder, file))]);
  return other === undefined || (own !== undefined && own - other > STALE_LOCK_MS);
}

async function timeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function locked(what: string, { pid }: ProcessIdentity) {
  const hint = 'check that process; the lock of a process that has ended is ignored';
  return stateError('STATE_LOCKED', `${what} is locked by process ${pid}, which does not finish`, hint);
}
