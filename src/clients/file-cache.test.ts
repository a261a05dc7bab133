import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
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
import { cacheFolder, fileCache, privateFolder } from './file-cache.ts';

describe('cache folder', () => {
  describe('the folder of the cache', () => {
    it.each([
      { env: { ECHELON_CACHE: '/a', XDG_CACHE_HOME: '/b', HOME: '/c' }, folder: '/a' },
      { env: { ECHELON_CACHE: '', XDG_CACHE_HOME: '/b', HOME: '/c' }, folder: '/b/echelon' },
      { env: { XDG_CACHE_HOME: '', HOME: '/c' }, folder: '/c/.cache/echelon' },
      { env: { HOME: '/' }, folder: undefined },
      { env: { HOME: '' }, folder: undefined },
    ])('with $env is $folder', ({ env, folder }) => {
      expect(cacheFolder(env)).toBe(folder);
    });
  });

  const isRoot = process.getuid?.() === 0;
  const BUILD = '0123456789abcdef0123';
  const SCRIPT = `
  const { getCompileCacheDir } = await import('node:module');
  const { keepCompiled } = await import(process.argv[1]);
  keepCompiled('${BUILD}', process.env);
  console.log(getCompileCacheDir() ?? 'none');`;

  describe('compiled code is kept', () => {
    let root: string;
    beforeEach(() => {
      root = realpathSync(mkdtempSync(join(tmpdir(), 'echelon-compiled-')));
    });
    afterEach(() => rmSync(root, { recursive: true }));

    const path = (name: string): string => join(root, name);
    const folder = (name: string, mode: number): void => {
      mkdirSync(path(name), { recursive: true });
      chmodSync(path(name), mode);
    };

    /** Where a process keeps its compiled code, or `none`; names are below the temporary folder of the test. */
    function keptIn(env: Readonly<Record<string, string>>): string {
      const args = ['--input-type=module', '-e', SCRIPT, join(import.meta.dirname, 'file-cache.ts')];
      const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { TMPDIR: root, ...env } });
      return stdout
        .trim()
        .replace(`${root}/`, '')
        .replace(/\/v\d.*$/, '');
    }

    const OWN = `cache/echelon/compiled/${BUILD.slice(0, 16)}`;

    it.each([
      { given: 'in a folder of this user', arrange: () => folder('cache', 0o755), kept: OWN },
      { given: 'in a folder as /tmp', arrange: () => folder('cache', 0o1777), kept: OWN },
      { given: 'not in a folder that all can write to', arrange: () => folder('cache', 0o777), kept: 'none' },
      { given: 'not in a folder that a group can write to', arrange: () => folder('cache', 0o775), kept: 'none' },
    ])('$given', ({ arrange, kept }) => {
      arrange();
      expect(keptIn({ XDG_CACHE_HOME: path('cache') })).toBe(kept);
    });

    it('not below the temporary folder, for a user without a home', () => {
      chmodSync(root, 0o1777);
      expect(keptIn({ HOME: '/' })).toBe('none');
      expect(readdirSync(root)).toEqual([]);
    });

    it.runIf(isRoot).each([
      { given: 'a folder of another user', arrange: () => chownSync(path('cache/echelon'), 4711, 4711) },
      {
        given: 'a file of another user in the folder of this user',
        arrange: () => {
          writeFileSync(path(`${OWN}/foreign`), '');
          chownSync(path(`${OWN}/foreign`), 4711, 4711);
        },
      },
    ])('not with $given', ({ arrange }) => {
      folder('cache', 0o1777);
      expect(keptIn({ XDG_CACHE_HOME: path('cache') })).toBe(OWN);
      arrange();
      expect(keptIn({ XDG_CACHE_HOME: path('cache') })).toBe('none');
    });
  });
});

describe('file cache', () => {
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
});

