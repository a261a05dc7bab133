import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packagedHelm } from './packaged-helm.ts';

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
    { given: 'there is no cache', arrange: () => undefined, folder: undefined, reason: /there is no home directory$/ },
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
