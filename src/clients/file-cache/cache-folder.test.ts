import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheFolder } from './cache-folder.ts';

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
    const args = ['--input-type=module', '-e', SCRIPT, join(import.meta.dirname, 'compiled-code.ts')];
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
