import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileCache } from './index.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-file-cache-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('a cache of files', () => {
  it.each([[{ a: [1, 'ü', null] }], [[]], [{}]])('returns what was set, %j', (value) => {
    fileCache(join(root, 'new/folder')).set('key', value);
    expect(fileCache(join(root, 'new/folder')).get('key')).toEqual(value);
  });

  it('has the last value of a key, and no other file', () => {
    const cache = fileCache(root);
    cache.set('key', { a: 1 });
    cache.set('key', { a: 2 });
    cache.set('other', {});
    expect({ value: cache.get('key'), files: readdirSync(root).sort() }).toEqual({
      value: { a: 2 },
      files: ['key.json', 'other.json'],
    });
  });

  it('keeps its files from other users', () => {
    fileCache(root).set('key', { a: 1 });
    expect(statSync(join(root, 'key.json')).mode & 0o777).toBe(0o600);
  });
});

describe('a cache may lose anything', () => {
  it.each([
    { given: 'a key that was never set', arrange: () => undefined },
    { given: 'a file without a hash', arrange: () => writeFileSync(join(root, 'key.json'), '{"a":1}') },
    { given: 'an empty file', arrange: () => writeFileSync(join(root, 'key.json'), '') },
    { given: 'a folder in place of the file', arrange: () => mkdirSync(join(root, 'key.json')) },
    { given: 'no folder', arrange: () => rmSync(root, { recursive: true }) },
  ])('with $given there is nothing', ({ arrange }) => {
    arrange();
    expect(fileCache(root).get('key')).toBeUndefined();
    mkdirSync(root, { recursive: true });
  });

  it.each([
    { given: 'a file in place of the folder', folder: 'file/cache' },
    { given: 'a folder in place of the file', folder: 'taken' },
  ])('and cannot keep anything with $given', ({ folder }) => {
    writeFileSync(join(root, 'file'), '');
    mkdirSync(join(root, 'taken/key.json/full'), { recursive: true });
    const cache = fileCache(join(root, folder));
    cache.set('key', { a: 1 });
    expect(cache.get('key')).toBeUndefined();
  });

  it('and leaves nothing behind of what it could not keep', () => {
    mkdirSync(join(root, 'key.json/full'), { recursive: true });
    fileCache(root).set('key', { a: 1 });
    expect(readdirSync(root)).toEqual(['key.json']);
  });

  it.skipIf(process.getuid?.() === 0)('and cannot keep anything in a folder that is not writable', () => {
    chmodSync(root, 0o500);
    const cache = fileCache(root);
    cache.set('key', { a: 1 });
    expect(cache.get('key')).toBeUndefined();
    chmodSync(root, 0o700);
  });
});

describe('a cache returns nothing that it did not write', () => {
  const file = (): string => join(root, 'key.json');

  it.each([
    { given: 'an entry that others can write to', arrange: () => chmodSync(file(), 0o602) },
    { given: 'an entry that a group can write to', arrange: () => chmodSync(file(), 0o620) },
    {
      given: 'an entry that was changed',
      arrange: () => writeFileSync(file(), readFileSync(file(), 'utf8').replace('mine', 'gone')),
    },
    { given: 'half an entry', arrange: () => writeFileSync(file(), readFileSync(file()).subarray(0, 70)) },
    {
      given: 'the entry of another key',
      arrange: () => {
        fileCache(root).set('other', { image: 'other' });
        renameSync(join(root, 'other.json'), file());
      },
    },
    {
      given: 'a link to an entry',
      arrange: () => {
        renameSync(file(), join(root, 'elsewhere.json'));
        symlinkSync('elsewhere.json', file());
      },
    },
    ...(process.getuid?.() === 0
      ? [{ given: 'an entry of another user', arrange: () => chownSync(file(), 4711, 4711) }]
      : []),
  ])('such as $given', ({ arrange }) => {
    fileCache(root).set('key', { image: 'mine' });
    expect(fileCache(root).get('key')).toEqual({ image: 'mine' });
    arrange();
    expect(fileCache(root).get('key')).toBeUndefined();
  });
});

describe('a full cache', () => {
  const NAMES = Array.from({ length: 500 }, (_, age) => `k${String(age).padStart(3, '0')}`);

  beforeEach(() => {
    for (const [age, name] of NAMES.entries()) {
      writeFileSync(join(root, `${name}.json`), '{}');
      utimesSync(join(root, `${name}.json`), 1_000 + age, 1_000 + age);
    }
  });

  it('forgets what was not used for the longest time', () => {
    fileCache(root).set('new', {});
    const gone = [...NAMES, 'new'].filter((name) => !existsSync(join(root, `${name}.json`)));
    expect(gone).toEqual(['k000']);
  });

  it('counts reading as use', () => {
    const cache = fileCache(root);
    cache.get('k000');
    cache.set('new', {});
    expect(['k000', 'k001'].map((name) => existsSync(join(root, `${name}.json`)))).toEqual([true, false]);
  });

  it('forgets nothing for a key that it has', () => {
    fileCache(root).set('k000', { a: 1 });
    expect(readdirSync(root)).toHaveLength(500);
  });
});
