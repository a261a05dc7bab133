import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { until } from './until.ts';

const LOOK_EVERY_MS = 100;

/**
 * Runs the work while no other process runs work under the same lock file. The file holds the pid of its owner: a lock
 * whose owner is gone counts for nothing. Two that find such a lock at the same moment may both run.
 */
export async function withLock<Value>(
  lock: string,
  timeoutSeconds: number,
  work: () => Promise<Value>,
): Promise<Value> {
  mkdirSync(dirname(lock), { recursive: true });
  await until(() => takeLock(lock), {
    timeoutSeconds,
    what: `${lock}, held by another run, is released`,
    everyMs: LOOK_EVERY_MS,
  });
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** A link, so that the file is never seen without its pid. */
function takeLock(lock: string): boolean {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!isAlive(owner(lock))) rmSync(lock, { force: true });
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** The pid inside the lock file; undefined when it is released by now. */
function owner(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a process with that pid runs. */
export function isAlive(pid: number | undefined): boolean {
  if (pid === undefined || !Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
