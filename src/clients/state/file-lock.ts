import { randomBytes } from 'node:crypto';
import { access, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning, ownIdentity, type ProcessIdentity } from '../process/index.ts';
import { stateError } from './state-error.ts';

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
