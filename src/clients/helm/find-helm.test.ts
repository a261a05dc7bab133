import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defined } from '../../base/index.ts';
import type { FindHelmOptions } from './find-helm.ts';
import { findHelm } from './index.ts';

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
    { given: 'a flag and everything else', flag: 'flag/helm', bin: 'variable/helm', path: ['path-1'], is: 'flag/helm' },
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
