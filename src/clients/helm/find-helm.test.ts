import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defined } from '../../base/index.ts';
import {
  type FindHelmOptions,
  HELM_PACKAGE,
  HELM_PACKAGE_VERSION,
  helmInstallHint,
  packagedHelm,
} from './find-helm.ts';
import { findHelm } from './index.ts';

describe('search', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'echelon-find-helm-'));
    for (const folder of ['flag', 'variable', 'path-1', 'path-2', 'empty']) {
      mkdirSync(join(root, folder));
      if (folder !== 'empty') writeFileSync(join(root, folder, 'helm'), '#!/bin/sh\n', { mode: 0o755 });
    }
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const PACKAGED = '/packaged/helm';

  /** Finds with paths below the temporary folder; what is found is told from there. */
  async function find(options: Partial<FindHelmOptions>): Promise<string> {
    const found = await findHelm({
      ...{ env: {}, cwd: root, cacheFolder: join(root, 'cache'), packaged: async () => PACKAGED },
      ...options,
    });
    return found.replace(`${root}/`, '');
  }

  const paths = (...folders: string[]): string => folders.map((folder) => join(root, folder)).join(':');

  describe('helm is', () => {
    it.each([
      {
        given: 'a flag and everything else',
        flag: 'flag/helm',
        bin: 'variable/helm',
        path: ['path-1'],
        is: 'flag/helm',
      },
      { given: 'HELM_BIN and a PATH', bin: 'variable/helm', path: ['path-1'], is: 'variable/helm' },
      { given: 'an empty HELM_BIN', bin: '', path: ['path-1'], is: 'path-1/helm' },
      { given: 'an empty flag', flag: '', path: ['path-1'], is: 'path-1/helm' },
      { given: 'two on the PATH', path: ['path-1', 'path-2'], is: 'path-1/helm' },
      { given: 'a folder of the PATH without one', path: ['empty', 'nowhere', 'path-2'], is: 'path-2/helm' },
      { given: 'none on the PATH', path: ['empty'], is: PACKAGED },
      { given: 'no PATH', is: PACKAGED },
    ])('with $given: $is', async ({ flag, bin, path, is }) => {
      const env = {
        ...defined({ HELM_BIN: bin }),
        ...(path === undefined ? {} : { PATH: paths(...path) }),
      };
      expect(await find({ env, ...defined({ flag }) })).toBe(is);
    });

    it('not a file that cannot be run, nor a folder', async () => {
      chmodSync(join(root, 'path-1/helm'), 0o644);
      mkdirSync(join(root, 'empty/helm'));
      expect(await find({ env: { PATH: paths('path-1', 'empty', 'path-2') } })).toBe('path-2/helm');
    });

    it('not looked for in the current folder by an empty part of the PATH', async () => {
      expect(await find({ env: { PATH: '::' }, cwd: join(root, 'path-1') })).toBe(PACKAGED);
    });
  });

  describe('no helm', () => {
    it.each([
      { given: 'a flag that names nothing', flag: 'nowhere/helm', says: 'nowhere/helm, named by --helm, is not' },
      { given: 'a flag that names a folder', flag: 'flag', says: 'flag, named by --helm, is not' },
      { given: 'HELM_BIN that names nothing', bin: 'nowhere', says: 'nowhere, named by HELM_BIN, is not' },
    ])('with $given, even though there is one on the PATH', async ({ flag, bin, says }) => {
      const env = { PATH: paths('path-1'), ...defined({ HELM_BIN: bin }) };
      await expect(find({ env, ...defined({ flag }) })).rejects.toMatchObject({
        code: 'HELM_NOT_FOUND',
        message: expect.stringContaining(`${says} an executable file`),
      });
    });

    it('with a flag that names a file that cannot be run', async () => {
      chmodSync(join(root, 'flag/helm'), 0o644);
      await expect(find({ flag: 'flag/helm' })).rejects.toMatchObject({ code: 'HELM_NOT_FOUND' });
    });

    it('with nothing anywhere, and how to get one', async () => {
      await expect(find({ env: { PATH: paths('empty') }, packaged: async () => undefined })).rejects.toMatchObject({
        code: 'HELM_NOT_FOUND',
        message: 'helm not found: not with --helm, in HELM_BIN, in PATH or as an npm package',
        hint: expect.stringMatching(/install helm 3 or newer/),
      });
    });
  });
});

const NAMED = `${HELM_PACKAGE}@${HELM_PACKAGE_VERSION}`;
const ELSEWHERE = 'install helm 3 or newer (https://helm.sh/docs/intro/install)';

