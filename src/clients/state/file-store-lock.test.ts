import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownIdentity } from '../process/index.ts';
import { STALE_LOCK_MS, withFileLock } from './file-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const lock = (name = 'n', longestWaitMs = 300_000) => ({ folder, name, what: 'the ledger', longestWaitMs });

/** A file such as a process of that place, pid and start has. */
function leave({
  place = ownIdentity().place,
  pid = ownIdentity().pid,
  start = ownIdentity().start,
  ageMs = 0,
  name = 'n',
}): void {
  const path = join(folder, `.lock-${name}-${place}-${pid}-${start}-00`);
  writeFileSync(path, '');
  const time = (Date.now() - ageMs) / 1000;
  utimesSync(path, time, time);
}

describe('a lock', () => {
  it('lets one at a time', async () => {
    let [running, most] = [0, 0];
    const act = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
    };
    await Promise.all(Array.from({ length: 10 }, () => withFileLock(lock(), act)));
    expect({ most, left: readdirSync(folder) }).toEqual({ most: 1, left: [] });
  });

  it('gives what is done under it, and is released', async () => {
    expect(await withFileLock(lock(), async (isHeld) => isHeld())).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is released when what is done under it fails', async () => {
    await expect(withFileLock(lock(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('of another name does not matter', async () => {
    leave({ name: 'other' });
    expect(await withFileLock(lock(), async () => 'done')).toBe('done');
  });

  it('knows when another took it for left over', async () => {
    const isHeld = await withFileLock(lock(), async (held) => {
      for (const file of readdirSync(folder)) rmSync(join(folder, file));
      return held();
    });
    expect(isHeld).toBe(false);
  });
});

describe('a lock that is held', () => {
  it.each([
    { by: 'this process', mark: {} },
    { by: 'a process that cannot be seen from here', mark: { place: 'abcdef', pid: 1, start: '7' } },
    { by: 'a process whose start is not known', mark: { start: '0' } },
  ])('by $by is waited for', async ({ mark }) => {
    leave(mark);
    await expect(withFileLock(lock('n', 20), async () => 'done')).rejects.toMatchObject({
      code: 'STATE_LOCKED',
      message: expect.stringMatching(/^the ledger is locked by process \d+, which does not finish$/),
    });
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it.each([
    { by: 'a process that is gone', mark: { pid: 2 ** 22 + 1 } },
    { by: 'a process whose pid another has by now', mark: { start: '1' } },
    { by: 'a process that cannot be seen, for too long', mark: { place: 'abcdef', ageMs: STALE_LOCK_MS + 5_000 } },
    { by: 'any process, for too long', mark: { ageMs: STALE_LOCK_MS + 5_000 } },
  ])('by $by counts for nothing', async ({ mark }) => {
    leave(mark);
    expect(await withFileLock(lock(), async () => 'done')).toBe('done');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('by nobody knows whom counts for nothing', async () => {
    writeFileSync(join(folder, '.lock-n-what'), '');
    expect(await withFileLock(lock(), async () => 'done')).toBe('done');
  });

  it('by a process that is killed is free at once', async () => {
    const script = `
      import { withFileLock } from ${JSON.stringify(join(import.meta.dirname, 'file-store.ts'))};
      const [folder] = process.argv.slice(1);
      await withFileLock({ folder, name: 'n', what: 'x' }, () => {
        console.log('held');
        return new Promise(() => setInterval(() => {}, 1000));
      });`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await expect(withFileLock(lock('n', 20), async () => 'done')).rejects.toMatchObject({
      code: 'STATE_LOCKED',
      message: expect.stringContaining(`process ${child.pid}`),
    });
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    expect(await withFileLock(lock(), async () => 'done')).toBe('done');
    expect(readdirSync(folder)).toEqual([]);
  });
});
