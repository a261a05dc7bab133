import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive, withLock } from './real-kube-lock.ts';

let folder: string;
let lock: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-lock-'));
  lock = join(folder, 'cache/lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('work under a lock', () => {
  it('is done one after the other', async () => {
    let running = 0;
    const seen: number[] = [];
    const work = async (): Promise<void> => {
      seen.push(++running);
      await Promise.resolve();
      running--;
    };
    await Promise.all([withLock(lock, 30, work), withLock(lock, 30, work), withLock(lock, 30, work)]);
    expect(seen).toEqual([1, 1, 1]);
    expect(existsSync(lock)).toBe(false);
  });

  it('releases the lock when it fails', async () => {
    await expect(withLock(lock, 1, () => Promise.reject(new Error('no go')))).rejects.toThrow('no go');
    expect(await withLock(lock, 1, async () => 'done')).toBe('done');
  });

  it('does not wait for an owner that is gone', async () => {
    await withLock(lock, 1, async () => {});
    writeFileSync(lock, String(spawnSync('true').pid));
    expect(await withLock(lock, 30, async () => 'done')).toBe('done');
  });

  it('gives up on an owner that stays, and names the file', async () => {
    await withLock(lock, 1, async () => {
      await expect(withLock(lock, 0.01, async () => {})).rejects.toThrow(`${lock}, held by another run, is released`);
    });
  });
});

describe('a process', () => {
  it.each([
    { given: 'this one', pid: process.pid, alive: true },
    { given: 'one that has ended', pid: spawnSync('true').pid, alive: false },
    { given: 'no number', pid: Number.NaN, alive: false },
    { given: 'the group of all', pid: 0, alive: false },
  ])('is alive: $given, $alive', ({ pid, alive }) => {
    expect(isAlive(pid)).toBe(alive);
  });
});
