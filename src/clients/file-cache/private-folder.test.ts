import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { privateFolder, privatePlace } from './private-folder.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-private-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const make = (name: string, mode: number): string => {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, mode);
  return folder;
};

describe('a private folder', () => {
  it('is made for its owner alone', () => {
    expect(privateFolder(join(root, 'new/folder'))).toBe(true);
    expect(statSync(join(root, 'new/folder')).mode & 0o777).toBe(0o700);
  });

  it.each([
    { mode: 0o700, own: true },
    { mode: 0o755, own: true },
    { mode: 0o775, own: false },
    { mode: 0o757, own: false },
    { mode: 0o1777, own: false },
  ])('with mode $mode is private: $own', ({ mode, own }) => {
    const folder = make('folder', mode);
    expect({ folder: privateFolder(folder), place: privatePlace(folder) }).toEqual({ folder: own, place: own });
  });

  it('is not a link, which its owner can turn elsewhere', () => {
    symlinkSync(make('target', 0o700), join(root, 'link'));
    expect(privateFolder(join(root, 'link'))).toBe(false);
  });

  it('is not a file', () => {
    writeFileSync(join(root, 'file'), '');
    expect(privateFolder(join(root, 'file'))).toBe(false);
  });

  it.skipIf(process.getuid?.() !== 0)('is not the folder of another user', () => {
    const folder = make('folder', 0o700);
    chownSync(folder, 4711, 4711);
    expect(privateFolder(folder)).toBe(false);
  });
});

describe('a private place', () => {
  it.each([
    { above: 0o700, own: true },
    { above: 0o777, own: false },
    { above: 0o1777, own: true },
  ])('below a folder with mode $above is private: $own', ({ above, own }) => {
    make('above/folder', 0o700);
    chmodSync(join(root, 'above'), above);
    expect(privatePlace(join(root, 'above/folder'))).toBe(own);
  });

  it.skipIf(process.getuid?.() !== 0)('is not below the folder of another user', () => {
    const folder = make('above/folder', 0o700);
    chownSync(join(root, 'above'), 4711, 4711);
    expect(privatePlace(folder)).toBe(false);
  });
});
