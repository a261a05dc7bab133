import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownIdentity } from '../process/index.ts';
import { DISK, type Disk } from './files.ts';
import { replaceFiles } from './replace-files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-replace-'));
  for (const name of ['a', 'b', 'c']) writeFileSync(path(name), 'old');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const path = (name: string): string => join(root, name);
const change = (file: string, after = 'new') => ({ file, before: Buffer.from('old'), after: Buffer.from(after) });
const contents = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, readFileSync(path(name), 'utf8')]),
  );

describe('files that are replaced together', () => {
  it('are all replaced, with their modes, and nothing is left beside them', () => {
    chmodSync(path('b'), 0o640);
    replaceFiles(root, [change('a'), change('b')]);
    expect(contents()).toEqual({ a: 'new', b: 'new', c: 'old' });
    expect(statSync(path('b')).mode & 0o777).toBe(0o640);
  });

  it('are left alone where nothing changes', () => {
    const { ino } = statSync(path('a'));
    replaceFiles(root, [change('a', 'old'), change('b')]);
    expect([statSync(path('a')).ino, contents()['b']]).toEqual([ino, 'new']);
  });

  it('stay as they were when one cannot be put in its place', () => {
    const disk = failingRename(({ count }) => count === 2);
    expect(() => replaceFiles(root, [change('a'), change('b'), change('c')], disk)).toThrow(
      'cannot write b: the disk is gone. Nothing was changed',
    );
    expect(contents()).toEqual({ a: 'old', b: 'old', c: 'old' });
  });

  it('are undone by the next change when that was not possible at once', () => {
    const disk = failingRename(({ count }) => count >= 2);
    expect(() => replaceFiles(root, [change('a'), change('b')], disk)).toThrow(
      'cannot write b: the disk is gone, and the change cannot be undone: the disk is gone',
    );
    expect(() => replaceFiles(root, [change('c')])).toThrow('an interrupted change was undone: a restored');
    expect(contents()).toEqual({ a: 'old', b: 'old', c: 'old' });
  });

  it('are not held up by a temporary file that was left behind', () => {
    writeFileSync(path('.b.echelon-edit'), 'half');
    replaceFiles(root, [change('a'), change('b')]);
    expect(contents()).toEqual({ a: 'new', b: 'new', c: 'old' });
  });

  it.each([
    { given: 'is a link', make: () => replaced(() => symlinkSync(path('a'), path('b'))), says: 'b is a symbolic link' },
    { given: 'is a folder', make: () => replaced(() => mkdirSync(path('b'))), says: 'b is not a regular file' },
    { given: 'is missing', make: () => replaced(() => undefined), says: 'cannot read b' },
    {
      given: 'was changed since it was read',
      make: () => writeFileSync(path('b'), 'theirs'),
      says: 'b was changed by',
    },
    {
      given: 'is being changed by another process',
      make: () => writeFileSync(path(`.echelon-edit-${ownIdentity().place}-${process.ppid}-0`), '{'),
      says: `process ${process.ppid} is changing files in`,
    },
  ])('stay as they are when one $given', ({ make, says }) => {
    make();
    const before = [readdirSync(root), contents()];
    expect(() => replaceFiles(root, [change('a'), change('b')])).toThrow(says);
    expect([readdirSync(root), contents()]).toEqual(before);
  });
});

function failingRename(fails: (call: { readonly count: number }) => boolean): Disk {
  let count = 0;
  return {
    ...DISK,
    renameSync: (from, to) => {
      count += 1;
      if (fails({ count })) throw new Error('the disk is gone');
      renameSync(from, to);
    },
  };
}

function replaced(make: () => void): void {
  rmSync(path('b'));
  make();
}
