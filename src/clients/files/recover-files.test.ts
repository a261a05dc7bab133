import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownIdentity } from '../process/index.ts';
import { hashOf, journalLocation } from './edit-journal.ts';
import type { Disk } from './files.ts';
import { recoverFiles, recoverLocation, replaceFiles } from './replace-files.ts';

const FILES = ['a', 'b/c', 'b/d'];

let base: string;
let root: string;
beforeEach(() => {
  base = fs.mkdtempSync(join(tmpdir(), 'echelon-recover-'));
  fresh(true);
});
afterEach(() => fs.rmSync(base, { recursive: true, force: true }));

function fresh(git: boolean): void {
  root = fs.mkdtempSync(join(base, 'x'));
  for (const folder of ['b', ...(git ? ['.git'] : [])]) fs.mkdirSync(join(root, folder));
  for (const file of FILES) fs.writeFileSync(join(root, file), 'old');
}

const changes = () => FILES.map((file) => ({ file, before: Buffer.from('old'), after: Buffer.from('new') }));
const texts = (): string => FILES.map((file) => fs.readFileSync(join(root, file), 'utf8')).join(' ');
const leftovers = (): string[] =>
  fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('echelon-edit'));

/** A disk that, after some calls, works no more, as for a process that was killed. A write then gets half of its bytes. */
function dyingAfter(calls: number): { readonly disk: Disk; readonly isDead: () => boolean } {
  let left = calls;
  const step = (act: () => void, half: () => void = () => undefined): void => {
    if (left === 0) half();
    left -= 1;
    if (left < 0) throw new Error('killed');
    act();
  };
  const disk: Disk = {
    openSync: (...args: Parameters<typeof fs.openSync>) => {
      let descriptor = -1;
      step(() => {
        descriptor = fs.openSync(...args);
      });
      return descriptor;
    },
    writeSync: ((descriptor: number, bytes: Uint8Array) => {
      step(
        () => fs.writeSync(descriptor, bytes),
        () => fs.writeSync(descriptor, bytes, 0, bytes.length >> 1),
      );
      return bytes.length;
    }) as Disk['writeSync'],
    fchmodSync: (...args) => step(() => fs.fchmodSync(...args)),
    fsyncSync: () => step(() => undefined),
    closeSync: (descriptor) => {
      fs.closeSync(descriptor);
      step(() => undefined);
    },
    renameSync: (...args) => step(() => fs.renameSync(...args)),
    rmSync: (...args) => step(() => fs.rmSync(...args)),
  };
  return { disk, isDead: () => left < 0 };
}

/** Whether it was killed before it was done. */
function killed(calls: number, act: (disk: Disk) => unknown): boolean {
  const { disk, isDead } = dyingAfter(calls);
  try {
    act(disk);
  } catch {
    // The dead process says nothing.
  }
  return isDead();
}

describe.each([
  { given: 'in a repository', git: true },
  { given: 'in a folder', git: false },
])('a change of files $given', ({ git }) => {
  it('that is killed before any of its calls ends with all files old or all new, however often the next runs are killed', () => {
    const seen = new Map<string, number>();
    for (let first = 0; ; first += 1) {
      let isKilled = true;
      for (let second = 0; isKilled; second += 1) {
        fresh(git);
        const isDone = !killed(first, (disk) => replaceFiles(root, changes(), disk));
        isKilled = killed(second, (disk) => recoverLocation(journalLocation(root), disk));
        recoverFiles(root);
        expect([leftovers(), ['old old old', 'new new new']]).toEqual([[], expect.arrayContaining([texts()])]);
        seen.set(texts(), (seen.get(texts()) ?? 0) + 1);
        if (isDone) {
          expect(texts()).toBe('new new new');
          expect(first).toBeGreaterThan(20);
          expect(seen.get('old old old')).toBeGreaterThan(100);
          return;
        }
      }
    }
  });
});

describe('the journal of an interrupted change', () => {
  const write = (name: string, content: object): void =>
    fs.writeFileSync(join(root, '.git', `echelon-edit-${name}`), JSON.stringify({ version: 1, ...content }));
  const ended = (): string => `${ownIdentity().place}-4194305-1`;
  const entry = (file: string) => ({
    file,
    before: Buffer.from('older').toString('base64'),
    after: hashOf(Buffer.from('old')),
  });

  it('does not lead out of its folder', () => {
    fs.writeFileSync(join(base, 'outside'), 'old');
    fs.symlinkSync(base, join(root, 'link'));
    write(ended(), { entries: [entry('../outside'), entry('link/outside'), entry('none')] });
    expect(recoverFiles(root)).toEqual({ restored: [], changedSince: ['none'] });
    expect(fs.readFileSync(join(base, 'outside'), 'utf8')).toBe('old');
  });

  it('of another machine is left alone while it is new, and counts for nothing after a minute', () => {
    write('abc-1-1', { entries: [entry('a'), entry('none')] });
    expect(() => recoverFiles(root)).toThrow('process 1 on another machine or in another container is changing files');
    fs.utimesSync(join(root, '.git/echelon-edit-abc-1-1'), 1, 1);
    expect(recoverFiles(root).restored).toEqual(['a']);
  });

  it('of a newer format is an error that names it', () => {
    write(ended(), { version: 2 });
    expect(() => recoverFiles(root)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('update Echelon') }),
    );
  });

  it('stands in the git folder that a work tree names', () => {
    fs.rmSync(join(root, '.git'), { recursive: true });
    fs.mkdirSync(join(base, 'main/.git/worktrees/x'), { recursive: true });
    fs.writeFileSync(join(root, '.git'), `gitdir: ${base}/main/.git/worktrees/x\n`);
    expect(journalLocation(join(root, 'b'))).toMatchObject({ top: root, folder: join(base, 'main/.git/worktrees/x') });
  });
});
