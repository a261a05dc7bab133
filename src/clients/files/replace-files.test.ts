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
    let renames = 0;
    const failing = (from: string, to: string): void => {
      renames += 1;
      if (renames === 2) throw new Error('the disk is gone');
      renameSync(from, to);
    };
    expect(() => replaceFiles(root, [change('a'), change('b'), change('c')], failing)).toThrow(
      'b cannot be written: the disk is gone. Nothing was changed',
    );
    expect(contents()).toEqual({ a: 'old', b: 'old', c: 'old' });
  });

  it('are named when they cannot be brought back either', () => {
    const failing = (from: string, to: string): void => {
      if (to !== path('a')) {
        rmSync(path('a'));
        mkdirSync(path('a'));
        throw new Error('the disk is gone');
      }
      renameSync(from, to);
    };
    expect(() => replaceFiles(root, [change('a'), change('b')], failing)).toThrow(
      expect.objectContaining({ code: 'WRITE_FAILED', hint: 'restore a with git checkout' }),
    );
  });

  it.each([
    { given: 'is a link', make: () => replaced(() => symlinkSync(path('a'), path('b'))), says: 'b is a symbolic link' },
    { given: 'is a folder', make: () => replaced(() => mkdirSync(path('b'))), says: 'b is not a regular file' },
    { given: 'is missing', make: () => replaced(() => undefined), says: 'b cannot be read' },
    {
      given: 'was changed since it was read',
      make: () => writeFileSync(path('b'), 'theirs'),
      says: 'b was changed by',
    },
    {
      given: 'is being changed by another',
      make: () => writeFileSync(path('.b.echelon-edit'), 'theirs'),
      says: 'another change of b is in progress',
    },
  ])('stay as they are when one $given', ({ make, says }) => {
    make();
    const before = [readdirSync(root), contents()];
    expect(() => replaceFiles(root, [change('a'), change('b')])).toThrow(says);
    expect([readdirSync(root), contents()]).toEqual(before);
  });
});

function replaced(make: () => void): void {
  rmSync(path('b'));
  make();
}
