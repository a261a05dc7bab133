import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileChange, writeFiles } from './write-files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-write-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const path = (name: string): string => join(root, name);
const change = (name: string, before: string, after: string): FileChange => ({
  location: path(name),
  before: Buffer.from(before),
  after: Buffer.from(after),
});
const text = (name: string): string => readFileSync(path(name), 'utf8');

describe('files are replaced', () => {
  it('all of them, with their modes, and nothing is left beside them', async () => {
    writeFileSync(path('a'), 'a');
    writeFileSync(path('b'), 'b');
    chmodSync(path('b'), 0o640);
    await writeFiles([change('a', 'a', 'A'), change('b', 'b', 'B')]);
    expect([text('a'), text('b')]).toEqual(['A', 'B']);
    expect(statSync(path('b')).mode & 0o777).toBe(0o640);
    expect(readdirSync(root).sort()).toEqual(['a', 'b']);
  });

  it('not at all where nothing changes', async () => {
    writeFileSync(path('a'), 'a');
    const { ino } = statSync(path('a'));
    await writeFiles([change('a', 'a', 'a')]);
    expect(statSync(path('a')).ino).toBe(ino);
  });
});

describe('no file is changed when one of them', () => {
  it.each([
    { given: 'is a link', make: () => symlinkSync(path('a'), path('b')), says: 'is a symbolic link' },
    { given: 'is a folder', make: () => mkdirSync(path('b')), says: 'is no file' },
    { given: 'is missing', make: () => {}, says: 'cannot be read' },
    { given: 'was changed meanwhile', make: () => writeFileSync(path('b'), 'other'), says: 'changed by somebody else' },
  ])('$given', async ({ make, says }) => {
    writeFileSync(path('a'), 'a');
    make();
    const left = readdirSync(root).sort();
    await expect(writeFiles([change('a', 'a', 'A'), change('b', 'b', 'B')])).rejects.toThrow(says);
    expect(text('a')).toBe('a');
    expect(readdirSync(root).sort()).toEqual(left);
  });
});