describe('the command that installs helm', () => {
  it.each([
    {
      where: '/usr/local/lib/node_modules/echelon',
      command: `npm install --global --prefix /usr/local --legacy-peer-deps ${NAMED}`,
    },
    { where: '/lib/node_modules/echelon/', command: `npm install --global --prefix / --legacy-peer-deps ${NAMED}` },
    {
      where: '/src/tools/node_modules/echelon',
      command: `npm install --prefix /src/tools --legacy-peer-deps ${NAMED}`,
    },
    {
      where: "/home/it's me/node_modules/echelon",
      command: `npm install --prefix '/home/it'\\''s me' --legacy-peer-deps ${NAMED}`,
    },
    { where: '/src/echelon', command: 'make setup' },
  ])('of $where is $command', ({ where, command }) => {
    expect(helmInstallHint('linux-x64', where)).toBe(`run: ${command}; or ${ELSEWHERE}`);
  });

  it.each(['linux-arm64', 'darwin-arm64'])('does not name a package that has no helm for %s', (platform) => {
    expect(helmInstallHint(platform, '/lib/node_modules/echelon')).toBe(`${ELSEWHERE}, or pass its path with --helm`);
  });

  it('names the version that a checkout includes', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(manifest.devDependencies[HELM_PACKAGE]).toBe(HELM_PACKAGE_VERSION);
  });
});

describe('helm of the npm package', () => {
  const here = process.platform === 'linux' && process.arch === 'x64';

  describe.skipIf(!here)('the helm of the npm package', () => {
    let cache: string;
    let helm: string;
    beforeAll(async () => {
      cache = mkdtempSync(join(tmpdir(), 'echelon-packaged-helm-'));
      helm = (await packagedHelm(join(cache, 'not/there/yet'))) ?? '';
    });
    afterAll(() => rmSync(cache, { recursive: true }));

    it('runs', () => {
      expect(execFileSync(helm, ['version', '--short'], { encoding: 'utf8' })).toMatch(/^v[34]\.\d+\.\d+/);
    });

    it('stands in a folder of its version, with its hash beside it, for one user alone', () => {
      expect(dirname(helm)).toMatch(/\/not\/there\/yet\/helm-\d+\.\d+\.\d+$/);
      expect(readdirSync(dirname(helm))).toEqual(['helm', 'helm.sha256']);
      expect(statSync(dirname(helm)).mode & 0o777).toBe(0o700);
    });

    it('is unpacked once', async () => {
      const { ino, mtimeMs } = statSync(helm);
      expect(await packagedHelm(join(cache, 'not/there/yet'))).toBe(helm);
      expect(statSync(helm)).toMatchObject({ ino, mtimeMs });
    });

    it.each([
      { given: 'it was changed', arrange: () => appendFileSync(helm, 'x') },
      { given: 'its hash is gone', arrange: () => rmSync(`${helm}.sha256`) },
      { given: 'others can write to it', arrange: () => chmodSync(helm, 0o777) },
      ...(process.getuid?.() === 0
        ? [{ given: 'it belongs to another user', arrange: () => chownSync(helm, 4711, 4711) }]
        : []),
    ])('is unpacked again when $given', async ({ arrange }) => {
      const { ino, size } = statSync(helm);
      arrange();
      expect(await packagedHelm(join(cache, 'not/there/yet'))).toBe(helm);
      const { ino: now, ...found } = statSync(helm);
      expect(now).not.toBe(ino);
      expect({ ...found, mode: found.mode & 0o777 }).toMatchObject({ size, uid: process.getuid?.(), mode: 0o755 });
    });

    it.each([
      {
        given: 'its folder cannot be made',
        arrange: () => writeFileSync(join(cache, 'file'), ''),
        folder: 'file',
        reason: /ENOTDIR/,
      },
      {
        given: 'others can write to the cache',
        arrange: () => {
          mkdirSync(join(cache, 'shared'));
          chmodSync(join(cache, 'shared'), 0o777);
        },
        folder: 'shared',
        reason: /\/shared is writable to other users$/,
      },
      {
        given: 'there is no cache',
        arrange: () => undefined,
        folder: undefined,
        reason: /there is no home directory$/,
      },
    ])('is not unpacked where $given, which is no fault of Echelon', async ({ arrange, folder, reason }) => {
      arrange();
      await expect(packagedHelm(folder === undefined ? undefined : join(cache, folder))).rejects.toMatchObject({
        code: 'HELM_NOT_FOUND',
        message: expect.stringMatching(/^cannot unpack the helm of the npm package: /),
        hint: 'set ECHELON_CACHE to a directory that only you can write to (chmod go-w), or pass another helm with --helm',
      });
      await expect(packagedHelm(folder === undefined ? undefined : join(cache, folder))).rejects.toThrow(reason);
      expect(existsSync(join(cache, 'shared/helm'))).toBe(false);
    });
  });
});