describe('private folder', () => {
  const OTHER = 4711;
  const isRoot = process.getuid?.() === 0;

  let root: string;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'echelon-private-')));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const path = (name: string): string => join(root, name);

  function make(name: string, mode: number): string {
    mkdirSync(path(name), { recursive: true });
    chmodSync(path(name), mode);
    return path(name);
  }

  describe('a private folder', () => {
    it('is made for its owner alone, with all above it that is missing', () => {
      expect(privateFolder(path('new/folder'))).toEqual({ folder: path('new/folder') });
      expect(['new', 'new/folder'].map((name) => statSync(path(name)).mode & 0o777)).toEqual([0o700, 0o700]);
    });

    it.each([
      { mode: 0o700, found: 'folder' },
      { mode: 0o755, found: 'folder' },
      { mode: 0o775, found: 'fault' },
      { mode: 0o757, found: 'fault' },
      { mode: 0o1777, found: 'fault' },
    ])('with mode $mode is a $found', ({ mode, found }) => {
      expect(Object.keys(privateFolder(make('folder', mode)))).toEqual([found]);
    });

    it.each([
      {
        given: 'a link',
        arrange: () => symlinkSync(make('target', 0o700), path('folder')),
        fault: /folder is not a dir/,
      },
      { given: 'a file', arrange: () => writeFileSync(path('folder'), ''), fault: /^EEXIST/ },
      { given: 'below a file', arrange: () => writeFileSync(path('folder'), ''), name: 'folder/a', fault: /^ENOTDIR/ },
      { given: 'a link to itself', arrange: () => symlinkSync('folder', path('folder')), fault: /^ELOOP/ },
      { given: 'a link to nowhere', arrange: () => symlinkSync('nowhere', path('folder')), fault: /^ENOENT/ },
    ])('is not $given', ({ arrange, name = 'folder', fault }) => {
      arrange();
      expect(privateFolder(path(name))).toEqual({ fault: expect.stringMatching(fault) });
    });

    it.runIf(isRoot)('is not the folder of another user', () => {
      chownSync(make('folder', 0o700), OTHER, OTHER);
      expect(privateFolder(path('folder'))).toEqual({ fault: `${path('folder')} belongs to another user` });
    });
  });

  describe('the way to a private folder', () => {
    it.each([
      { given: 'of one user', above: 0o700, is: 'safe' },
      { given: 'that others can read', above: 0o755, is: 'safe' },
      { given: 'that a group can write to', above: 0o775, is: 'open' },
      { given: 'that all can write to', above: 0o777, is: 'open' },
      { given: 'as /tmp', above: 0o1777, is: 'safe' },
      { given: 'that is a volume of a pod on disk', above: 0o777, is: 'open' },
      { given: 'that is a volume of a pod on disk, with a group', above: 0o2777, is: 'open' },
      { given: 'that is a volume of a pod in memory, with a group', above: 0o3777, is: 'safe' },
    ])('through a folder $given is $is', ({ above, is }) => {
      make('above', above);
      const open = { fault: `${path('above')} is writable to other users` };
      expect(privateFolder(path('above/a/b'))).toEqual(is === 'safe' ? { folder: path('above/a/b') } : open);
      expect(existsSync(path('above/a'))).toBe(is === 'safe');
    });

    it.runIf(isRoot)('leads through no folder of another user', () => {
      make('above/folder', 0o700);
      chownSync(path('above'), OTHER, OTHER);
      expect(privateFolder(path('above/folder'))).toEqual({ fault: `${path('above')} belongs to another user` });
    });

    it('follows a link of this user to where it leads', () => {
      make('target', 0o700);
      symlinkSync('target', path('link'));
      expect(privateFolder(path('link/folder'))).toEqual({ folder: path('target/folder') });
    });

    it('is that of the target of a link, too', () => {
      make('open/target', 0o700);
      chmodSync(path('open'), 0o777);
      symlinkSync('open/target', path('link'));
      expect(privateFolder(path('link/folder'))).toEqual({ fault: `${path('open')} is writable to other users` });
    });

    it.runIf(isRoot)('leads through no link of another user, who can turn it elsewhere', () => {
      make('shared', 0o1777);
      symlinkSync(make('target', 0o700), path('shared/link'));
      lchownSync(path('shared/link'), OTHER, OTHER);
      expect(privateFolder(path('shared/link/folder'))).toEqual({
        fault: `${path('shared/link')} belongs to another user`,
      });
      expect(existsSync(path('target/folder'))).toBe(false);
    });

    it('is not checked where it contains the program, which could be exchanged there as well', () => {
      const program = make('checkout/src', 0o775);
      chmodSync(path('checkout'), 0o775);
      // What it imports stays where it is.
      const source = join(import.meta.dirname, 'file-cache.ts');
      const script = `
      import { readFileSync, writeFileSync } from 'node:fs';
      const text = readFileSync(${JSON.stringify(source)}, 'utf8');
      const whole = (_, path) => JSON.stringify(new URL(path, ${JSON.stringify(import.meta.url)}).pathname);
      writeFileSync('folder.ts', text.replaceAll(/'([.][.]?[/][^']+)'/g, whole));
      const { privateFolder } = await import(process.cwd() + '/folder.ts');
      console.log(JSON.stringify(['../cache', 'folder', '../../elsewhere'].map((one) => privateFolder(one))));`;
      make('elsewhere', 0o775);
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        ...{ cwd: program, encoding: 'utf8', env: {} },
      });
      expect({ stderr, found: JSON.parse(stdout) }).toEqual({
        stderr: '',
        found: [
          { folder: path('checkout/cache') },
          { folder: path('checkout/src/folder') },
          { fault: `${path('elsewhere')} is writable to other users` },
        ],
      });
    });
  });

  describe.runIf(isRoot)('the user that OpenShift chooses for a pod, in the group of root', () => {
    const SCRIPT = `
    const { privateFolder } = await import(process.argv[1]);
    console.log(JSON.stringify(privateFolder(process.argv[2])));`;
    const asPod = (folder: string) => {
      const args = ['--input-type=module', '-e', SCRIPT, join(import.meta.dirname, 'file-cache.ts'), folder];
      return spawnSync(process.execPath, args, { uid: 1_000_650_000, gid: 0, encoding: 'utf8', env: {} });
    };

    it.for([
      { volume: 'in memory', mode: 0o1777, safe: true },
      { volume: 'in memory, with an fsGroup', mode: 0o3777, safe: true },
      { volume: 'on disk', mode: 0o777, safe: false },
      { volume: 'on disk, with an fsGroup', mode: 0o2777, safe: false },
      { volume: 'in the image, for the group of root', mode: 0o775, safe: false },
    ])('has a cache of its own in a volume $volume: $safe', ({ mode, safe }, { skip }) => {
      // The temporary folder of the tests is closed to others.
      const volume = mkdtempSync('/tmp/echelon-volume-');
      chmodSync(volume, mode);
      const { stdout, stderr, error } = asPod(join(volume, 'echelon/compiled'));
      const modes = readdirSync(volume).map((name) => statSync(join(volume, name)).mode & 0o777);
      rmSync(volume, { recursive: true });
      skip(/EACCES|Cannot find module/.test(`${error} ${stderr}`), 'other users cannot read this checkout');
      const [found, open] = [
        { folder: join(volume, 'echelon/compiled') },
        { fault: `${volume} is writable to other users` },
      ];
      expect({ found: JSON.parse(stdout), modes }).toEqual(
        safe ? { found, modes: [0o700] } : { found: open, modes: [] },
      );
    });
  });
});
